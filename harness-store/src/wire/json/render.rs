//! Values as JSON text in one pass: what a text becomes is asked when it comes, the fields of an
//! object are put in order when it ends.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};
use serde_json::Value;

use super::{JsonError, text};

/// The name under which `serde_json` hands over the digits of a number, where another crate of the
/// build switched on its numbers of any precision.
const DIGITS: &str = "$serde_json::private::Number";

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
    fn put(&mut self, shown: impl Display) {
        // Writing to memory does not fail.
        let _ = write!(self.out, "{shown}");
    }

    fn list(&mut self) -> List<'_, 'r> {
        self.out.push(b'[');
        self.level = self.level.map(|level| level + 1);
        List {
            renderer: self,
            is_empty: true,
        }
    }

    fn object(&mut self) -> Object<'_, 'r> {
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
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        if !std::mem::take(&mut self.is_empty) {
            self.renderer.out.push(b',');
        }
        new_line(self.renderer.level, self.renderer.out);
        value.serialize(&mut *self.renderer)
    }

    fn finish(self) {
        self.renderer.close(self.is_empty, b']');
    }
}

/// An object under way.
pub(super) struct Object<'a, 'r> {
    renderer: &'a mut Renderer<'r>,
    /// Where its fields begin in the output.
    start: usize,
    /// Where they begin in the renderer's list.
    first: usize,
    envelope: Envelope<'r>,
    /// The key of the value that comes next.
    key: String,
}

impl Object<'_, '_> {
    fn field(
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
    fn finish(mut self) -> Result<(), JsonError> {
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

/// A structure under way.
pub(super) enum Structure<'a, 'r> {
    Object(Object<'a, 'r>),
    /// One whose only field holds the digits of a number.
    Digits(&'a mut Renderer<'r>),
}

/// A key as a text, as `serde_json` has it.
fn key_of<T: Serialize + ?Sized>(key: &T) -> Result<String, JsonError> {
    match super::to_value(&key)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        _ => Err(JsonError::custom("a key is no text")),
    }
}

/// Which of several forms it has is told by a field in every format of ours.
fn untold(variant: &str) -> JsonError {
    JsonError::custom(format!("{variant} is told by no field of its own"))
}

impl SerializeSeq for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeTuple for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeTupleStruct for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeMap for Object<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        let key = key_of(key)?;
        self.key = (self.renderer.texts)(&key).unwrap_or(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let key = std::mem::take(&mut self.key);
        self.field(Cow::Owned(key), |renderer| value.serialize(renderer))
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl SerializeStruct for Structure<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        match self {
            Self::Object(object) => {
                object.field(Cow::Borrowed(key), |renderer| value.serialize(renderer))
            }
            Self::Digits(renderer) => {
                renderer.put(key_of(value)?);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<(), JsonError> {
        match self {
            Self::Object(object) => object.finish(),
            Self::Digits(_) => Ok(()),
        }
    }
}

impl<'a, 'r> Serializer for &'a mut Renderer<'r> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = List<'a, 'r>;
    type SerializeTuple = List<'a, 'r>;
    type SerializeTupleStruct = List<'a, 'r>;
    type SerializeTupleVariant = Impossible<(), JsonError>;
    type SerializeMap = Object<'a, 'r>;
    type SerializeStruct = Structure<'a, 'r>;
    type SerializeStructVariant = Impossible<(), JsonError>;

    fn serialize_bool(self, value: bool) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), JsonError> {
        self.serialize_f64(value.into())
    }

    /// The shortest digits that read back; `null` where it is not finite, as `serde_json` has it.
    fn serialize_f64(self, value: f64) -> Result<(), JsonError> {
        match serde_json::Number::from_f64(value) {
            Some(number) => self.put(number),
            None => self.put("null"),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), JsonError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), JsonError> {
        match (self.texts)(value) {
            Some(other) => text::emit(&other, self.out),
            None => text::emit(value, self.out),
        }
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), JsonError> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), JsonError> {
        self.put("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    /// A name of the program's own, as a field's is.
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), JsonError> {
        text::emit(variant, self.out);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _value: &T,
    ) -> Result<(), JsonError> {
        Err(untold(variant))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _len: usize) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), JsonError>, JsonError> {
        Err(untold(variant))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Object<'a, 'r>, JsonError> {
        Ok(self.object())
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _len: usize,
    ) -> Result<Structure<'a, 'r>, JsonError> {
        Ok(match name {
            DIGITS => Structure::Digits(self),
            _ => Structure::Object(self.object()),
        })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), JsonError>, JsonError> {
        Err(untold(variant))
    }
}
