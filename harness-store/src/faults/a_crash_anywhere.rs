//! Wherever a machine stops, and whatever of the writes that were not synced it forgets or keeps in
//! part: what was acknowledged is there, nothing is half done, and the next write works.

use super::diary::Diary;
use super::operations::{PLAIN, all};
use super::recovery::{Chain, Stage, folder};

#[test]
fn every_operation_recovers_from_every_state_of_the_disk() {
    for operation in all() {
        let dir = folder();
        let folder = dir.path().join("run");
        let stage = Stage::before(&folder, &operation);
        let before = stage.journal();
        if operation.from_opening {
            stage.disk.keep_diary(Diary::of(&folder));
        }
        let halves = stage.open(operation.rotation).unwrap();
        if !operation.from_opening {
            stage.disk.keep_diary(Diary::of(&folder));
        }
        (operation.run)(&halves).unwrap();
        stage.disk.mark();
        let after = stage.journal();
        drop(halves);
        let diary = stage.disk.take_diary();
        let marked = diary.marked().unwrap();
        let whole_lines = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let chain = if operation.is_cut {
            Chain::Cut
        } else {
            Chain::PerhapsBehind
        };
        let mut states = 0;
        for found in diary.states() {
            let told = format!("{}, {}", operation.name, found.told());
            let place = dir.path().join("found");
            found.put(&place);
            let stage = Stage::at(&place);
            let is_acknowledged = found.made >= marked;
            let acknowledged = if is_acknowledged {
                &after[..]
            } else {
                &before[..whole_lines]
            };
            stage.recovers(&operation, is_acknowledged, acknowledged, chain, &told);
            std::fs::remove_dir_all(place).unwrap();
            states += 1;
        }
        assert!(states > 8, "{}: {states}", operation.name);
    }
}

#[test]
fn a_workspace_that_was_not_finished_is_completed() {
    let dir = folder();
    let folder = dir.path().join("run");
    for name in ["root", "config"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    let stage = Stage::at(&folder);
    stage.disk.keep_diary(Diary::of(&folder));
    stage.init().unwrap();
    stage.disk.mark();
    let after = stage.journal();
    let diary = stage.disk.take_diary();
    let marked = diary.marked().unwrap();
    for found in diary.states() {
        let place = dir.path().join("found");
        found.put(&place);
        let stage = Stage::at(&place);
        stage.init().unwrap();
        let acknowledged = if found.made >= marked {
            &after[..]
        } else {
            &[]
        };
        stage.recovers(
            &PLAIN,
            true,
            acknowledged,
            Chain::PerhapsBehind,
            &found.told(),
        );
        std::fs::remove_dir_all(place).unwrap();
    }
}
