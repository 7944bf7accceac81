//! The example is a whole loop, and what it shows is so.

#[path = "../../examples/guarded_loop.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    unused_qualifications,
    reason = "an example has a main, and stands alone"
)]
mod guarded_loop;

use harness_guard::Outcome;

#[tokio::test(flavor = "multi_thread")]
async fn each_call_ends_as_it_should() {
    let place = tempfile::tempdir().unwrap();
    let told = guarded_loop::run(place.path()).await.unwrap();
    let ends: Vec<(&str, &str)> = told
        .outcomes
        .iter()
        .map(|(tool, outcome)| {
            let end = match outcome {
                Outcome::Ran(answer) if answer.warning().is_some() => "flagged",
                Outcome::Ran(_) => "ran",
                Outcome::Failed(..) => "failed",
                Outcome::Refused(refusal) => refusal.denial.name(),
            };
            (tool.as_str(), end)
        })
        .collect();
    assert_eq!(
        ends,
        [
            ("read_file", "flagged"),
            ("read_file", "path_outside"),
            ("run_bash", "tool_denied"),
            ("webfetch", "url_denied"),
            ("write_file", "ran"),
        ]
    );
    assert!(told.reply.starts_with("One note"), "{}", told.reply);
    assert_eq!((told.end.calls, told.end.answers), (2, 6));
    assert_eq!(told.end.cost.get(), 6 * (200 + 20 * 5));
    assert!(told.chain_holds);
    let notes = std::fs::read_to_string(place.path().join("notes/todo.md")).unwrap();
    assert_eq!(notes, "- water the plants\n");
}
