//! A bad message, line or document is reported with its place, and the rest is read.

use harness_traces::{Document, Limits};
use serde_json::json;

use crate::{conversation, read, read_within};

fn reports(document: &Document) -> Vec<String> {
    document
        .unreadable
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_bad_message_costs_the_message() {
    let bytes = json!([
        {"role": "user", "content": "move the box"},
        {"role": "narrator", "content": "meanwhile"},
        7,
        {"role": "tool", "tool_call_id": "9", "content": "from nowhere"},
        {"role": "assistant", "content": "done"},
    ])
    .to_string();
    let document = read(bytes.as_bytes());
    assert_eq!(document.conversations[0].turns[0].spans().len(), 1);
    assert_eq!(
        reports(&document),
        [
            "message 1: `narrator` is no role: `system`, `developer`, `user`, `assistant`, \
             `tool` or `function` was expected",
            "message 2: `message` is a number, an object was expected",
            "message 3: it is the result of no call that came before",
        ]
    );
}

#[test]
fn a_bad_line_costs_the_line() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let lines = [
        conversation("a"),
        "{\"messages\": [".into(),
        deep,
        "3".into(),
        "{\"session_id\": null}".into(),
        "{\"session_id\": \"../x\", \"messages\": []}".into(),
        conversation("b"),
    ];
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend(b"\n\"\xff\"");
    let document = read(&bytes);
    let sessions: Vec<&str> = document
        .conversations
        .iter()
        .map(|found| found.session.as_str())
        .collect();
    assert_eq!(sessions, ["a", "b"]);
    assert_eq!(
        reports(&document),
        [
            "line 2: it is not JSON (it ends too early at line 1, column 14)",
            "line 3: it is not JSON (a syntax error, a bad byte or too deep a nest at line 1, \
             column 128)",
            "line 4: `conversation` is a number, an object or a list of messages was expected",
            "line 5: `messages` is missing",
            "line 6: `../x` is no session id: a session id is 1 to 256 printable characters \
             without `/`, and `repair-` starts only the ids of repair sessions",
            "line 8: it is not JSON (a syntax error, a bad byte or too deep a nest at line 1, \
             column 2)",
        ]
    );
}

#[test]
fn a_bad_document_is_one_report() {
    for (bytes, report) in [
        ("", "document: it is empty; messages or spans were expected"),
        (
            " \n ",
            "document: it is empty; messages or spans were expected",
        ),
        (
            "not json",
            "document: it is not JSON (a syntax error, a bad byte or too deep a nest at line 1, \
             column 2)",
        ),
        (
            "[]",
            "document: it has no finished turn: a user message and what followed it was expected",
        ),
        (
            "{\"messages\": {}}",
            "document: `messages` is an object, a list was expected",
        ),
        (
            "{\"model\": 4, \"messages\": []}",
            "document: `model` is a number, a string was expected",
        ),
    ] {
        let document = read(bytes.as_bytes());
        assert_eq!(reports(&document), [report], "{bytes}");
        assert_eq!(document.conversations, []);
    }
}

#[test]
fn a_torn_protobuf_costs_what_is_torn() {
    // A list of one resource, in it one scope, in it one span that ends too early.
    let torn = [0x0a, 0x08, 0x12, 0x06, 0x12, 0x04, 0x0a, 0x7f, 0xa1, 1];
    let document = read(&torn);
    assert_eq!(
        reports(&document),
        ["document: it is no OTLP: a field is longer than what is left"]
    );
    // The same with ids instead, and nothing torn.
    let whole = [
        0x0a, 0x0a, 0x12, 0x08, 0x12, 0x06, 0x0a, 1, 0xa1, 0x12, 1, 7,
    ];
    let document = read(&whole);
    assert_eq!((document.unreadable.len(), document.spans.read()), (0, 1));
    // Text that starts with an empty line is text, however it ends.
    let reports = reports(&read(b"\n\"a box on a shelf"));
    assert!(
        reports[0].starts_with("document: it is not JSON"),
        "{reports:?}"
    );
}

#[test]
fn gzip_is_expanded_within_the_bound_of_a_document() {
    let bytes = crate::packed(conversation("s").as_bytes());
    let within = |document| {
        let limits = Limits {
            document,
            ..Limits::default()
        };
        reports(&read_within(&bytes, limits))
    };
    let size = conversation("s").len();
    assert_eq!(within(size), [""; 0]);
    assert_eq!(
        within(size - 1),
        [format!(
            "document: it is gzip that holds more than {} bytes",
            size - 1
        )]
    );
    assert_eq!(
        reports(&read(&bytes[..bytes.len() - 1])),
        ["document: it is gzip that cannot be expanded"]
    );
}

#[test]
fn a_repair_session_is_never_read_as_a_task_and_its_twin_is() {
    let refused = read(conversation("repair-00000000000000aa").as_bytes());
    assert_eq!(
        (refused.conversations.len(), refused.unreadable.len()),
        (0, 1)
    );
    let read = read(conversation("prepare-00000000000000aa").as_bytes());
    assert_eq!((read.conversations.len(), read.unreadable.len()), (1, 0));
}

#[test]
fn what_is_over_a_bound_is_reported_and_what_is_within_is_read() {
    let bytes = conversation("s");
    let of = |document, line, messages| {
        let limits = Limits {
            document,
            line,
            messages,
            ..Limits::default()
        };
        let twice = format!("{bytes}\n{bytes}");
        let document = read_within(twice.as_bytes(), limits);
        (document.conversations.len(), reports(&document))
    };
    let size = bytes.len();
    assert_eq!(of(2 * size + 1, size, 4), (2, vec![]));
    assert_eq!(
        of(2 * size, size, 4),
        (
            0,
            vec![format!(
                "document: it has {} bytes, at most {} are read",
                2 * size + 1,
                2 * size
            )]
        )
    );
    let (read, said) = of(2 * size + 1, size, 3);
    assert_eq!(read, 2);
    assert_eq!(
        said[0],
        "line 1: the conversation has 4 messages, only the first 3 are read"
    );
}

#[test]
fn reports_are_bounded_and_the_rest_is_counted() {
    let bytes = format!(
        "{}\n{}",
        conversation("s"),
        "?\n".repeat(Limits::REPORTS + 5)
    );
    let document = read(bytes.as_bytes());
    assert_eq!(document.unreadable.len(), Limits::REPORTS);
    assert_eq!(document.unreported, 5);
    assert_eq!(document.conversations.len(), 1);
}
