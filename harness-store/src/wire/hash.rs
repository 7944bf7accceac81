//! SHA-256, its hex spelling, and the digest by which a turn is known.

use harness_core::{Arguments, SpanStatus, Trace, TurnPayload};
use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of `bytes`, in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
    }
    out
}

/// Reads 64 lower-case hex digits; anything else is `None`.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    undigest(text.as_bytes().as_array()?)
}

/// [`unhex`] of bytes. Without a branch a digit, so that a processor does many at once.
pub(crate) fn undigest(digits: &[u8; 64]) -> Option<[u8; 32]> {
    let mut values = *digits;
    let mut odd = false;
    for value in &mut values {
        let (number, letter) = (value.wrapping_sub(b'0'), value.wrapping_sub(b'a'));
        odd |= (number > 9) & (letter > 5);
        *value = if number > 9 {
            letter.wrapping_add(10)
        } else {
            number
        };
    }
    let mut out = [0; 32];
    for (byte, [high, low]) in out.iter_mut().zip(values.as_chunks().0) {
        *byte = high << 4 | low;
    }
    (!odd).then_some(out)
}

/// The digest of a finished turn: SHA-256 over its session, its index and the whole trace, each
/// field behind its length, so that no two turns have one spelling. What the host says about the
/// turn (hints, summary, labels) is not part of it.
pub fn turn_digest(turn: &TurnPayload) -> [u8; 32] {
    let mut spelling = Spelling(Sha256::new());
    spelling.text("harness turn 1");
    spelling.text(turn.session.as_str());
    spelling.number(u64::from(turn.index));
    spell_trace(&mut spelling, &turn.trace);
    spelling.0.finalize().into()
}

fn spell_trace(spelling: &mut Spelling, trace: &Trace) {
    spelling.text(trace.id().as_str());
    spelling.text(trace.request().as_str());
    spelling.length(trace.dropped());
    spelling.length(trace.spans().len());
    for span in trace.spans() {
        spelling.text(span.kind.as_str());
        spelling.text(span.name.as_str());
        spelling.text(span.speaker.as_str());
        match &span.arguments {
            Arguments::Leaves(leaves) => {
                spelling.text("leaves");
                spelling.length(leaves.len());
                for leaf in leaves {
                    spelling.text(leaf.path.as_str());
                    spelling.text(leaf.value.as_str());
                }
            }
            Arguments::Unreadable(text) => {
                spelling.text("unreadable");
                spelling.text(text.as_str());
            }
        }
        spelling.text(span.output.as_str());
        spelling.text(match span.status {
            SpanStatus::Ok => "ok",
            SpanStatus::Unknown => "unknown",
            SpanStatus::Failed(class) => class.as_str(),
        });
        for time in [span.started_at, span.ended_at] {
            spelling.text(&time.map(|at| at.to_string()).unwrap_or_default());
        }
        spelling.text(&span.tokens.map(|n| n.to_string()).unwrap_or_default());
    }
}

/// A hash over fields, each behind its length.
struct Spelling(Sha256);

impl Spelling {
    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.update(text.as_bytes());
    }

    fn length(&mut self, length: usize) {
        self.number(length as u64);
    }

    fn number(&mut self, number: u64) {
        self.0.update(number.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_core::{CleanText, Origin, SessionId, TraceId};

    #[test]
    fn hex_reads_what_it_writes() {
        let digest = sha256(b"abc");
        assert!(hex(&digest).starts_with("ba7816bf8f01cfea"));
        assert_eq!(unhex(&hex(&digest)), Some(digest));
        for bad in ["", "ab", &"g".repeat(64), &"A".repeat(64), &"0".repeat(65)] {
            assert_eq!(unhex(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_turn_is_known_by_session_index_and_trace() {
        let turn = |session: &str, index, request: &str| {
            let trace = Trace::new(
                TraceId::parse("t").unwrap(),
                CleanText::new(request.to_owned()).unwrap(),
                Vec::new(),
            );
            let session = SessionId::parse(session).unwrap();
            TurnPayload::new(session, index, Origin::Live, trace)
        };
        let one = turn_digest(&turn("s", 0, "hello"));
        let mut same = turn("s", 0, "hello");
        same.origin = Origin::Recorded;
        assert_eq!(one, turn_digest(&same));
        assert_ne!(one, turn_digest(&turn("s", 1, "hello")));
        assert_ne!(one, turn_digest(&turn("sh", 0, "ello")));
        assert_ne!(one, turn_digest(&turn("s", 0, "hello!")));
    }
}
