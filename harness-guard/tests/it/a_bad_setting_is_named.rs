//! A setting is a field and a variable; a bad value is named with what is allowed.

use harness_guard::{GuardConfig, Mode};

#[test]
fn a_variable_sets_its_field() {
    let config = GuardConfig::from_variables([
        ("HARNESS_TOOLS", "read_file, grep"),
        ("HARNESS_PERMISSION_MODE", "acceptEdits"),
        ("HARNESS_APPROVE_PLAN", "true"),
        ("HARNESS_TOOL_TIMEOUT_S", "7"),
        ("HARNESS_MODEL_TIMEOUT_S", "8"),
        ("HARNESS_MAX_TURNS", "9"),
        ("HARNESS_MAX_TOOL_CALLS", "10"),
        ("HARNESS_MAX_CONTEXT_TOKENS", "1100"),
        ("HARNESS_MAX_COST_USD", "0.5"),
        ("HARNESS_ROOT", "/not/ours"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    let expected = GuardConfig {
        tools: Some(vec!["read_file".to_owned(), "grep".to_owned()]),
        permission_mode: Mode::AcceptEdits,
        approve_plan: true,
        tool_timeout_s: 7,
        model_timeout_s: 8,
        max_turns: 9,
        max_tool_calls: 10,
        max_context_tokens: 1100,
        max_cost_usd: 0.5,
        ..GuardConfig::default()
    };
    assert_eq!(config, expected);
}

#[test]
fn a_bad_value_is_named_with_what_is_allowed() {
    for (variable, value) in [
        ("HARNESS_TOOLS", "read_file,,grep"),
        ("HARNESS_TOOLS", ""),
        ("HARNESS_PERMISSION_MODE", "yolo"),
        ("HARNESS_PERMISSION_MODE", "DEFAULT"),
        ("HARNESS_APPROVE_PLAN", "perhaps"),
        ("HARNESS_TOOL_TIMEOUT_S", "0"),
        ("HARNESS_MAX_TURNS", "-1"),
        ("HARNESS_MAX_COST_USD", "nan"),
        ("HARNESS_MAX_COST_USD", "inf"),
        ("HARNESS_CONTEXT_TRIM_AT", "0"),
        ("HARNESS_TOOL_RESULT_BYTES", "100000"),
    ] {
        let error = GuardConfig::from_variables([(variable, value)]).unwrap_err();
        let message = error.to_string();
        let start = format!("{variable}=`{value}` is not allowed: ");
        assert!(message.starts_with(&start), "{message}");
    }
}

#[test]
fn the_defaults_are_those_that_are_written_down() {
    let texts = GuardConfig::default().to_texts();
    let shown: Vec<String> = texts
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        shown,
        [
            "approval_timeout_s=600",
            "approve_plan=false",
            "context_keep_recent=8",
            "context_trim_at=0.8",
            "max_context_tokens=24000",
            "max_cost_usd=5",
            "max_tool_calls=200",
            "max_turns=40",
            "model_timeout_s=120",
            "permission_mode=default",
            "tool_result_bytes=32768",
            "tool_timeout_s=120",
            "tools=all",
        ]
    );
    assert_eq!(texts.len(), GuardConfig::FIELDS.len());
}
