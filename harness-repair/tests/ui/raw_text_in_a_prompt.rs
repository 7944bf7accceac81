//! Text that skipped the gate in a prompt.

use harness_core::{CleanString, Prompt};

#[expect(dead_code, unused_variables, reason = "only its types matter")]
fn prompt(raw: String, clean: CleanString) -> Prompt {
    Prompt::new().data(raw)
}

fn main() {}
