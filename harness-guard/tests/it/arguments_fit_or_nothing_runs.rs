//! A tool is given what its schema names, within its bounds, and nothing else.

use harness_guard::{ArgumentKind, Effect, RegistryError, ToolSpec, Tools};
use serde_json::{Value, json};

use crate::world::{Runner, World, call, ctx, error_of, ran, raw_call};

#[tokio::test]
async fn each_misfit_is_refused_and_its_fitting_twin_runs() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = world.guard().await;
    let long = "x".repeat(4097);
    for (tool, bad, good) in [
        // Missing, unknown, of another type.
        ("read_file", json!({}), json!({"path": "a.txt"})),
        (
            "read_file",
            json!({"path": "a.txt", "mode": "r"}),
            json!({"path": "a.txt", "limit": 5}),
        ),
        ("read_file", json!({"path": 7}), json!({"path": "7"})),
        (
            "read_file",
            json!({"path": "a.txt", "offset": true}),
            json!({"path": "a.txt", "offset": 1}),
        ),
        (
            "read_file",
            json!({"path": "a.txt", "offset": "1"}),
            json!({"path": "a.txt", "offset": 2}),
        ),
        ("read_file", json!(["a.txt"]), json!({"path": "a.txt"})),
        // The bounds that nobody wrote.
        ("read_file", json!({"path": ""}), json!({"path": "."})),
        (
            "read_file",
            json!({"path": long}),
            json!({"path": &long[..200]}),
        ),
        (
            "read_file",
            json!({"path": "a.txt", "offset": 0}),
            json!({"path": "a.txt", "offset": 1_000_000}),
        ),
        (
            "read_file",
            json!({"path": "a.txt", "offset": 1_000_001}),
            json!({"path": "a.txt", "offset": 1}),
        ),
        (
            "read_file",
            json!({"path": "a.txt", "limit": 2001}),
            json!({"path": "a.txt", "limit": 2000}),
        ),
        ("run_bash", json!({"command": ""}), json!({"command": "ls"})),
        (
            "run_bash",
            json!({"command": long}),
            json!({"command": "ls -l"}),
        ),
        (
            "webfetch",
            json!({"url": format!("http://example.org/{long}")}),
            json!({"url": "http://example.org/"}),
        ),
        (
            "write_file",
            json!({"path": "b", "content": "y".repeat(1_048_577)}),
            json!({"path": "b", "content": "y"}),
        ),
        // A pattern is relative.
        (
            "glob_files",
            json!({"pattern": "/etc/*"}),
            json!({"pattern": "src/*"}),
        ),
        (
            "glob_files",
            json!({"pattern": "../*"}),
            json!({"pattern": "*.rs"}),
        ),
    ] {
        let before = world.runs();
        let outcome = guard.call(&ctx(), call(tool, bad.clone())).await;
        let bad = bad.to_string();
        assert_eq!(error_of(&outcome), "bad_arguments", "{tool} {:.80}", bad);
        assert_eq!(world.runs(), before, "{tool} {:.80}", bad);
        let outcome = guard.call(&ctx(), call(tool, good.clone())).await;
        assert!(outcome.refusal().is_none(), "{tool} {good}: {outcome:?}");
        assert_eq!(world.runs(), before + 1, "{tool} {good}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_a_refusal_and_an_event() {
    let world = World::new();
    world.write("a.txt", "one");
    let guard = world.guard().await;
    let deep = format!("{{\"path\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    for bad in [
        "{bad",
        "",
        "{\"path\": \"a.txt\"} x",
        "{\"path\": \"\\ud800\"}",
        &deep,
    ] {
        let outcome = guard.call(&ctx(), raw_call("read_file", bad)).await;
        assert_eq!(error_of(&outcome), "malformed_arguments", "{:.40}", bad);
    }
    assert_eq!(world.runs(), 0);
    assert_eq!(world.audit.kinds(), vec!["validation_error"; 5]);
    let twin = raw_call("read_file", " {\"path\": \"a.txt\"} ");
    assert!(ran(&guard.call(&ctx(), twin).await));
}

/// Of a key that is there twice, what is judged is what runs.
#[tokio::test]
async fn a_key_that_is_there_twice_has_one_meaning() {
    let world = World::new();
    world.write("a.txt", "inside");
    let guard = world.guard().await;
    let twice = |one: &str, two: &str| {
        let arguments = format!("{{\"path\": \"{one}\", \"p\\u0061th\": \"{two}\"}}");
        raw_call("read_file", &arguments)
    };
    let outcome = guard.call(&ctx(), twice("a.txt", "../x")).await;
    assert_eq!(error_of(&outcome), "path_outside");
    let outcome = guard.call(&ctx(), twice("../x", "a.txt")).await;
    assert!(outcome.for_model().contains("inside"), "{outcome:?}");
    for (limit, error) in [
        ("1e400", "malformed_arguments"),
        ("18446744073709551616", "bad_arguments"),
        ("-1", "bad_arguments"),
        ("1.5", "bad_arguments"),
        ("true", "bad_arguments"),
        ("\"1\"", "bad_arguments"),
    ] {
        let arguments = format!("{{\"path\": \"a.txt\", \"limit\": {limit}}}");
        let outcome = guard.call(&ctx(), raw_call("read_file", &arguments)).await;
        assert_eq!(error_of(&outcome), error, "{limit}");
    }
}

fn with_schema(schema: Value) -> Result<Tools, RegistryError> {
    Tools::new().add(
        ToolSpec::new("look_up", schema).effect(Effect::Read),
        Runner::default(),
    )
}

#[test]
fn a_schema_refers_to_nothing_but_itself() {
    let referring = |target: &str| {
        json!({
            "type": "object",
            "properties": {"x": {"$ref": target}},
            "$defs": {"word": {"type": "string"}},
        })
    };
    for remote in [
        "http://127.0.0.1:9/schema.json",
        "https://example.org/schema.json",
        "file:///etc/passwd",
        "other.json",
        "#/$defs/none",
    ] {
        assert!(
            matches!(
                with_schema(referring(remote)),
                Err(RegistryError::Schema { .. })
            ),
            "{remote}"
        );
    }
    assert!(with_schema(referring("#/$defs/word")).is_ok());
}

#[test]
fn a_declaration_that_contradicts_itself_is_refused() {
    let schema = || json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let add = |spec: ToolSpec| Tools::new().add(spec, Runner::default()).map(drop);
    let spec = || ToolSpec::new("look_up", schema()).effect(Effect::Read);
    assert_eq!(add(spec()), Ok(()));
    for (what, bad) in [
        ("a path as a name", ToolSpec::new("../x", schema())),
        ("no name", ToolSpec::new("", schema())),
        (
            "no object",
            ToolSpec::new("look_up", json!({"type": "array"})),
        ),
        ("no schema", ToolSpec::new("look_up", json!(true))),
        ("a bad pattern", spec().always_confirm_when(json!([]))),
        ("no role", spec().roles(&[])),
        ("no such argument", spec().argument("y", ArgumentKind::Path)),
        (
            "a reader that fetches",
            spec().argument("x", ArgumentKind::Url),
        ),
        (
            "a reader that writes",
            spec().argument("x", ArgumentKind::Content),
        ),
        (
            "a reader that runs",
            spec().argument("x", ArgumentKind::Command),
        ),
        ("a hidden description", spec().description("a\u{202e}b")),
    ] {
        assert!(add(bad).is_err(), "{what}");
    }
    let twice = Tools::new()
        .add(spec(), Runner::default())
        .unwrap()
        .add(spec(), Runner::default());
    assert!(matches!(twice, Err(RegistryError::Twice(_))));
}

#[tokio::test]
async fn unknown_fields_are_refused_however_the_schema_is_put_together() {
    let text = || json!({"type": "string"});
    for schema in [
        json!({"type": "object", "properties": {"x": text()}}),
        json!({"type": "object", "properties": {"x": text()}, "additionalProperties": true}),
        json!({"type": "object", "allOf": [{"properties": {"x": text()}}]}),
        json!({"type": "object", "additionalProperties": true, "allOf": [{"properties": {"x": text()}}]}),
        json!({
            "type": "object",
            "unevaluatedProperties": true,
            "anyOf": [{"properties": {"x": text()}, "required": ["x"]}],
        }),
        json!({
            "type": "object",
            "properties": {"x": {}},
            "oneOf": [{"properties": {"x": text()}}],
        }),
        json!({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": text()}}}}),
    ] {
        let world = World::new();
        let mut setup = world.setup();
        let spec = ToolSpec::new("look_up", schema.clone()).effect(Effect::Read);
        setup.tools = Tools::new().add(spec, world.runner.clone()).unwrap();
        let guard = harness_guard::Guard::start(setup).await.unwrap();
        let outcome = guard
            .call(&ctx(), call("look_up", json!({"x": "a", "y": "b"})))
            .await;
        assert_eq!(error_of(&outcome), "bad_arguments", "{schema}");
        let outcome = guard.call(&ctx(), call("look_up", json!({"x": "a"}))).await;
        assert!(ran(&outcome), "{schema}: {outcome:?}");
    }
}
