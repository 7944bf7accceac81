//! The plugins that the README shows are those that the other tests load and start.

use std::fs;
use std::path::Path;

/// Lines at most, with those of what it does.
const ABOUT_THIRTY: usize = 36;

fn is_shown(file: &str, language: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = fs::read_to_string(folder.join("examples").join(file)).unwrap();
    let readme = fs::read_to_string(folder.join("../../README.md")).unwrap();
    let is_mark = |line: &str, mark| line.trim_start_matches(['/', '#', ' ']) == mark;
    let shown: Vec<&str> = example
        .lines()
        .skip_while(|line| !is_mark(line, "README begins"))
        .skip(1)
        .take_while(|line| !is_mark(line, "README ends"))
        .collect();
    assert!(
        (10..=ABOUT_THIRTY).contains(&shown.len()),
        "{}",
        shown.len()
    );
    assert!(
        readme.contains(&format!("```{language}\n{}\n```", shown.join("\n"))),
        "README.md does not show the lines of examples/{file}"
    );
}

#[test]
fn the_readme_shows_it_as_a_library() {
    is_shown("keeps_to_the_point.rs", "rust");
}

#[test]
fn the_readme_shows_it_as_a_process() {
    is_shown("keeps_to_the_point.py", "python");
}
