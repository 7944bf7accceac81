//! A failure becomes an eval case only where the host wants that; a win is the host's to name.

use std::sync::Arc;

use harness_core::{CaseKind, Origin, TurnPayload};
use harness_engine::{Capture, Config, Harness, Setup};

use crate::a_failure_becomes_a_candidate::LastCallWorked;
use crate::world::{World, clean, events, failing, fine, session};

fn open(world: &World, capture_eval_cases: bool, observe_only: bool) -> Harness {
    Harness::open(Setup {
        verifier: Some(Arc::new(LastCallWorked)),
        config: Config {
            capture_eval_cases,
            observe_only,
            ..Config::default()
        },
        ..world.setup()
    })
    .unwrap()
}

fn replayable(turn: TurnPayload, input: &str) -> TurnPayload {
    TurnPayload {
        replay_input: Some(clean(input)),
        ..turn
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_breach_is_kept_where_that_is_wanted_and_nowhere_else() {
    for (wanted, observe_only) in [(true, false), (false, false), (true, true)] {
        let world = World::new();
        let harness = open(&world, wanted, observe_only);
        let _ = harness.record_turn(fine("a", 0, Origin::Live));
        let _ = harness.settle(&session("a")).await;
        let turn = replayable(failing("s", 0, Origin::Live), "sum march");
        let _ = harness.record_turn(turn);
        assert_eq!(harness.settle(&session("s")).await.alerts, 1);
        let set = harness.reader().eval_set().unwrap();
        let kept = events(&world, "evalset_capture");
        if !wanted || observe_only {
            assert_eq!((set.cases(), kept.len()), (&[][..], 0));
            continue;
        }
        let [case] = set.cases() else {
            panic!("{set:?}");
        };
        assert_eq!(
            (case.kind, &case.session),
            (CaseKind::Failure, &session("s"))
        );
        assert_eq!(case.replay_input, Some(clean("sum march")));
        assert!(!case.signatures.is_empty() && !case.baseline.is_empty());
        assert_eq!(kept[0]["id"], case.id.as_str());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_win_is_kept_and_one_with_a_secret_cannot_be_replayed() {
    let world = World::new();
    let harness = open(&world, false, false);
    let plain = replayable(fine("s", 0, Origin::Live), "sum march");
    let kept = harness.capture_win(plain).await.unwrap();
    assert!(
        matches!(
            kept,
            Capture::Kept {
                replayable: true,
                ..
            }
        ),
        "{kept:?}"
    );
    let secret = format!("log in with ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let secret = replayable(fine("t", 0, Origin::Live), &secret);
    let kept = harness.capture_win(secret).await.unwrap();
    assert!(
        matches!(
            kept,
            Capture::Kept {
                replayable: false,
                ..
            }
        ),
        "{kept:?}"
    );
    let set = harness.reader().eval_set().unwrap();
    assert!(set.cases().iter().all(|case| case.kind == CaseKind::Win));
    assert_eq!(set.cases().len(), 2);
    assert!(events(&world, "notice").is_empty());
}
