//! A secret that the redactor knows is in no file, whatever way it came.

use std::path::Path;
use std::sync::Arc;

use harness_core::{CaseId, CaseKind, EvalCase};
use harness_sanitize::Redactor;
use harness_store::wire::event::ScopeIndexRegenerated;
use harness_store::{Capture, OpenOptions, Projection, Tx, ValidationEvent, Workspace};

use crate::fixture::{Place, SOON, clean, metric, notice, opened, rule, session, start, turn};

const CANARY: &str = "kq7Zr0cVwX2pLmN8sT4y";

fn holds_canary(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holds_canary(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            if bytes
                .windows(CANARY.len())
                .any(|window| window == CANARY.as_bytes())
            {
                found.push(path);
            }
        }
    }
    found
}

fn fill(place: &Place, options: OpenOptions) -> Capture {
    let halves = Workspace::open(&place.paths, options).unwrap();
    halves.watch.open_session(opened("s")).unwrap();
    let mut posted = notice("n-1", "s", 0, "breach:tool_correctness");
    posted.summary = clean(&format!("it used {CANARY} as the key"));
    posted.task_summary = Some(clean(CANARY));
    halves
        .watch
        .record_turn(turn("s", 0, vec![posted]))
        .unwrap();
    let said = format!("say {CANARY} twice");
    let text = rule("r-1", &said);
    let project = move |tx: &mut Tx<'_, ValidationEvent>| {
        let index = ScopeIndexRegenerated {
            path: said.clone(),
            scopes: Vec::new(),
            mismatched: Vec::new(),
        };
        tx.commit(vec![index.into()])?;
        tx.project(&[
            Projection::AppendRules(vec![text.clone()]),
            Projection::Guide(said.clone()),
            Projection::Scope(text.scope, said),
        ])
    };
    halves.validation.commit(SOON, project).unwrap().unwrap();
    let case = EvalCase {
        id: CaseId::parse("c-1").unwrap(),
        created_at: start(),
        session: session("s"),
        kind: CaseKind::Failure,
        signatures: Vec::new(),
        baseline: vec![(metric("coherence"), harness_core::Score::ONE)],
        replay_input: Some(clean(&format!("log in with {CANARY}"))),
        notes: clean(CANARY),
    };
    halves.watch.capture_case(case).unwrap()
}

#[test]
fn a_known_value_is_in_no_file() {
    let place = Place::new();
    let values = [("API_TOKEN".to_owned(), CANARY.to_owned())];
    let options = OpenOptions {
        redactor: Arc::new(Redactor::with_values(values)),
        ..Place::options()
    };
    let capture = fill(&place, options);
    assert_eq!(
        holds_canary(&place.paths.root),
        Vec::<std::path::PathBuf>::new()
    );
    let pending = std::fs::read_to_string(place.file("mailbox/pending/n-1.json")).unwrap();
    assert!(pending.contains("[REDACTED"), "{pending}");
    assert!(
        matches!(
            capture,
            Capture::Kept {
                replayable: false,
                ..
            }
        ),
        "a case whose input was cut is not replayable: {capture:?}"
    );
    let report = place.reader().audit().unwrap();
    assert!(report.ok, "{:?}", report.breaks);
}

#[test]
fn the_same_text_without_a_known_value_is_kept() {
    let place = Place::new();
    let capture = fill(&place, Place::options());
    assert_eq!(holds_canary(&place.paths.root).len(), 6);
    assert!(matches!(
        capture,
        Capture::Kept {
            replayable: true,
            ..
        }
    ));
}
