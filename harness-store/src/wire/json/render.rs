//! Values as JSON text in one pass: what a text becomes is asked when it comes, the fields of an
//! object are put in order when it ends.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;

use serde::Serialize;

use super::{JsonError, text};

/// What is to stand in the place of a text; `None` if it stands for itself.
pub(crate) type Texts<'t> = &'t mut dyn FnMut(&str) -> Option<String>;

/// Fields that the outermost object gets besides its own, each the text of a value. They take the
/// place of its own of the same name.
pub(crate) type Envelope<'e> = &'e [(&'static str, String)];

/// Writes a value to the end of `out`.
pub(super) struct Renderer<'r> {
    pub(super) out: &'r mut Vec<u8>,
    /// The level in a document for people; `None` on one line.
    pub(super) level: Option<usize>,
    pub(super) texts: Texts<'r>,
    /// Taken by the outermost object.
    pub(super) envelope: Option<Envelope<'r>>,
    /// The fields of the objects under way, those of the outermost first.
    pub(super) fields: Vec<Field>,
    /// The last object that ended, in order.
    pub(super) ordered: Vec<u8>,
}

/// A field, and where it stands in the output.
pub(super) struct Field {
    key: Cow<'static, str>,
    from: usize,
    to: usize,
}

impl<'r> Renderer<'r> {
    pub(super) fn put(&mut self, shown: impl Display) {
        // Writing to memory does not fail.
        let _ = write!(self.out, "{shown}");
    }

    pub(super) fn list(&mut self) -> List<'_, 'r> {
        self.out.push(b'[');
        self.level = self.level.map(|level| level + 1);
        List {
            renderer: self,
            is_empty: true,
        }
    }

    pub(super) fn object(&mut self) -> Object<'_, 'r> {
        self.out.push(b'{');
        self.level = self.level.map(|level| level + 1);
        Object {
            start: self.out.len(),
            first: self.fields.len(),
            envelope: self.envelope.take().unwrap_or_default(),
            key: String::new(),
            renderer: self,
        }
    }

    /// Ends a list, or an object.
    fn close(&mut self, is_empty: bool, with: u8) {
        self.level = self.level.map(|level| level.saturating_sub(1));
        if !is_empty {
            new_line(self.level, self.out);
        }
        self.out.push(with);
    }
}

fn new_line(level: Option<usize>, out: &mut Vec<u8>) {
    if let Some(level) = level {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', 2 * level));
    }
}

/// A list under way.
pub(super) struct List<'a, 'r> {
    renderer: &'a mut Renderer<'r>,
    is_empty: bool,
}

impl List<'_, '_> {
    pub(super) fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        if !std::mem::take(&mut self.is_empty) {
            self.renderer.out.push(b',');
        }
        new_line(self.renderer.level, self.renderer.out);
        value.serialize(&mut *self.renderer)
    }

    pub(super) fn finish(self) {
        self.renderer.close(self.is_empty, b']');
    }
}

/// An object under way.
pub(super) struct Object<'a, 'r> {
    pub(super) renderer: &'a mut Renderer<'r>,
    /// Where its fields begin in the output.
    start: usize,
    /// Where they begin in the renderer's list.
    first: usize,
    envelope: Envelope<'r>,
    /// The key of the value that comes next.
    pub(super) key: String,
}

impl Object<'_, '_> {
    pub(super) fn field(
        &mut self,
        key: Cow<'static, str>,
        value: impl FnOnce(&mut Renderer<'_>) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let from = self.renderer.out.len();
        text::emit(&key, self.renderer.out);
        self.renderer.out.push(b':');
        if self.renderer.level.is_some() {
            self.renderer.out.push(b' ');
        }
        value(self.renderer)?;
        let to = self.renderer.out.len();
        self.renderer.fields.push(Field { key, from, to });
        Ok(())
    }

    /// Puts the fields in order where they stand, of those with one name the last.
    pub(super) fn finish(mut self) -> Result<(), JsonError> {
        for (key, value) in self.envelope {
            self.field(Cow::Borrowed(key), |renderer| {
                renderer.out.extend_from_slice(value.as_bytes());
                Ok(())
            })?;
        }
        let Renderer {
            out,
            level,
            fields: all,
            ordered,
            ..
        } = &mut *self.renderer;
        let fields = all.get_mut(self.first..).unwrap_or_default();
        fields.sort_by(|one, other| one.key.cmp(&other.key));
        ordered.clear();
        let mut fields = fields.iter().peekable();
        while let Some(field) = fields.next() {
            if fields.peek().is_some_and(|next| next.key == field.key) {
                continue;
            }
            if !ordered.is_empty() {
                ordered.push(b',');
            }
            new_line(*level, ordered);
            ordered.extend_from_slice(out.get(field.from..field.to).unwrap_or_default());
        }
        all.truncate(self.first);
        out.truncate(self.start);
        out.extend_from_slice(ordered);
        let is_empty = ordered.is_empty();
        self.renderer.close(is_empty, b'}');
        Ok(())
    }
}
