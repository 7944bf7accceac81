use harness_rules::Proposal;

fn propose(text: harness_core::Paragraph, rest: Proposal) -> Proposal {
    Proposal { text, ..rest }
}

fn main() {
    let _ = propose;
}
