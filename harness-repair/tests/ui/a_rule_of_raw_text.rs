//! A rule out of the words of a model.

use harness_core::Paragraph;
use harness_repair::ModelReply;
use harness_rules::Proposal;

#[expect(dead_code, unused_variables, reason = "only its types matter")]
fn propose(model: ModelReply, clean: Paragraph, rest: Proposal) -> Proposal {
    Proposal { text: model.text, ..rest }
}

fn main() {}
