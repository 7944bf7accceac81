//! A line of the journal: an envelope (`type`, `ts`, `seq`, `prev`) around one event.
//!
//! `seq` is the line's number in the journal, from 0, every line counted. `prev` is the SHA-256
//! in hex of the bytes of the line before it, without its line feed; `genesis` for the first
//! line. The lines of one commit, all but its last, carry `more: true`: a commit whose last line
//! is not there did not happen.

use harness_core::{CleanText, Quoted, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::event::{Event, KINDS};
use super::hash::{hex, sha256, unhex};
use super::json;
use super::link::Link;

/// What stands for `prev` in the first line.
pub const GENESIS: &str = "genesis";

/// One line of the journal, as far as it can be read.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every line is a record: a box for each would cost more than it saves"
)]
pub enum Line {
    /// A line of ours, a link of the chain.
    Chained(Record),
    /// A JSON object with a `type` but without `seq` and `prev`: another program's. The chain
    /// goes on over its bytes.
    Foreign {
        /// The byte at which the line begins.
        offset: u64,
        /// SHA-256 of its bytes without the line feed.
        digest: [u8; 32],
        /// What it says.
        value: Value,
    },
    /// A line that says nothing we can read. It is kept and reported.
    Unreadable {
        /// The byte at which the line begins.
        offset: u64,
        /// SHA-256 of its bytes without the line feed.
        digest: [u8; 32],
        /// Why, without its content.
        reason: String,
    },
}

/// A line of the chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The line's number in the journal, from 0.
    pub seq: u64,
    /// SHA-256 of the line before it; `None` for `genesis`.
    pub prev: Option<[u8; 32]>,
    /// When it was written.
    pub ts: Timestamp,
    /// Whether the commit that it belongs to goes on in the next line.
    pub more: bool,
    /// The byte at which the line begins.
    pub offset: u64,
    /// SHA-256 of its bytes without the line feed.
    pub digest: [u8; 32],
    /// What happened.
    pub body: Body,
}

/// What a line of the chain says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// An event that this version knows.
    Known(Event),
    /// A kind that this version does not know: kept and shown, changes no state.
    Unknown {
        /// The kind.
        kind: String,
        /// The whole line.
        value: Value,
    },
    /// A known kind whose fields do not read: costs this record only.
    Invalid {
        /// The kind.
        kind: String,
        /// The whole line.
        value: Value,
        /// What is wrong with it.
        reason: String,
    },
}

impl Line {
    /// The byte at which the line begins.
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Chained(record) => record.offset,
            Self::Foreign { offset, .. } | Self::Unreadable { offset, .. } => *offset,
        }
    }

    /// SHA-256 of the line's bytes without the line feed.
    pub const fn digest(&self) -> &[u8; 32] {
        match self {
            Self::Chained(record) => &record.digest,
            Self::Foreign { digest, .. } | Self::Unreadable { digest, .. } => digest,
        }
    }

    /// The record, if the line is a link of the chain.
    pub const fn record(&self) -> Option<&Record> {
        match self {
            Self::Chained(record) => Some(record),
            Self::Foreign { .. } | Self::Unreadable { .. } => None,
        }
    }

    /// The record and its event, if this version knows it.
    pub const fn event(&self) -> Option<(&Record, &Event)> {
        match self {
            Self::Chained(record) => match &record.body {
                Body::Known(event) => Some((record, event)),
                Body::Unknown { .. } | Body::Invalid { .. } => None,
            },
            Self::Foreign { .. } | Self::Unreadable { .. } => None,
        }
    }

    /// Whether the commit that the line belongs to goes on in the next line.
    pub const fn goes_on(&self) -> bool {
        matches!(self, Self::Chained(Record { more: true, .. }))
    }
}

/// Reads the line (without its line feed) that begins at byte `offset`. Never fails: what cannot
/// be read is [`Line::Unreadable`].
pub fn parse_line(bytes: &[u8], offset: u64) -> Line {
    parse_linked(bytes, offset, Link::of(bytes).as_ref())
}

