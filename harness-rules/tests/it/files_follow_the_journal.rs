//! The files of the rules say what the journal says after each change; an edit of one is found, and
//! mended with a line in the journal that says so.

use std::fs;

use harness_core::RuleId;
use harness_rules::{Desks, Proposal, Settings, mismatches};
use harness_store::wire::event::Event;
use serde_json::Value;

use crate::fixture::{
    Names, Place, add_rule, advice, clean, decide, promote, proposal, rule_on_trial,
};

fn text(place: &Place, file: &str) -> String {
    fs::read_to_string(place.file(file)).unwrap()
}

fn found(place: &Place, desks: &Desks) -> Vec<String> {
    let view = desks.book.ledger().unwrap();
    mismatches(&place.reader(), &view, desks.book.settings()).unwrap()
}

/// What `rules.jsonl` says last of a rule.
fn latest(place: &Place, rule: &RuleId) -> Value {
    let lines = text(place, "rules.jsonl");
    let mut lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.rfind(|line| line["id"] == rule.as_str()).unwrap()
}

#[test]
fn from_candidate_to_active_to_retired() {
    let place = Place::new();
    let desks = place.open();
    assert_eq!(found(&place, &desks), Vec::<String>::new());
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    assert_eq!(latest(&place, &rule)["status"], "candidate");
    let page = text(&place, "rules/orders.md");
    assert!(
        page.contains(&format!("**{rule}**: on trial; text through the tools")),
        "{page}"
    );
    assert!(text(&place, "rules.md").contains("0 active, 1 provisional"));
    assert_eq!(found(&place, &desks), Vec::<String>::new());

    promote(&desks, &mut Names::default(), &rule);
    assert_eq!(latest(&place, &rule)["status"], "active");
    let page = text(&place, "rules/orders.md");
    assert!(
        page.contains(&format!("**{rule}**: {}", advice('a'))),
        "{page}"
    );
    assert!(text(&place, "rules.md").contains("1 active, 0 provisional"));
    assert_eq!(found(&place, &desks), Vec::<String>::new());

    desks
        .operator
        .retire(&rule, clean("no longer wanted"))
        .unwrap();
    let retired = latest(&place, &rule);
    assert_eq!(
        (&retired["status"], &retired["x_retirement"]),
        (&"retired".into(), &"operator".into())
    );
    assert!(!text(&place, "rules/orders.md").contains(rule.as_str()));
    assert!(!text(&place, "rules.md").contains("orders"));
    assert_eq!(found(&place, &desks), Vec::<String>::new());
}

/// Of a trial that runs, nothing is in the files: what counted would tell the arms.
#[test]
fn a_decided_trial_is_in_the_files_with_its_numbers() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_on_trial(&desks, "n-1", proposal(&advice('a')));
    let running = latest(&place, &rule);
    assert_eq!(running["trial"], Value::Null);
    assert!(running.get("x_trial").is_none() && running.get("x_evidence").is_none());

    promote(&desks, &mut Names::default(), &rule);
    let decided = latest(&place, &rule);
    let (seq, promoted) = place
        .lines()
        .iter()
        .find_map(|line| match line.event()? {
            (record, Event::RulePromote(promoted)) => Some((record.seq, promoted.clone())),
            _ => None,
        })
        .unwrap();
    let ours = &decided["x_trial"];
    assert_eq!(ours["state"], "promoted");
    assert_eq!(ours["name"], promoted.trial.to_string());
    assert_eq!(ours["threshold"], promoted.threshold);
    let log = ours["log_e"]["benefit"].as_f64().unwrap();
    assert!((log - promoted.e_value.ln()).abs() < 1e-6, "{log}");
    let evidence = &decided["x_evidence"];
    assert_eq!(evidence["decided_seq"], seq);
    assert_eq!(evidence["text_sha256"], promoted.text_sha256.as_str());

    let of_09 = &decided["trial"];
    let shown = of_09["observed_sessions"].as_array().unwrap();
    let failed = of_09["breached_sessions"].as_array().unwrap();
    assert_eq!(of_09["verdict"], "promoted");
    assert_eq!(ours["arms"]["treated"]["counted"], shown.len());
    assert_eq!(ours["arms"]["treated"]["failed"], failed.len());
    assert!(failed.iter().all(|session| shown.contains(session)));
    let counted = ours["arms"]["control"]["counted"].as_u64().unwrap() + shown.len() as u64;
    assert_eq!(ours["entered"], counted);
}

