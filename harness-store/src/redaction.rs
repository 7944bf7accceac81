//! The one way to bytes on disk: every text of every record is redacted on it. Only the names that
//! the program itself gives its fields and variants go as they are.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use harness_sanitize::Redactor;
use serde::Serialize;

use crate::error::StoreError;
use crate::wire::json::{self, Envelope, JsonError, Texts};

/// Short texts that are remembered to hold no secret.
const MAX_REMEMBERED: usize = 1024;
/// Bytes of a text that is remembered, at most.
const MAX_SHORT: usize = 64;

/// Turns values into bytes without secrets.
#[derive(Clone, Debug)]
pub(crate) struct Sink {
    redactor: Arc<Redactor>,
    clean: Arc<Clean>,
}

/// Texts in which the redactor found nothing. It finds the same in the same text, and records are
/// made of the same keys, names and ids again and again.
#[derive(Default)]
struct Clean(Mutex<HashSet<String>>);

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clean(..)")
    }
}

impl Sink {
    pub(crate) fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            clean: Arc::default(),
        }
    }

    /// One line, line feed included.
    pub(crate) fn line<T: Serialize>(&self, value: &T) -> Result<Vec<u8>, StoreError> {
        self.asked(|texts| json::line(value, texts))
    }

    /// A document for people.
    pub(crate) fn document<T: Serialize>(&self, value: &T) -> Result<Vec<u8>, StoreError> {
        self.asked(|texts| json::document(value, texts))
    }

    /// A text for people.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor.redact(text)
    }

    /// A record at the end of `out`, without a line feed. The fields of its envelope are none of
    /// anybody's texts.
    pub(crate) fn record<T: Serialize>(
        &self,
        record: &T,
        envelope: Envelope<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        self.asked(|texts| json::enclose(record, envelope, out, texts))
    }

    /// Every text and every key on its way to a file is asked for here.
    fn asked<T>(
        &self,
        write: impl FnOnce(Texts<'_>) -> Result<T, JsonError>,
    ) -> Result<T, StoreError> {
        let mut clean = self.clean.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = write(&mut |text| self.redacted(text, &mut clean));
        written.map_err(|error| StoreError::Unwritable {
            reason: error.to_string(),
        })
    }

    /// What is to stand in the place of `text`; `None` if it holds no secret.
    fn redacted(&self, text: &str, clean: &mut HashSet<String>) -> Option<String> {
        if clean.contains(text) {
            return None;
        }
        if let Cow::Owned(redacted) = self.redactor.redact(text) {
            return Some(redacted);
        }
        if text.len() <= MAX_SHORT {
            if clean.len() >= MAX_REMEMBERED {
                clean.clear();
            }
            clean.insert(text.to_owned());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_changes_nothing_that_is_written() {
        let secret = ("API_TOKEN".to_owned(), "zebra-quartz-91".to_owned());
        let sink = Sink::new(Arc::new(Redactor::with_values([secret])));
        let text = |at: usize| match at % 3 {
            0 => "zebra-quartz-91".to_owned(),
            1 => format!("s-{at}"),
            _ => "session".to_owned(),
        };
        for at in 0..3 * MAX_REMEMBERED {
            let text = text(at);
            let line = sink.line(&[text.as_str(), text.as_str()]).unwrap();
            let alone = sink.text(&text);
            assert_eq!(line, json::to_line(&[&alone, &alone]).unwrap());
            assert!(!line.windows(12).any(|part| part == b"zebra-quartz"));
        }
        let held = sink.clean.0.lock().unwrap();
        assert!(held.len() <= MAX_REMEMBERED && held.contains("session"));
        assert!(!held.iter().any(|text| text.contains("zebra")));
    }
}
