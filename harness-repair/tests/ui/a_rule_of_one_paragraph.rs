//! A rule out of one clean paragraph.

use harness_core::Paragraph;
use harness_repair::ModelReply;
use harness_rules::Proposal;

#[expect(dead_code, unused_variables, reason = "only its types matter")]
fn propose(model: ModelReply, clean: Paragraph, rest: Proposal) -> Proposal {
    Proposal { text: clean, ..rest }
}

fn main() {}