/// [`parse_line`] of a line whose link is known, if it has one.
pub(crate) fn parse_linked(bytes: &[u8], offset: u64, link: Option<&Link<'_>>) -> Line {
    let digest = sha256(bytes);
    if let Some(record) = link.and_then(|link| read_ours(link, bytes, offset, digest)) {
        return Line::Chained(record);
    }
    read(bytes, offset, digest).unwrap_or_else(|reason| Line::Unreadable {
        offset,
        digest,
        reason,
    })
}

/// Reads a line as we write them, of a kind that is frequent. `None` for any other, which [`read`]
/// looks at in full. The shorter way, and the same result.
fn read_ours(link: &Link<'_>, bytes: &[u8], offset: u64, digest: [u8; 32]) -> Option<Record> {
    let kind = str::from_utf8(link.kind).ok()?;
    let event = Event::of_kind(kind, bytes).filter(|event| event.check().is_ok())?;
    Some(Record {
        seq: link.seq,
        prev: link.prev,
        ts: Timestamp::parse(str::from_utf8(link.ts).ok()?).ok()?,
        more: link.more,
        offset,
        digest,
        body: Body::Known(event),
    })
}

pub(super) fn read(bytes: &[u8], offset: u64, digest: [u8; 32]) -> Result<Line, String> {
    let value = json::parse(bytes).map_err(|error| error.to_string())?;
    let Value::Object(fields) = &value else {
        return Err("not a JSON object".to_owned());
    };
    let kind = match fields.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ => return Err("no `type`".to_owned()),
    };
    if !fields.contains_key("seq") && !fields.contains_key("prev") {
        return Ok(Line::Foreign {
            offset,
            digest,
            value,
        });
    }
    let seq = fields
        .get("seq")
        .and_then(Value::as_u64)
        .ok_or("`seq` is not a number")?;
    let prev = match fields.get("prev").and_then(Value::as_str) {
        Some(GENESIS) => None,
        Some(text) => Some(unhex(text).ok_or("`prev` is no digest")?),
        None => return Err("no `prev`".to_owned()),
    };
    let ts = fields
        .get("ts")
        .and_then(Value::as_str)
        .ok_or("no `ts`")
        .and_then(|text| Timestamp::parse(text).map_err(|_| "`ts` is no time"))?;
    let more = match fields.get("more") {
        None => false,
        Some(Value::Bool(more)) => *more,
        Some(_) => return Err("`more` is neither true nor false".to_owned()),
    };
    Ok(Line::Chained(Record {
        seq,
        prev,
        ts,
        more,
        offset,
        digest,
        body: read_body(kind, value),
    }))
}

fn read_body(kind: String, value: Value) -> Body {
    if !KINDS.contains(&kind.as_str()) {
        return Body::Unknown { kind, value };
    }
    match Event::deserialize(&value)
        .map_err(|error| error.to_string())
        .and_then(|event| event.check().map(|()| event))
    {
        Ok(event) => Body::Known(event),
        Err(reason) => Body::Invalid {
            kind,
            value,
            reason: reason_of(&reason),
        },
    }
}

/// A reason that may be shown: without line breaks or odd characters, shortened.
fn reason_of(reason: &str) -> String {
    const MAX_REASON: usize = 200;
    let short: String = reason.chars().take(MAX_REASON).collect();
    match CleanText::new(short.as_str()) {
        Ok(_) if !short.contains('\n') => short,
        _ => Quoted(reason).to_string(),
    }
}

