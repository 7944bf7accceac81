//! The fence around a piece of data: a tag that names its source, with a nonce that its content
//! cannot know.

use std::fmt;

use harness_core::CleanText;

use crate::gate::Gate;

/// Longest name or source in a tag, in bytes.
const MAX_LABEL: usize = 256;

/// What makes one fence unlike every other: 16 bytes from the system's random source.
///
/// It is consumed by its fence, so that no two share one. Making it is the caller's part, as
/// reading anything from the system is; content must not be able to learn or guess it.
pub struct Nonce([u8; 16]);

impl Nonce {
    /// A nonce of bytes that the caller has just drawn.
    pub const fn new(random: [u8; 16]) -> Self {
        Self(random)
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Nonce(..)")
    }
}

/// Data in its fence. Not clean text: it holds our own delimiters, and may not be fenced again.
#[derive(Clone, PartialEq, Eq)]
// INVARIANT: the closing tag occurs once, at the end.
pub struct Delimited(String);

impl Delimited {
    /// The fence and what is in it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Delimited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for Delimited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Delimited({} bytes)", self.0.len())
    }
}

/// What the user of the agent said.
pub fn user_input(content: &CleanText<'_>, nonce: Nonce) -> Delimited {
    fence("user-input", &[], content, nonce)
}

/// What a tool answered, or the error it gave.
pub fn tool_result(tool: &str, content: &CleanText<'_>, nonce: Nonce) -> Delimited {
    fence("tool-result", &[("tool", tool)], content, nonce)
}

/// A document from outside: its kind (`web`, `file` …) and where it came from.
pub fn external_document(
    kind: &str,
    source: &str,
    content: &CleanText<'_>,
    nonce: Nonce,
) -> Delimited {
    fence(
        "external-document",
        &[("kind", kind), ("source", source)],
        content,
        nonce,
    )
}

/// The markers that clean text never holds include the start of both tags, so the content cannot
/// open or close a fence; the nonce is for readers that see less well than the gate.
fn fence(tag: &str, labels: &[(&str, &str)], content: &CleanText<'_>, nonce: Nonce) -> Delimited {
    let nonce: String = nonce.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let labels: String = labels
        .iter()
        .map(|(name, value)| format!(" {name}=\"{}\"", label(value)))
        .collect();
    Delimited(format!(
        "<harness-{tag} nonce=\"{nonce}\"{labels}>\n{content}\n</harness-{tag} nonce=\"{nonce}\">"
    ))
}

/// A label that cannot leave its quotes: clean, on one line, without quotes and brackets.
fn label(value: &str) -> String {
    let clean = Gate::with_max_len(MAX_LABEL).clean(value);
    let inert = |ch| match ch {
        '"' => '\'',
        '<' | '>' => '_',
        '\n' | '\t' => ' ',
        _ => ch,
    };
    clean.as_str().chars().map(inert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_names_its_source() {
        let content = CleanText::new("42").unwrap();
        assert_eq!(
            tool_result("calc\">\nx", &content, Nonce::new([0xAB; 16])).as_str(),
            format!(
                "<harness-tool-result nonce=\"{0}\" tool=\"calc'_ x\">\n42\n</harness-tool-result nonce=\"{0}\">",
                "ab".repeat(16)
            )
        );
    }
}
