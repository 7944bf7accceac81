//! The gate: any text in, clean text out.

use std::borrow::Cow;

use harness_core::text::Attachment;
use harness_core::text::form::check;
use harness_core::text::markers::{BREAK, MarkerError, Markers};
use harness_core::text::runs::runs;
use harness_core::{CleanText, Untrusted};

use crate::sequences::strip;
use crate::stream::{reshaped_start, safe_cut};

/// Default bound of a text that is shown to an agent, in bytes.
pub const DEFAULT_MAX_LEN: usize = 2000;

/// Bytes behind the bound that are read to see that nothing lies across it.
const LOOK_AHEAD: usize = 1024;

/// Longest text that is reshaped as a whole, in bytes.
const WHOLE: usize = 262_144;

/// What a text ends with that was cut. It counts towards the bound.
pub const TRUNCATED: &str = "…[truncated]";

/// Turns any text into [`CleanText`]: control sequences and invisible characters go, line ends
/// become `\n`, banners shrink to three characters, a marker gets one visible character inside,
/// and what is too long is cut at a character with [`TRUNCATED`] behind it.
///
/// Total, linear and idempotent. Text that is clean already comes back borrowed, byte for byte.
#[derive(Clone, Debug)]
pub struct Gate {
    max: usize,
    markers: Cow<'static, Markers>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::with_max_len(DEFAULT_MAX_LEN)
    }
}

impl Gate {
    /// A gate with a bound of `max` bytes; 0 stands for [`CleanText::MAX_BYTES`], which no bound
    /// exceeds.
    pub fn with_max_len(max: usize) -> Self {
        Self {
            max: bound(max),
            markers: Cow::Borrowed(Markers::built_in()),
        }
    }

    /// A gate with markers of the host's own.
    pub fn builder() -> GateBuilder {
        GateBuilder {
            gate: Self::default(),
        }
    }

    /// The same gate with another bound, see [`Gate::with_max_len`].
    #[must_use]
    pub fn limited(&self, max: usize) -> Self {
        Self {
            max: bound(max),
            markers: self.markers.clone(),
        }
    }

    /// The bound in bytes.
    pub const fn max_len(&self) -> usize {
        self.max
    }

    /// Cleans `text`.
    pub fn clean<'a>(&self, text: &'a str) -> CleanText<'a> {
        self.clean_within(text, self.max)
    }

    /// Cleans what came from outside.
    pub fn clean_untrusted(&self, text: Untrusted<String>) -> CleanText<'static> {
        self.clean(&take_out(text)).into_owned()
    }

    /// Cleans `text` within `max` bytes, see [`Gate::with_max_len`].
    pub(crate) fn clean_within<'a>(&self, text: &'a str, max: usize) -> CleanText<'a> {
        let max = bound(max);
        if text.len() <= max
            && self.has_no_marker_of_the_host(text)
            && let Ok(clean) = CleanText::new(text)
        {
            return clean;
        }
        let clean = CleanText::new(self.bounded(text, max));
        debug_assert!(
            clean.is_ok(),
            "the gate leaves what core refuses: {clean:?}"
        );
        // Fails closed: text that is not clean goes nowhere.
        clean.unwrap_or_default()
    }

    /// The reshaped text within its bound. Of a text far longer than that, only as much is read as
    /// the bound needs.
    fn bounded(&self, text: &str, max: usize) -> String {
        let window = text.floor_char_boundary(max + LOOK_AHEAD);
        if let Some(start) = text.get(..window).filter(|_| window < text.len())
            && self.is_clean(start)
            && safe_cut(start, Vec::new()).is_some_and(|at| at > max)
        {
            return cut(start, max).into_owned();
        }
        if text.len() > WHOLE {
            return reshaped_start(self, text, max);
        }
        cut(&self.reshape(text), max).into_owned()
    }

    pub(crate) fn markers(&self) -> &Markers {
        &self.markers
    }

    /// Whether [`Gate::reshape`] would change nothing.
    pub(crate) fn is_clean(&self, text: &str) -> bool {
        self.has_no_marker_of_the_host(text) && check(text, text.len()).is_ok()
    }

    /// Everything but the bound.
    pub(crate) fn reshape(&self, text: &str) -> String {
        let mut text = strip(text);
        shrink_runs(&mut text);
        self.break_markers(text)
    }

    fn has_no_marker_of_the_host(&self, text: &str) -> bool {
        matches!(self.markers, Cow::Borrowed(_)) || self.markers.find(text, 0).is_none()
    }

    fn break_markers(&self, text: String) -> String {
        let mut out = String::new();
        let mut broken = 0;
        for found in self.markers.find_iter(&text) {
            // One break is enough for two markers that overlap there.
            if broken <= found.start || broken >= found.end {
                if broken == 0 {
                    out.reserve(text.len() + text.len() / 8);
                }
                out.push_str(text.get(broken..found.break_at).unwrap_or_default());
                out.push(BREAK);
                broken = found.break_at;
            }
        }
        if broken == 0 {
            return text;
        }
        out.push_str(text.get(broken..).unwrap_or_default());
        out
    }
}

/// Builds a [`Gate`].
#[derive(Clone, Debug)]
pub struct GateBuilder {
    gate: Gate,
}

impl GateBuilder {
    /// Sets the bound in bytes, see [`Gate::with_max_len`].
    #[must_use]
    pub fn max_len(mut self, max: usize) -> Self {
        self.gate.max = bound(max);
        self
    }

    /// Adds a phrase that no text may hold.
    ///
    /// # Errors
    /// Where the phrase could not be broken, is one too many, or would be found across the cut of
    /// a text that was too long.
    pub fn marker(mut self, phrase: &str) -> Result<Self, MarkerError> {
        let markers = self.gate.markers.to_mut();
        let known = markers.clone();
        markers.add(phrase)?;
        let starts = phrase
            .char_indices()
            .map(|(at, _)| phrase.get(..at).unwrap_or_default());
        for start in starts {
            let cut = format!("{start}{TRUNCATED}");
            if known.find(&cut, 0) != markers.find(&cut, 0) {
                return Err(MarkerError::Unbreakable);
            }
        }
        Ok(self)
    }

    /// The gate.
    pub fn build(self) -> Gate {
        self.gate
    }
}

/// The one place where untrusted text leaves its wrapper.
#[expect(clippy::disallowed_methods, reason = "the gate is the way out")]
pub(crate) fn take_out(text: Untrusted<String>) -> String {
    text.into_inner_for_sanitiser()
}

fn bound(max: usize) -> usize {
    if max == 0 {
        CleanText::MAX_BYTES
    } else {
        max.min(CleanText::MAX_BYTES)
    }
}

fn shrink_runs(text: &mut String) {
    let mut out = String::new();
    let mut copied = 0;
    for run in runs(text) {
        if copied == 0 {
            out.reserve(text.len());
        }
        out.push_str(text.get(copied..run.kept).unwrap_or_default());
        copied = run.end;
    }
    if copied > 0 {
        out.push_str(text.get(copied..).unwrap_or_default());
        *text = out;
    }
}

/// `text` within `max` bytes, [`TRUNCATED`] behind what was cut.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let suffix = if max >= TRUNCATED.len() {
        TRUNCATED
    } else {
        ""
    };
    let keep = text.floor_char_boundary(max - suffix.len());
    // A selector before the cut may have lost the keycap that it belongs to.
    let kept = text
        .get(..keep)
        .unwrap_or_default()
        .trim_end_matches(Attachment::concerns);
    Cow::Owned([kept, suffix].concat())
}