#[test]
fn the_text_of_a_candidate_is_in_no_page_unless_the_host_asks() {
    let place = Place::new();
    let desks = place.open();
    add_rule(&desks, "n-1", proposal(&advice('a')));
    for file in ["rules/orders.md", "rules.md"] {
        assert!(!text(&place, file).contains("aalpha"), "{file}");
    }
    drop(desks);
    let desks = place.open_with(Settings {
        provisional_text_in_files: true,
        ..Settings::default()
    });
    assert_eq!(
        found(&place, &desks),
        ["rules/orders.md: differs from the journal"]
    );
    desks.validation.restore_files(&place.reader()).unwrap();
    assert!(text(&place, "rules/orders.md").contains("aalpha"));
    assert!(!text(&place, "rules.md").contains("aalpha"));
}

#[test]
fn every_edit_is_found_and_mended() {
    let place = Place::new();
    let desks = place.open();
    let rule = add_rule(&desks, "n-1", proposal(&advice('a')));
    add_rule(
        &desks,
        "n-2",
        Proposal {
            scope: None,
            ..proposal(&advice('b'))
        },
    );
    decide(&desks);
    let files = [
        "rules.jsonl",
        "rules.md",
        "rules/global.md",
        "rules/orders.md",
    ];
    let honest = files.map(|file| text(&place, file));

    let id = rule.as_str();
    let jsonl = &honest[0];
    let edits: [(&str, Option<String>, String); 11] = [
        ("rules.jsonl", None, "rules.jsonl: is missing".into()),
        (
            "rules.jsonl",
            Some(jsonl.replace("aalpha", "obey")),
            format!("rules.jsonl: {id} differs from the journal"),
        ),
        (
            "rules.jsonl",
            Some(jsonl.replace("candidate", "active")),
            String::new(),
        ),
        (
            "rules.jsonl",
            Some(jsonl.replace("{\"app", "{\"aa\":1,\"app")),
            String::new(),
        ),
        (
            "rules.jsonl",
            Some(
                jsonl
                    .lines()
                    .skip(1)
                    .map(|line| format!("{line}\n"))
                    .collect(),
            ),
            format!("rules.jsonl: {id} is missing"),
        ),
        (
            "rules.jsonl",
            Some(format!(
                "{jsonl}{}",
                jsonl.lines().next().unwrap().replace(id, "r-planted")
            )),
            "rules.jsonl: r-planted is not in the journal".into(),
        ),
        (
            "rules.jsonl",
            Some(format!("{jsonl}{{\n")),
            "rules.jsonl: line 3 does not read".into(),
        ),
        (
            "rules.md",
            Some(honest[1].replace("0 active", "1 active")),
            "rules.md: differs from the journal".into(),
        ),
        ("rules.md", None, "rules.md: is missing".into()),
        (
            "rules/global.md",
            Some(format!("{}\n- **r-planted**: obey\n", honest[2])),
            "rules/global.md: differs from the journal".into(),
        ),
        (
            "rules/orders.md",
            Some(String::new()),
            "rules/orders.md: differs from the journal".into(),
        ),
    ];
    let count = edits.len();
    for (file, edited, expected) in edits {
        match &edited {
            Some(edited) => fs::write(place.file(file), edited).unwrap(),
            None => fs::remove_file(place.file(file)).unwrap(),
        }
        let before = found(&place, &desks);
        assert!(!before.is_empty(), "{file}: {edited:?}");
        assert!(
            expected.is_empty() || before == [expected.clone()],
            "{before:?} {expected}"
        );
        // What is shown is what the journal says, whatever the files say.
        let read = serde_json::json!({ "scope": "orders" });
        let answer = desks.book.full_reader().call("harness_rules_read", &read);
        assert_eq!(answer["rules"][0]["rule"], advice('a'));
        assert_eq!(answer["rules"][0]["status"], "provisional");

        assert_eq!(
            desks.validation.restore_files(&place.reader()).unwrap(),
            before
        );
        assert_eq!(found(&place, &desks), Vec::<String>::new());
        assert_eq!(files.map(|file| text(&place, file)), honest, "{file}");
        let event = place.events().pop().unwrap();
        assert!(matches!(event, Event::ScopeIndexRegenerated(told) if told.mismatched == before));
    }
    // With nothing to mend, nothing is written.
    let lines = place.lines().len();
    assert_eq!(
        desks.validation.restore_files(&place.reader()).unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(place.lines().len(), lines);
    let told = place.events().into_iter();
    let mended = told.filter(|event| matches!(event, Event::ScopeIndexRegenerated(_)));
    assert_eq!(mended.count(), count);
    assert!(place.reader().audit().unwrap().ok);
}
