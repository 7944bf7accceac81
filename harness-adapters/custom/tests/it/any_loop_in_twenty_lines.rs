//! The loop written by hand works, and is what the README shows.

#[allow(dead_code, reason = "the example's own entry is not called here")]
#[path = "../../examples/loop.rs"]
mod example;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::world::World;

/// Lines at most, with those of the loop itself.
const ABOUT_TWENTY: usize = 24;

#[tokio::test(flavor = "multi_thread")]
async fn its_failure_becomes_a_notice_and_a_rule() {
    let world = World::new();
    let folder = world.path("reports");
    example::reports(&folder).unwrap();
    let setup = harness_custom::Setup {
        verifier: Some(Arc::new(example::SaysTheTotal)),
        ..world.setup()
    };
    let mut agent = example::Adder::new(&folder);
    let settled = example::work(setup, "sums-1", &mut agent, &["Add up the reports."])
        .await
        .unwrap();
    assert!(
        settled.complete && settled.failures.is_empty(),
        "{settled:?}"
    );
    assert_eq!((settled.recorded, settled.notices.len()), (1, 1));
    let repair = settled.repair.unwrap();
    assert!(repair.new_rule.is_some(), "{repair:?}");
}

#[test]
fn the_readme_shows_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = fs::read_to_string(folder.join("examples/loop.rs")).unwrap();
    let readme = fs::read_to_string(folder.join("../../README.md")).unwrap();
    let shown: Vec<&str> = example
        .lines()
        .skip_while(|line| line.trim() != "// README begins")
        .skip(1)
        .take_while(|line| line.trim() != "// README ends")
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    assert!(
        (10..=ABOUT_TWENTY).contains(&shown.len()),
        "{}",
        shown.len()
    );
    assert!(
        readme.contains(&format!("```rust\n{}\n```", shown.join("\n"))),
        "README.md does not show the lines of examples/loop.rs"
    );
}
