//! Everything that leaves the binary: redacted, and in one of two forms.
//!
//! Text is for people, with colour only on a terminal. JSON is for programs: one document on
//! stdout, ASCII, keys sorted, and nothing else there. Diagnostics go to stderr.
//!
//! Text is redacted as it is written, line by line. JSON is redacted text by text before it is
//! written: a hash behind a word like `key` is what a verdict reveals, and no secret.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Stdout, Write as _};

use harness_sanitize::{Redacted, Redactor, SecretKind, secret_shaped_name};
use harness_store::wire::json;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::environment::Environment;

/// What the operator wants to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Emphasis, where there is a terminal that can show it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style(bool);

impl Style {
    /// A heading.
    pub(crate) fn heading(self, text: impl Display) -> String {
        self.wrap("1", text)
    }

    /// Something good.
    pub(crate) fn good(self, text: impl Display) -> String {
        self.wrap("32", text)
    }

    /// Something bad.
    pub(crate) fn bad(self, text: impl Display) -> String {
        self.wrap("31", text)
    }

    fn wrap(self, code: &str, text: impl Display) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }
}

/// Standard output.
pub(crate) struct Output<'a> {
    /// Text goes through here. It holds nothing but a line that is unfinished or may go on in the next.
    to: Redacted<'a, Stdout>,
    redactor: &'a Redactor,
    format: Format,
    style: Style,
}

impl<'a> Output<'a> {
    /// Output in this form.
    pub(crate) fn new(environment: &'a Environment, format: Format) -> Self {
        let stdout = io::stdout();
        let style = Style(environment.wants_colour() && stdout.is_terminal());
        Self {
            to: environment.redactor().writer(stdout),
            redactor: environment.redactor(),
            format,
            style,
        }
    }

    /// Whether programs read this.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Emphasis.
    pub(crate) const fn style(&self) -> Style {
        self.style
    }

    /// A line of text.
    ///
    /// # Errors
    /// Of the pipe behind.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.to, "{text}")
    }

    /// A JSON value on a line of its own.
    ///
    /// # Errors
    /// Of the pipe behind.
    pub(crate) fn json(&mut self, value: &Value) -> io::Result<()> {
        let mut line = json::compact(&redacted(value, self.redactor));
        line.push(b'\n');
        io::stdout().write_all(&line)
    }

    /// The writer itself, for commands that filter a stream.
    pub(crate) const fn stream(&mut self) -> &mut Redacted<'a, Stdout> {
        &mut self.to
    }

    /// Passes on what has been written so far.
    ///
    /// # Errors
    /// Of the pipe behind.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Writes what is held back. Without this, half a line is lost.
    ///
    /// # Errors
    /// Of the pipe behind.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.to.finish().map(drop)
    }
}

/// A value without secrets: each text redacted by itself, and whole where its name is that of a
/// secret.
fn redacted(value: &Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => redactor.redact(text).into_owned().into(),
        Value::Array(items) => items.iter().map(|item| redacted(item, redactor)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::String(text) if !text.is_empty() && secret_shaped_name(name) => {
                        format!("[REDACTED:{}]", SecretKind::ASSIGNED.name()).into()
                    }
                    value => redacted(value, redactor),
                };
                (redactor.redact(name).into_owned(), value)
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A line to stderr, redacted. That stderr is gone is no reason to stop.
pub(crate) fn complain(redactor: &Redactor, text: impl Display) {
    let mut to = redactor.writer(io::stderr());
    let _ = writeln!(to, "{text}");
    let _ = to.finish();
}

/// A bar on stderr for `total` steps of long work; invisible unless stderr is a terminal.
pub(crate) fn progress(total: u64, what: &'static str) -> ProgressBar {
    let bar = if io::stderr().is_terminal() {
        ProgressBar::new(total)
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    bar.with_message(what)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_redacted_text_by_text_and_by_name() {
        let redactor = Redactor::patterns_only();
        let token = "ghp_a8Kd03mZq71LxVbT5uWcY2NfR9sHgJ4eP6iO";
        let value = json!({
            "list": [format!("see {token}"), 7],
            "password": "hunter2",
            token: true,
        });
        let shown = json!({
            "list": ["see [REDACTED:github-token]", 7],
            "password": "[REDACTED:assigned]",
            "[REDACTED:github-token]": true,
        });
        assert_eq!(redacted(&value, &redactor), shown);
    }

    #[test]
    fn a_revealed_key_is_shown() {
        let value =
            json!({ "key": "0608139d9a6557ba00c0d4f07860e6bf0e8bc718c460ef51f0175e5e2be3664e" });
        assert_eq!(redacted(&value, &Redactor::patterns_only()), value);
    }
}
