//! What a tool answered, as a model may read it: redacted, cleaned, cut, fenced, and with a
//! warning where it speaks to a model.

use std::borrow::Cow;

use harness_core::{CleanString, CleanText};
use harness_sanitize::{
    FindingKind, Gate, Intake, Level, Nonce, Quarantine, Quarantined, TRUNCATED, tool_result,
};
use harness_store::wire::event::Digest;
use harness_store::wire::sha256_hex;

use crate::session::RandomError;

/// Bytes of an answer that are looked at. What is behind never reaches a model.
const MAX_READ: usize = 262_144;
/// Bytes at the end of what is looked at that are not shown: a secret may have been cut there.
const MARGIN: usize = 16_384;
/// Bytes of an answer that the audit keeps.
pub(crate) const MAX_AUDITED: usize = 8192;

/// What stands in place of an answer that cannot be fenced.
const WITHHELD: &str = "The tool ran, and its answer cannot be shown.";

/// What follows an answer that was cut.
const ADVICE: &str = "Only the start of the result is shown. Ask for the rest in parts: a later \
offset with a limit, or a narrower question.";

/// A tool's answer or error in its fence. Every word of it is untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    said: CleanString,
    fenced: String,
    warning: Option<&'static str>,
    advice: Option<&'static str>,
    flags: Vec<FindingKind>,
    level: Option<Level>,
}

impl ToolAnswer {
    /// The answer in its fence.
    pub fn fenced(&self) -> &str {
        &self.fenced
    }

    /// What stands in the fence: for a report of the turn. A model is given [`ToolAnswer::text`].
    pub const fn said(&self) -> &CleanString {
        &self.said
    }

    /// What must stand right behind it, where something was found in it: in the same message, or
    /// in a user's message of its own. It is never left out.
    pub const fn warning(&self) -> Option<&'static str> {
        self.warning
    }

    /// What was found in it.
    pub fn flags(&self) -> &[FindingKind] {
        &self.flags
    }

    /// How to get the rest of an answer that was cut.
    pub const fn advice(&self) -> Option<&'static str> {
        self.advice
    }

    /// All of it, in the order in which it must stand.
    pub fn text(&self) -> String {
        let mut text = self.fenced.clone();
        for more in [self.warning, self.advice].into_iter().flatten() {
            text.push_str("\n\n");
            text.push_str(more);
        }
        text
    }

    pub(crate) const fn level(&self) -> Option<Level> {
        self.level
    }
}

/// What the audit keeps of an answer.
pub(crate) struct Audited {
    pub(crate) content: Digest,
    pub(crate) start: CleanString,
}

/// What is told of an answer that cannot be fenced: without a nonce there is no fence, and without a
/// fence no answer.
pub(crate) fn withheld(said: &str) -> (ToolAnswer, Audited) {
    let answer = ToolAnswer {
        said: CleanText::empty(),
        fenced: WITHHELD.to_owned(),
        warning: None,
        advice: None,
        flags: Vec::new(),
        level: None,
    };
    let audited = Audited {
        content: digest(said),
        start: CleanText::empty(),
    };
    (answer, audited)
}

/// A text by its hash and size.
pub(crate) fn digest(text: &str) -> Digest {
    Digest {
        sha256: sha256_hex(text.as_bytes()),
        bytes: text.len() as u64,
    }
}

/// Prepares what `tool` answered, with at most `max` bytes of it shown.
pub(crate) fn prepare(
    intake: &Intake,
    tool: &str,
    said: &str,
    max: usize,
) -> Result<(ToolAnswer, Audited), RandomError> {
    let read = said
        .get(..said.floor_char_boundary(MAX_READ))
        .unwrap_or_default();
    let whole = read.len() == said.len();
    let read: Cow<'_, str> = if whole {
        Cow::Borrowed(read)
    } else {
        // Redact, then cut: half a secret would not be recognised.
        let redacted = intake.redactor().redact(read);
        let shown = redacted.floor_char_boundary(redacted.len().saturating_sub(MARGIN));
        Cow::Owned(redacted.get(..shown).unwrap_or_default().to_owned())
    };
    let clean = intake.text(&read, max);
    let cut = !whole || (read.len() > max && clean.as_str().ends_with(TRUNCATED));
    let (warning, flags, level) = flagged(intake.gate(), tool, &read, &clean)?;
    let fenced = tool_result(tool, &clean, nonce()?).as_str().to_owned();
    let audited = Audited {
        content: digest(said),
        start: intake
            .gate()
            .limited(MAX_AUDITED)
            .clean(clean.as_str())
            .into_owned(),
    };
    let answer = ToolAnswer {
        said: clean.into_owned(),
        fenced,
        warning,
        advice: cut.then_some(ADVICE),
        flags,
        level,
    };
    Ok((answer, audited))
}

type Found = (Option<&'static str>, Vec<FindingKind>, Option<Level>);

/// What speaks to a model, in the text as it came and as it is shown: stripping can join what was
/// apart.
fn flagged(
    gate: &Gate,
    tool: &str,
    read: &str,
    clean: &CleanText<'_>,
) -> Result<Found, RandomError> {
    let quarantine = Quarantine::new(gate.clone());
    let mut found: Found = (None, Vec::new(), None);
    let texts = [Some(read), (read != clean.as_str()).then(|| clean.as_str())];
    for text in texts.into_iter().flatten() {
        if let Quarantined::Flagged(flagged) = quarantine.guard(text, tool, nonce()?) {
            found.0 = Some(flagged.warning());
            found
                .1
                .extend(flagged.findings().iter().map(|finding| finding.kind));
            found.2 = found.2.max(Some(flagged.level()));
        }
    }
    found.1.sort_unstable();
    found.1.dedup();
    Ok(found)
}

fn nonce() -> Result<Nonce, RandomError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| RandomError)?;
    Ok(Nonce::new(bytes))
}
