//! The plugin that the README shows is the one that the other tests load.

use std::fs;
use std::path::Path;

/// Lines at most, with those of what it does.
const ABOUT_THIRTY: usize = 36;

#[test]
fn the_readme_shows_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = fs::read_to_string(folder.join("examples/keeps_to_the_point.rs")).unwrap();
    let readme = fs::read_to_string(folder.join("../../README.md")).unwrap();
    let shown: Vec<&str> = example
        .lines()
        .skip_while(|line| *line != "// README begins")
        .skip(1)
        .take_while(|line| *line != "// README ends")
        .collect();
    assert!(
        (10..=ABOUT_THIRTY).contains(&shown.len()),
        "{}",
        shown.len()
    );
    assert!(
        readme.contains(&format!("```rust\n{}\n```", shown.join("\n"))),
        "README.md does not show the lines of examples/keeps_to_the_point.rs"
    );
}
