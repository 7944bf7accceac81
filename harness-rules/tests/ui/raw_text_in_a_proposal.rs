use harness_rules::Proposal;

fn propose(text: String, rest: Proposal) -> Proposal {
    Proposal { text, ..rest }
}

fn main() {
    let _ = propose;
}
