//! The recording that the README begins with does what the README says of it.

use std::fs;
use std::path::Path;

use crate::operator::{Operator, stdout};

const FIRST: &str = "docs/first-conversation.json";

#[test]
fn as_the_readme_says() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(house.join("README.md")).unwrap();
    assert!(readme.contains(&format!("harness run --traces {FIRST}\n")));

    let operator = Operator::with_workspace();
    let first = house.join(FIRST);
    let said = stdout(&operator.runs(&["run", "--traces", first.to_str().unwrap()], 0));
    assert!(
        said.starts_with("boxes-1: 2 turns, 1 alerts, 1 notices, repair candidate_added\n"),
        "{said}"
    );
    assert!(stdout(&operator.runs(&["notices", "--all"], 0)).contains("breach"));
    let rules = stdout(&operator.runs(&["rules"], 0));
    let (rule, _) = rules.split_once(' ').unwrap();
    assert!(rules.contains("candidate global: "), "{rules}");
    let story = stdout(&operator.runs(&["explain", rule], 0));
    assert!(story.contains("put on trial"), "{story}");
}
