//! A path is beneath the working folder by its handle, not by its spelling.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harness_guard::{Folder, FolderError};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::world::{World, ctx, error_of, ran, read, write};

#[tokio::test]
async fn each_way_out_is_refused_and_its_inner_twin_runs() {
    let world = World::new();
    world.write("a.txt", "inside");
    world.write("deep/b.txt", "inside");
    std::fs::write(world.place.path().join("secret.txt"), "outside").unwrap();
    let outside = world.place.path().join("secret.txt");
    symlink(&outside, world.work().join("out")).unwrap();
    symlink(world.place.path(), world.work().join("up")).unwrap();
    symlink("../../..", world.work().join("deep/far")).unwrap();
    symlink("deep/b.txt", world.work().join("in")).unwrap();
    symlink("/proc/self/root/etc", world.work().join("magic")).unwrap();
    let guard = world.guard().await;
    let inner = world.work().join("a.txt").display().to_string();
    let outer = outside.display().to_string();
    for (bad, good) in [
        ("../secret.txt", "a.txt"),
        ("deep/../../secret.txt", "deep/b.txt"),
        ("deep/../a.txt", "./a.txt"),
        ("/etc/passwd", inner.as_str()),
        (outer.as_str(), "deep//b.txt"),
        ("~/x", "deep/b.txt"),
        ("out", "in"),
        ("up/secret.txt", "a.txt"),
        ("deep/far/etc/passwd", "deep/b.txt"),
        ("magic/passwd", "a.txt"),
    ] {
        let before = world.runs();
        let outcome = guard.call(&ctx(), read(bad)).await;
        assert_eq!(error_of(&outcome), "path_outside", "{bad}");
        assert_eq!(world.runs(), before, "{bad}");
        let outcome = guard.call(&ctx(), read(good)).await;
        assert!(
            outcome.for_model().contains("inside"),
            "{good}: {outcome:?}"
        );
    }
    for bad in ["out", "up/x.txt", "deep/far/x", "new/../../x"] {
        let outcome = guard.call(&ctx(), write(bad, "x")).await;
        assert!(outcome.refusal().is_some(), "{bad}");
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside");
    assert!(ran(&guard.call(&ctx(), write("new/deep/c.txt", "x")).await));
    assert_eq!(world.read("new/deep/c.txt"), "x");
}

#[tokio::test]
async fn only_files_and_folders() {
    let world = World::new();
    world.write("a.txt", "x");
    let pipe = world.work().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    symlink("a.txt", world.work().join("link")).unwrap();
    let guard = world.guard().await;
    let outcome = guard.call(&ctx(), read("pipe")).await;
    assert_eq!(error_of(&outcome), "path_unfit");
    // A link is read through, as it stays inside, and never written through.
    assert!(ran(&guard.call(&ctx(), read("link")).await));
    let outcome = guard.call(&ctx(), write("link", "y")).await;
    assert_eq!(error_of(&outcome), "path_unfit");
    assert!(ran(&guard.call(&ctx(), write("a.txt", "y")).await));
    // What is not there is for the tool to say.
    let outcome = guard.call(&ctx(), read("none.txt")).await;
    assert!(
        matches!(outcome, harness_guard::Outcome::Failed(..)),
        "{outcome:?}"
    );
}

/// Somebody swaps a folder for a link to outside, again and again, while the tools work in it.
#[tokio::test]
async fn what_is_swapped_in_leads_nowhere() {
    const ROUNDS: usize = 300;
    const MAX_SWAPS: usize = 10_000_000;
    let world = World::new();
    world.write("d/x", "inside");
    let outside = world.place.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("x"), "outside").unwrap();
    let guard = world.guard().await;
    symlink(&outside, world.work().join("link")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (work, stop) = (world.work(), Arc::clone(&stop));
        std::thread::spawn(move || {
            let (d, link) = (work.join("d"), work.join("link"));
            for _ in 0..MAX_SWAPS {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                renameat_with(CWD, &d, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        })
    };
    for _ in 0..ROUNDS {
        let said = guard.call(&ctx(), read("d/x")).await.for_model();
        assert!(!said.contains("outside\n"), "{said}");
        let _ = guard.call(&ctx(), write("d/y", "written")).await;
    }
    stop.store(true, Ordering::SeqCst);
    swapper.join().unwrap();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(
        std::fs::read_to_string(outside.join("x")).unwrap(),
        "outside"
    );
}

#[tokio::test]
async fn an_interrupted_write_leaves_the_old_file_and_a_whole_one_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.write("run.sh", "old");
    let path = world.work().join("run.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let guard = world.guard().await;
    assert!(ran(&guard.call(&ctx(), write("run.sh", "new")).await));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    let names: Vec<_> = std::fs::read_dir(world.work()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file stays");
}

/// A file that has another name outside is replaced, not written through; and what runs in its
/// owner's name does so no more once an agent wrote it.
#[tokio::test]
async fn what_is_written_is_a_file_of_its_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let outside = world.place.path().join("secret.txt");
    std::fs::write(&outside, "outside").unwrap();
    std::fs::hard_link(&outside, world.work().join("other-name.txt")).unwrap();
    world.write("program", "old");
    let program = world.work().join("program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o6755)).unwrap();
    let guard = world.guard().await;
    assert!(ran(&guard
        .call(&ctx(), write("other-name.txt", "new"))
        .await));
    assert_eq!(world.read("other-name.txt"), "new");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside");
    assert!(ran(&guard.call(&ctx(), write("program", "new")).await));
    let mode = std::fs::metadata(&program).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
}

/// What looks like a way out in other letters is a name like any other.
#[tokio::test]
async fn letters_that_look_like_dots_and_slashes_are_letters() {
    let world = World::new();
    std::fs::write(world.place.path().join("secret.txt"), "outside").unwrap();
    let guard = world.guard().await;
    for name in [
        "\u{ff0e}\u{ff0e}/secret.txt",
        "..\u{2215}secret.txt",
        "\u{2025}/secret.txt",
        "..\\secret.txt",
        "%2e%2e%2fsecret.txt",
    ] {
        assert!(
            ran(&guard.call(&ctx(), write(name, "inside")).await),
            "{name}"
        );
        let said = guard.call(&ctx(), read(name)).await.for_model();
        assert!(
            said.contains("inside") && !said.contains("outside"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read_dir(world.place.path()).unwrap().count(), 2);
}

#[test]
fn the_folders_of_the_harness_are_kept_away() {
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("work");
    std::fs::create_dir_all(work.join("inner")).unwrap();
    let overlap =
        |kept: PathBuf| matches!(Folder::open(&work, &[kept]), Err(FolderError::Overlaps(_)));
    assert!(overlap(work.join("inner")));
    assert!(overlap(place.path().to_owned()));
    assert!(overlap(work.canonicalize().unwrap().join("not-there-yet")));
    assert!(!overlap(place.path().join("elsewhere")));
    assert!(Folder::open(&place.path().join("none"), &[]).is_err());
}
