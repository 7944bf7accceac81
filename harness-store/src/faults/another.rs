//! A small workspace of 0.9, with something of everything that is taken over.

use std::path::Path;
use std::sync::LazyLock;

use harness_core::NoticeId;
use harness_sanitize::{Gate, Intake, Redactor};

use super::recovery::{Stage, folder};
use crate::fixture::session;
use crate::wire::Event;
use crate::{Mailbox, Original};

/// Its files.
const FILES: [(&str, &str); 7] = [
    (
        "rules.jsonl",
        r#"{"id":"r-00000000aa","created_at":"2026-11-30T09:00:00.000000+00:00","rule":"Look the order up by its id first.","rationale":"it was so","status":"active","tags":["orders"],"scope":"orders","applicability":"topical","failure_signatures":["breach:tool_correctness"]}
"#,
    ),
    (
        "mailbox/pending/n-8.json",
        r#"{"id":"n-8","status":"pending",
"created_at":"2026-11-30T09:00:00.000000+00:00","session_id":"of-09","turn_index":1,"severity":"breach",
"metrics":[],"flagged_traces":[],"summary":"three calls failed","signatures":["breach:tool_correctness"]}"#,
    ),
    (
        "mailbox/processed/n-9.json",
        r#"{"id":"n-9","status":"acknowledged",
"created_at":"2026-11-30T09:00:00.000000+00:00","session_id":"of-09","turn_index":2,"severity":"trend",
"metrics":[],"flagged_traces":[],"summary":"no gain","signatures":["stall:coherence"],
"resolution":{"acked_at":"2026-11-30T09:01:00.000000+00:00","rule_id":null,"note":null,"kind":"no_proposal"}}"#,
    ),
    (
        "traces/n-8.json",
        r#"{"session_id":"of-09","turn_index":1,"any_breach":true}"#,
    ),
    (
        "evalset/c-0000000008.json",
        r#"{"id":"c-0000000008","kind":"win",
"created_at":"2026-11-30T09:00:00.000000+00:00","session_id":"of-09","signature":[],
"baseline_scores":{"task_completion":0.9},"replay_input":null,"notes":"kept"}"#,
    ),
    (
        "state/score_history.json",
        r#"{"of-09::coherence":{"gate":{"peak":0.8,"turns_since_gain":2},
"series":[{"value":0.8,"ts":"2026-11-30T09:00:00.000000+00:00","run_id":null}]}}"#,
    ),
    (
        "scope_metadata.json",
        r#"{"orders":{"description":"Orders and deliveries.","source":"host"}}"#,
    ),
];

/// What is read of it.
pub(super) fn original() -> Original {
    /// The gate and its patterns take longer to build than all the rest.
    static ORIGINAL: LazyLock<Original> = LazyLock::new(|| {
        let folder = folder();
        lay_out(folder.path());
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let original = Original::read(folder.path(), &intake).unwrap();
        assert_eq!(original.unread(), []);
        original
    });
    ORIGINAL.clone()
}

/// Writes its files into a folder.
pub(super) fn lay_out(folder: &Path) {
    for (path, text) in FILES {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Fails unless all of it is here.
pub(super) fn was_taken_over(stage: &Stage) {
    let reader = stage.reader();
    let imports = stage.place.lines();
    let imports = imports
        .iter()
        .filter(|line| matches!(line.event(), Some((_, Event::RuleImport(_)))));
    assert_eq!(imports.count(), 1);
    let mut mailbox = reader.follow(Mailbox::default());
    mailbox.refresh().unwrap();
    let (mailbox, id) = (mailbox.get(), |id| NoticeId::parse(id).unwrap());
    assert!(mailbox.get(&id("n-8")).is_some() && mailbox.is_resolved(&id("n-9")));
    for path in ["traces/n-8.json", "scope_metadata.json"] {
        assert!(stage.file(path).exists(), "{path}");
    }
    assert_eq!(reader.eval_set().unwrap().cases().len(), 1);
    assert!(reader.scores().unwrap().get(&session("of-09")).is_some());
}
