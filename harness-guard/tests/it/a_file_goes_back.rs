//! A file goes back as it was before the session, if it is still as a call left it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use harness_guard::{Answer, Ask, FileRollback, Guard, RolledBack, StartError};

use crate::world::{World, ctx, ran, write};

async fn guard(world: &World) -> Guard {
    let mut setup = world.setup();
    setup.rollback = Some(FileRollback::new(world.place.path()).unwrap());
    Guard::start(setup).await.unwrap()
}

async fn change(guard: &Guard, path: &str, content: &str) {
    let outcome = guard.call(&ctx(), write(path, content)).await;
    assert!(ran(&outcome), "{path}: {outcome:?}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn bytes_mode_and_absence_come_back_and_are_counted() {
    let world = World::new();
    let bytes = [0u8, 159, 146, 150, 10];
    let path = world.work().join("raw.bin");
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    world.write("same.txt", "same");
    world.write("other.txt", "untouched");
    let guard = guard(&world).await;
    change(&guard, "raw.bin", "one").await;
    change(&guard, "raw.bin", "two").await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    change(&guard, "same.txt", "same").await;
    change(&guard, "new/file.txt", "new").await;
    let done = guard.end().await.unwrap().rolled_back.unwrap();
    let expected = RolledBack {
        restored: vec!["new/file.txt".to_owned(), "raw.bin".to_owned()],
        ..RolledBack::default()
    };
    assert_eq!(done, expected);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(mode(&path), 0o640);
    assert!(!world.work().join("new/file.txt").exists());
    assert_eq!(world.read("same.txt"), "same");
    assert_eq!(world.read("other.txt"), "untouched");
    let event = &world.audit.of("rollback")[0];
    assert_eq!((&event["restored"], &event["kept"]), (&2.into(), &0.into()));
    assert_eq!(world.person.asked().last().unwrap(), &[Ask::Rollback]);
}

#[tokio::test]
async fn a_later_edit_of_the_users_stays() {
    let world = World::new();
    for name in ["edited.txt", "removed.txt", "between.txt", "ours.txt"] {
        world.write(name, "original");
    }
    let guard = guard(&world).await;
    for name in [
        "edited.txt",
        "removed.txt",
        "between.txt",
        "ours.txt",
        "made.txt",
    ] {
        change(&guard, name, "the agent's").await;
    }
    world.write("edited.txt", "the user's");
    fs::remove_file(world.work().join("removed.txt")).unwrap();
    world.write("made.txt", "the user's");
    // The user edits, and then the agent once more: the way back ends at the user's edit.
    world.write("between.txt", "the user's");
    change(&guard, "between.txt", "the agent's, again").await;
    let done = guard.end().await.unwrap().rolled_back.unwrap();
    assert_eq!(done.kept, ["edited.txt", "made.txt", "removed.txt"]);
    assert_eq!(done.restored, ["between.txt", "ours.txt"]);
    assert_eq!(world.read("edited.txt"), "the user's");
    assert_eq!(world.read("made.txt"), "the user's");
    assert_eq!(world.read("between.txt"), "the user's");
    assert_eq!(world.read("ours.txt"), "original");
    assert!(!world.work().join("removed.txt").exists());
}

#[tokio::test]
async fn one_file_by_two_ways_is_one_file() {
    let world = World::new();
    world.write("real/a.txt", "original");
    symlink("real", world.work().join("alias")).unwrap();
    let guard = guard(&world).await;
    change(&guard, "real/a.txt", "one").await;
    change(&guard, "alias/a.txt", "two").await;
    let done = guard.end().await.unwrap().rolled_back.unwrap();
    assert_eq!(done.restored, ["real/a.txt"]);
    assert_eq!(world.read("real/a.txt"), "original");
}

#[tokio::test]
async fn it_is_offered_after_an_abort_too_and_a_no_is_a_no() {
    for (says, content) in [(Answer::Approve, "original"), (Answer::Deny, "changed")] {
        let world = World::new();
        world.write("a.txt", "original");
        let mut setup = world.setup();
        setup.rollback = Some(FileRollback::new(world.place.path()).unwrap());
        setup.approver = crate::world::Person::who_says(says);
        setup.config.permission_mode = harness_guard::Mode::AcceptEdits;
        let guard = Guard::start(setup).await.unwrap();
        change(&guard, "a.txt", "changed").await;
        guard.abort().trigger("stop");
        let done = guard.end().await.unwrap().rolled_back;
        assert_eq!(done.is_some(), says == Answer::Approve);
        assert_eq!(world.read("a.txt"), content);
    }
}

#[tokio::test]
async fn the_backups_go_with_the_session() {
    let world = World::new();
    world.write("a.txt", "original");
    let others = || fs::read_dir(world.place.path()).unwrap().count();
    let before = others();
    let guard = guard(&world).await;
    change(&guard, "a.txt", "changed").await;
    assert_eq!(others(), before + 1);
    drop(guard);
    assert_eq!(others(), before);
}

#[tokio::test]
async fn backups_do_not_lie_where_the_agent_can_reach_them() {
    let world = World::new();
    let mut setup = world.setup();
    setup.rollback = Some(FileRollback::new(&world.work()).unwrap());
    let started = Guard::start(setup).await;
    assert!(matches!(started, Err(StartError::Backups)));
    guard(&world).await;
}

#[tokio::test]
async fn where_a_file_cannot_be_kept_it_is_not_changed() {
    let world = World::new();
    world.write("a.txt", "original");
    let guard = guard(&world).await;
    change(&guard, "a.txt", "changed").await;
    let backups = fs::read_dir(world.place.path()).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.to_string_lossy().contains("backups").then_some(path)
    });
    fs::remove_dir_all(backups.unwrap()).unwrap();
    world.write("b.txt", "original");
    let outcome = guard.call(&ctx(), write("b.txt", "x")).await;
    assert_eq!(crate::world::error_of(&outcome), "backup_failed");
    assert_eq!(world.read("b.txt"), "original");
    // There is nothing to keep of a file that is not there.
    change(&guard, "c.txt", "x").await;
}
