//! OTLP as protocol buffers: `TracesData`, or the request that carries the same to a collector.
//!
//! Field numbers are those of `opentelemetry/proto/trace/v1/trace.proto` and
//! `common/v1/common.proto`; whatever else a message holds is passed over.

use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::foreign::{ForeignSpan, time_of_nanos};
use super::shape::{self, Event, Otlp};
use super::wire::{Fields, Malformed};
use crate::unreadable::Reason;

/// Values in values that are read.
const MAX_DEPTH: usize = 8;
/// `STATUS_CODE_ERROR`.
const ERROR: u64 = 2;

/// Whether bytes that are no JSON may be OTLP: the first field of the message is its first list.
pub(crate) fn looks_like_protobuf(bytes: &[u8]) -> bool {
    matches!(
        Fields::of(bytes).next(),
        Some(Ok((1, field))) if field.bytes().is_some()
    )
}

/// Hands the spans of a document to `take`. What is malformed costs the span it is in or, where it
/// is no span's, the rest of the document.
pub(crate) fn read(
    bytes: &[u8],
    take: &mut impl FnMut(ForeignSpan),
    report: &mut impl FnMut(Reason),
) {
    let told = each(bytes, 1, &mut |resource| {
        each(resource, 2, &mut |scope| {
            each(scope, 2, &mut |message| {
                match span(message).map_err(|Malformed(problem)| Reason::Protobuf(problem)) {
                    Ok(span) => shape::checked(span, take, report),
                    Err(reason) => report(reason),
                }
                Ok(())
            })
        })
    });
    if let Err(Malformed(problem)) = told {
        report(Reason::Protobuf(problem));
    }
}

/// Goes through the messages in a repeated field.
fn each<'b>(
    message: &'b [u8],
    wanted: u64,
    with: &mut impl FnMut(&'b [u8]) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for field in Fields::of(message) {
        let (number, value) = field?;
        if let (true, Some(bytes)) = (number == wanted, value.bytes()) {
            with(bytes)?;
        }
    }
    Ok(())
}

fn span(message: &[u8]) -> Result<ForeignSpan, Malformed> {
    let mut otlp = Otlp::default();
    for field in Fields::of(message) {
        let (number, value) = field?;
        let bytes = value.bytes().unwrap_or_default();
        match number {
            1 => otlp.span.trace = hex(bytes),
            2 => otlp.span.id = hex(bytes),
            4 => otlp.span.parent = Some(hex(bytes)).filter(|id| !id.is_empty()),
            5 => otlp.span.name = value.text().unwrap_or_default(),
            7 => otlp.span.started = nanos(value),
            8 => otlp.span.ended = nanos(value),
            9 => key_value(bytes, &mut otlp.attributes)?,
            11 => otlp.events.push(event(bytes)?),
            15 => otlp.span.failure = status(bytes)?,
            _ => {}
        }
    }
    Ok(otlp.finish())
}

fn nanos(value: super::wire::Field<'_>) -> Option<harness_core::Timestamp> {
    match value {
        super::wire::Field::Fixed64(nanos) => time_of_nanos(nanos),
        _ => None,
    }
}

fn event(message: &[u8]) -> Result<Event, Malformed> {
    let mut event = Event::default();
    for field in Fields::of(message) {
        let (number, value) = field?;
        match number {
            2 => event.name = value.text().unwrap_or_default(),
            3 => key_value(value.bytes().unwrap_or_default(), &mut event.attributes)?,
            _ => {}
        }
    }
    Ok(event)
}

/// What a status says of a failure.
fn status(message: &[u8]) -> Result<Option<String>, Malformed> {
    let (mut said, mut failed) = (String::new(), false);
    for field in Fields::of(message) {
        match field? {
            (2, value) => said = value.text().unwrap_or_default(),
            (3, super::wire::Field::Varint(code)) => failed = code == ERROR,
            _ => {}
        }
    }
    Ok(failed.then_some(said))
}

fn key_value(message: &[u8], into: &mut Attributes) -> Result<(), Malformed> {
    let (name, value) = pair(message, 0)?;
    into.add(name, value);
    Ok(())
}

fn pair(message: &[u8], depth: usize) -> Result<(String, Value), Malformed> {
    let (mut name, mut value) = (String::new(), Value::Null);
    for field in Fields::of(message) {
        match field? {
            (1, field) => name = field.text().unwrap_or_default(),
            (2, field) => value = any_value(field.bytes().unwrap_or_default(), depth)?,
            _ => {}
        }
    }
    Ok((name, value))
}

fn any_value(message: &[u8], depth: usize) -> Result<Value, Malformed> {
    use super::wire::Field;
    if depth >= MAX_DEPTH {
        return Err(Malformed("values lie too deep in values"));
    }
    let mut value = Value::Null;
    for field in Fields::of(message) {
        value = match field? {
            (1, field) => field.text().map_or(Value::Null, Value::from),
            (2, Field::Varint(flag)) => Value::from(flag != 0),
            (3, Field::Varint(number)) => Value::from(number.cast_signed()),
            (4, Field::Fixed64(bits)) => Value::from(f64::from_bits(bits)),
            (5, Field::Bytes(list)) => {
                let mut values = Vec::new();
                each(list, 1, &mut |inner| {
                    values.push(any_value(inner, depth + 1)?);
                    Ok(())
                })?;
                Value::from(values)
            }
            (6, Field::Bytes(list)) => {
                let mut fields = Map::new();
                each(list, 1, &mut |inner| {
                    let (name, value) = pair(inner, depth + 1)?;
                    fields.insert(name, value);
                    Ok(())
                })?;
                Value::from(fields)
            }
            // Raw bytes are no text of an agent's.
            _ => value,
        };
    }
    Ok(value)
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .take(super::foreign::MAX_ID)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