/// The fields of the envelope of a line, as JSON: its number, the digest of the line before it, the
/// text of its time, and whether its commit goes on in the next line.
pub(crate) fn envelope(
    seq: u64,
    prev: Option<&[u8; 32]>,
    ts: &str,
    more: bool,
) -> Vec<(&'static str, String)> {
    let prev = prev.map_or_else(|| GENESIS.to_owned(), |digest| hex(digest));
    let quoted = |text: &str| ["\"", text, "\""].concat();
    let mut fields = vec![
        ("prev", quoted(&prev)),
        ("seq", seq.to_string()),
        ("ts", quoted(ts)),
    ];
    if more {
        fields.push(("more", "true".to_owned()));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OURS: &str = r#"{"prev":"genesis","seq":0,"ts":"2026-11-30T11:26:14.500145+00:00","type":"config","version":1,"workspace":"w-0"}"#;

    fn unreadable(text: &str) -> bool {
        matches!(parse_line(text.as_bytes(), 0), Line::Unreadable { .. })
    }

    #[test]
    fn a_line_of_ours_is_read_and_its_broken_twins_are_reported() {
        let line = parse_line(OURS.as_bytes(), 7);
        assert_eq!(line.offset(), 7);
        assert!(matches!(line.event(), Some((_, Event::Config(_)))));
        assert!(unreadable(&OURS.replace("\"seq\":0,", "")));
        assert!(unreadable(&OURS.replace("genesis", "genesi")));
        assert!(unreadable(&OURS.replace("2026", "20x6")));
        assert!(unreadable(&OURS.replace("\"config\"", "5")));
        assert!(unreadable(""));
        assert!(unreadable("[]"));
    }

    #[test]
    fn the_short_way_reads_what_the_long_way_reads() {
        use crate::fixture::{notice, opened, recovery, repair_end, repair_resolved, rule};
        use crate::wire::event::{NoticePosted, RuleAdd};
        use crate::wire::notice::NoticeDoc;
        let events = [
            Event::SessionOpened(opened("s")),
            Event::Recovery(recovery("s")),
            Event::Notice(Box::new(NoticePosted {
                notice: NoticeDoc::from_domain(&notice("n-1", "s", 1, "breach:coherence")),
                observe_only: false,
                turn_time: Some(Timestamp::EPOCH),
            })),
            Event::RepairNoticeResolved(repair_resolved(&["n-1"], 1)),
            Event::RepairCompleted(repair_end(&["n-1"], 1)),
            Event::RuleAdd(Box::new(RuleAdd {
                rule: rule("r-0000000001", "Look the order up first."),
                text_sha256: "0".repeat(64),
                episode: None,
            })),
        ];
        let short = |line: &[u8], digest| {
            let record = Link::of(line).and_then(|link| read_ours(&link, line, 3, digest));
            record.map(Line::Chained)
        };
        for event in events {
            let prev = sha256(b"before");
            let fields = envelope(7, Some(&prev), &Timestamp::EPOCH.to_string(), true);
            let mut line = Vec::new();
            json::enclose(&event, &fields, &mut line, &mut |_| None).unwrap();
            let digest = sha256(&line);
            let long = read(&line, 3, digest).unwrap();
            assert!(matches!(long.event(), Some((_, read)) if *read == event));
            assert_eq!(short(&line, digest), Some(long));
            // And whatever byte of it is another one.
            for at in 0..line.len() {
                let mut other = line.clone();
                other[at] ^= 1;
                let long = read(&other, 3, digest).ok();
                let short = short(&other, digest);
                assert!(short.is_none() || short == long, "byte {at}");
            }
        }
    }

    #[test]
    fn a_line_without_seq_and_prev_is_foreign() {
        let line = parse_line(br#"{"type":"health","ok":true}"#, 0);
        assert!(matches!(line, Line::Foreign { .. }));
    }

    #[test]
    fn an_unknown_kind_is_kept_and_a_wrong_type_costs_the_record() {
        let body = |text: String| match parse_line(text.as_bytes(), 0) {
            Line::Chained(record) => record.body,
            other => panic!("{other:?}"),
        };
        let unknown = body(OURS.replace("\"config\"", "\"novelty\""));
        assert!(matches!(unknown, Body::Unknown { kind, .. } if kind == "novelty"));
        let invalid = body(OURS.replace("\"version\":1", "\"version\":null"));
        assert!(matches!(invalid, Body::Invalid { .. }));
    }

    proptest! {
        #[test]
        fn any_bytes_make_a_line(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let line = parse_line(&bytes, 3);
            prop_assert_eq!(line.offset(), 3);
            prop_assert_eq!(*line.digest(), sha256(&bytes));
        }
    }
}
