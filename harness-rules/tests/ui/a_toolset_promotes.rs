use harness_rules::TaskToolset;
use serde_json::Value;

fn use_tools(tools: &TaskToolset, arguments: &Value) -> Value {
    tools.promote("harness_rules_read", arguments)
}

fn main() {
    let _ = use_tools;
}
