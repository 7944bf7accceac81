//! The example works, offline: notice, episode, candidate, and a trial that opens; and it is what the
//! README shows.

use harness_core::RepairStatus;

use crate::example;
use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn from_a_failure_to_a_trial() {
    let world = World::new();
    let settled = example::offline(&world.path("desk")).await.unwrap();
    assert!(settled.failures.is_empty(), "{settled:?}");
    assert_eq!(settled.notices.len(), 1, "{settled:?}");
    let repair = settled.repair.unwrap();
    assert_eq!(repair.status, RepairStatus::CandidateAdded);
    let journal = std::fs::read_to_string(world.path("desk/root/journal.jsonl")).unwrap();
    for kind in example::SHOWN {
        let events = journal.matches(&format!("\"type\":\"{kind}\"")).count();
        assert_eq!(events, 1, "{kind}");
    }
}

#[test]
fn the_readme_shows_it() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = std::fs::read_to_string(folder.join("examples/desk.rs")).unwrap();
    let readme = std::fs::read_to_string(folder.join("../../README.md")).unwrap();
    let shown: Vec<&str> = example
        .lines()
        .skip_while(|line| line.trim() != "// README begins")
        .skip(1)
        .take_while(|line| line.trim() != "// README ends")
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    assert!((8..=12).contains(&shown.len()), "{}", shown.len());
    assert!(
        readme.contains(&format!("```rust\n{}\n```", shown.join("\n"))),
        "README.md does not show the lines of examples/desk.rs"
    );
}
