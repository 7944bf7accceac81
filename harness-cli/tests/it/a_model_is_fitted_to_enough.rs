//! An alert model is fitted only to enough sessions, is saved with its hash in the journal, and is
//! refused without a word of guess where there are too few.

use harness_store::wire::sha256_hex;
use serde_json::{Value, json};

use crate::operator::{Operator, failing, fine, stderr};

/// `tasks` tasks with a run that fails and one that does not, and their labels' file.
fn fed(operator: &Operator, tasks: usize) -> String {
    let mut labels = serde_json::Map::new();
    let mut conversations: Vec<Value> = Vec::new();
    for task in 0..tasks {
        let (bad, good) = (format!("shelf-{task}-0"), format!("shelf-{task}-1"));
        conversations.extend([failing(&bad), fine(&good)]);
        labels.insert(bad, json!("failure"));
        labels.insert(good, json!("success"));
    }
    let folder = operator.record(&conversations);
    operator.json(&["run", "--traces", &folder, "--repair", "none"]);
    let path = operator.home().join("labels.json");
    std::fs::write(&path, Value::Object(labels).to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn enough_sessions_give_a_model_that_the_journal_knows() {
    let operator = Operator::with_workspace();
    let labels = fed(&operator, 12);
    let measured = operator.json(&["calibrate", "--labels", &labels, "--fit"]);
    let fitted = &measured["fitted"];
    assert_eq!(
        (&fitted["sessions"], &fitted["tasks"]),
        (&json!(24), &json!(12))
    );
    assert_eq!(fitted["auroc"], 1.0);
    assert_eq!(fitted["intervals"]["auroc"], json!([1.0, 1.0]));
    let model = std::fs::read(operator.root().join("state/alert_model.json")).unwrap();
    let journal = operator.runs(
        &[
            "journal",
            "--kind",
            "alert_model_fitted",
            "--format",
            "json",
        ],
        0,
    );
    let event: Value = serde_json::from_slice(&journal.stdout).unwrap();
    assert_eq!(event["sha256"], sha256_hex(&model));
    assert_eq!(event["auroc"], fitted["auroc"]);
    assert_eq!(operator.json(&["audit"])["ok"], true);
}

#[test]
fn too_few_are_said_to_be_too_few() {
    let operator = Operator::with_workspace();
    let labels = fed(&operator, 3);
    let refused = operator.runs(&["calibrate", "--labels", &labels, "--fit"], 5);
    assert!(stderr(&refused).contains("too few"));
    assert!(!operator.root().join("state/alert_model.json").exists());
    operator.runs(&["calibrate", "--fit"], 2);
}
