//! With `--format json` stdout is one document of the agreed shape, and nothing else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::operator::{Operator, failing, fine, stdout};

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn operator() -> (Operator, Value) {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a"), fine("b")]);
    let run = operator.json(&["run", "--traces", &folder]);
    (operator, run)
}

#[test]
fn a_run_says_what_was_read_and_what_it_added() {
    let (_, run) = operator();
    let wanted = [
        "sessions",
        "turns",
        "alerts",
        "notices",
        "episodes",
        "unreadable",
    ];
    assert_eq!(keys(&run), wanted.into());
    assert_eq!(
        (run["sessions"].clone(), run["turns"].clone()),
        (json!(2), json!(3))
    );
    assert_eq!(run["unreadable"], json!([]));
    assert_eq!(run["notices"].as_array().unwrap().len(), 1);
    assert_eq!(run["episodes"][0]["status"], "candidate_added");
    assert_eq!(
        keys(&run["episodes"][0]),
        ["id", "status", "rule_id"].into()
    );
}

#[test]
fn rules_notices_and_audit_have_their_keys() {
    let (operator, run) = operator();
    let rules = operator.json(&["rules"]);
    let rule = &rules["rules"][0];
    for key in [
        "id",
        "scope",
        "status",
        "applicability",
        "metric",
        "rule",
        "rationale",
        "created_at",
        "source_notice_id",
        "trial",
    ] {
        assert!(rule.get(key).is_some(), "{key}");
    }
    assert_eq!(rule["status"], "candidate");
    let one = operator.json(&["rules", rule["id"].as_str().unwrap()]);
    assert_eq!(one, *rule);
    assert_eq!(
        operator.json(&["rules", "--status", "active"]),
        json!({ "rules": [] })
    );
    let found = operator.json(&["rules", "search", "open_shelf"]);
    assert_eq!(found, rules);

    assert_eq!(operator.json(&["notices"]), json!({ "notices": [] }));
    let notices = operator.json(&["notices", "--all"]);
    let notice = &notices["notices"][0];
    assert_eq!(notice["id"], run["notices"][0]);
    assert_eq!(notice["resolution"]["rule_id"], rule["id"]);
    assert_eq!(
        operator.json(&["notices", notice["id"].as_str().unwrap()]),
        *notice
    );

    let audit = operator.json(&["audit"]);
    for key in [
        "ok", "events", "head", "anchored", "breaks", "foreign", "limits",
    ] {
        assert!(audit.get(key).is_some(), "{key}");
    }
    assert_eq!(
        (audit["ok"].clone(), audit["anchored"].clone()),
        (json!(true), json!(true))
    );
}

#[test]
fn a_journal_is_json_lines_as_they_stand_on_disk() {
    let (operator, _) = operator();
    let printed = stdout(&operator.runs(&["journal", "--format", "json"], 0));
    let on_disk = std::fs::read_to_string(operator.root().join("journal.jsonl")).unwrap();
    let parse = |text: &str| -> Vec<Value> {
        text.lines()
            .map(|line| {
                let mut value: Value = serde_json::from_str(line).unwrap();
                value.as_object_mut().unwrap().remove("more");
                value
            })
            .collect()
    };
    assert_eq!(parse(&printed), parse(&on_disk));
    let last = stdout(&operator.runs(
        &[
            "journal", "--last", "1", "--kind", "config", "--format", "json",
        ],
        0,
    ));
    assert_eq!(parse(&last)[0]["type"], "config");
}

#[test]
fn explaining_a_rule_leads_from_the_notice_to_the_proposal() {
    let (operator, run) = operator();
    let rule = run["episodes"][0]["rule_id"].as_str().unwrap();
    let told = operator.json(&["explain", rule]);
    assert_eq!(told["notices"][0]["id"], run["notices"][0]);
    assert_eq!(
        told["notices"][0]["traces_sha256"].as_str().unwrap().len(),
        64
    );
    assert_eq!(told["episode"]["id"], run["episodes"][0]["id"]);
    assert_eq!(told["proposal"]["line_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(told["trials"][0]["entered"], 0);
    assert_eq!(told["verdicts"], json!([]));
}

#[test]
fn status_counts_and_calibrate_measures() {
    let (operator, _) = operator();
    let status = operator.json(&["status"]);
    assert_eq!(
        status["rules"],
        json!({ "active": 0, "candidate": 1, "retired": 0 })
    );
    assert_eq!(status["notices"]["pending"], 0);
    let labels = operator.home().join("labels.json");
    std::fs::write(
        &labels,
        r#"{"a": "failure", "b": "success", "c": "failure"}"#,
    )
    .unwrap();
    let measured = operator.json(&["calibrate", "--labels", labels.to_str().unwrap()]);
    assert_eq!(
        (measured["precision"].clone(), measured["recall"].clone()),
        (json!(1.0), json!(1.0))
    );
    assert_eq!(measured["missing"], 1);
    assert_eq!(measured["auroc"], 1.0);
    assert_eq!(
        measured["thresholds"][0]["sweep"].as_array().unwrap().len(),
        19
    );
    let described = operator.json(&["calibrate"]);
    assert_eq!(described["sessions"], 2);
    assert_eq!(described["metrics"][0]["metric"], "argument_correctness");
}

#[test]
fn hints_reach_the_notice() {
    let operator = Operator::with_workspace();
    let folder = operator.record(&[failing("a")]);
    let hints = operator.home().join("hints.json");
    let text = r#"{"scope_hints": [{"key": "warehouse", "description": "work on shelves",
        "applicability": "topical", "recommended": true}]}"#;
    std::fs::write(&hints, text).unwrap();
    operator.json(&[
        "run",
        "--traces",
        &folder,
        "--hints",
        hints.to_str().unwrap(),
    ]);
    let notices = operator.json(&["notices", "--all"]);
    assert_eq!(notices["notices"][0]["recommended_scope"], "warehouse");
    let rules = operator.json(&["rules", "--scope", "warehouse"]);
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1);
}
