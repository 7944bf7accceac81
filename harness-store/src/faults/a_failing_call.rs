//! Whatever call fails, and whether it fails once or for good: the caller is told, nothing that was
//! acknowledged is lost, and as soon as the disk works again the next write does.

use std::collections::BTreeSet;
use std::path::Path;

use harness_core::{CaseId, EvalCase};

use rustix::io::Errno;

use super::disk::{Calls, Fault};
use super::operations::{Operation, all, case};
use super::recovery::{Chain, Stage, folder};
use crate::fixture::{SOON, copy_folder, notice, opened, repair_end, repair_resolved, turn};
use crate::{Halves, Resolved, Rotation, TurnOutcome};

fn every_call_may_fail(calls: Calls, with: Errno, ways: &[(bool, usize)]) {
    for operation in all() {
        let dir = folder();
        let base = dir.path().join("base");
        drop(Stage::before(&base, &operation));
        for &(for_good, keep) in ways {
            let fault = |at| Fault {
                calls,
                at,
                for_good,
                keep,
                with,
            };
            let copy = dir.path().join("copy");
            let met = (0..).take_while(|at| strike(&operation, &base, &copy, fault(*at)));
            assert!(met.count() > 0, "{}: nothing failed", operation.name);
        }
    }
}

/// Runs the operation on a copy of `base` with one fault; says whether that fault was met.
fn strike(operation: &Operation, base: &Path, copy: &Path, fault: Fault) -> bool {
    let told = format!("{}, {fault:?}", operation.name);
    copy_folder(base, copy);
    let stage = Stage::at(copy);
    if operation.from_opening {
        stage.disk.fail(fault);
    }
    let mut acknowledged = stage.journal();
    // Cut by the opening: it was torn.
    acknowledged.truncate(
        acknowledged
            .iter()
            .rposition(|byte| *byte == b'\n')
            .unwrap()
            + 1,
    );
    let opened_halves = stage.open(operation.rotation);
    if !operation.from_opening {
        stage.disk.fail(fault);
    }
    let outcome = opened_halves.as_ref().map(|halves| (operation.run)(halves));
    let struck = stage.disk.heal();
    if let Ok(halves) = &opened_halves {
        let next = halves.watch.append(SOON, vec![opened("healed").into()]);
        assert!(next.is_ok(), "{told}: {next:?}");
        acknowledged = stage.journal();
    }
    let done = matches!(outcome, Ok(Ok(())));
    drop(opened_halves);
    let chain = if operation.is_cut {
        Chain::Cut
    } else {
        Chain::Whole
    };
    stage.recovers(operation, done, &acknowledged, chain, &told);
    drop(stage);
    std::fs::remove_dir_all(copy).unwrap();
    struck
}

#[test]
fn an_error_at_any_call_loses_nothing() {
    every_call_may_fail(Calls::All, Errno::IO, &[(false, 100)]);
}

#[test]
fn a_disk_that_fills_up_at_any_call_loses_nothing() {
    let ways = [(true, 0), (false, 100), (false, usize::MAX)];
    every_call_may_fail(Calls::Growing, Errno::NOSPC, &ways);
}

/// Nothing is live that was not acknowledged.
#[test]
fn a_case_whose_capture_failed_is_not_in_the_set() {
    let dir = folder();
    let stage = Stage::at(dir.path());
    stage.init().unwrap();
    let halves = stage.open(Rotation::default()).unwrap();
    let (mut kept, mut failed) = (BTreeSet::new(), 0);
    for at in 0.. {
        let case = EvalCase {
            id: CaseId::parse(&format!("c-{at:010}")).unwrap(),
            ..case()
        };
        stage.disk.fail(Fault {
            calls: Calls::All,
            at,
            for_good: false,
            keep: 100,
            with: Errno::IO,
        });
        let id = case.id.clone();
        let captured = halves.watch.capture_case(case);
        let struck = stage.disk.heal();
        failed += usize::from(captured.is_err());
        if captured.is_ok() {
            kept.insert(id);
        }
        let set = stage.reader().eval_set().unwrap();
        let there: BTreeSet<CaseId> = set.cases().iter().map(|case| case.id.clone()).collect();
        assert_eq!(there, kept, "{at}: {captured:?}");
        if !struck {
            break;
        }
    }
    assert!(failed > 8, "{failed}");
}

/// A commit stands although its file could not be written; what comes after it must not make the
/// store forget that.
#[test]
fn a_file_that_lags_is_written_before_anything_counts_as_settled() {
    type Then = fn(&Halves);
    let ways: [(&str, Then); 2] = [
        ("by whoever resolves another notice", |halves| {
            let (resolved, end) = (repair_resolved(&["n-1"], 1), repair_end(&["n-1"], 1));
            let done = halves.repair.resolve(SOON, resolved, end).unwrap();
            assert_eq!(done, Resolved::Done { files: Ok(()) });
        }),
        ("by whoever closes the workspace", |halves| {
            let last = halves.watch.append(SOON, vec![opened("last").into()]);
            assert!(last.is_ok(), "{last:?}");
        }),
    ];
    for (told, then) in ways {
        let dir = folder();
        let stage = Stage::at(dir.path());
        stage.init().unwrap();
        let halves = stage.open(Rotation::default()).unwrap();
        let post = |id: &str, turn_index| {
            let notices = vec![notice(id, "s", turn_index, "breach:tool_correctness")];
            let mut record = turn("s", turn_index, notices);
            record.cooldown_turns = 0;
            halves.watch.record_turn(record).unwrap()
        };
        post("n-1", 0);
        // As another process leaves it that is killed between its record and its files.
        post("n-2", 1);
        let lost = stage.file("mailbox/pending/n-2.json");
        std::fs::remove_file(&lost).unwrap();
        // And as a disk leaves it that fails where the file of a notice is to be written.
        stage.disk.fail(Fault {
            calls: Calls::Renames,
            at: 0,
            for_good: true,
            keep: 0,
            with: Errno::IO,
        });
        let failed = post("n-3", 2);
        assert!(
            matches!(&failed, TurnOutcome::Recorded { files: Err(_), .. }),
            "{failed:?}"
        );
        assert!(stage.disk.heal());
        then(&halves);
        drop(halves);
        assert!(lost.exists(), "{told}");
        assert!(stage.file("mailbox/pending/n-3.json").exists(), "{told}");
        assert!(stage.reader().audit().unwrap().ok, "{told}");
    }
}
