use harness_rules::{OpenEpisode, Proposal};

fn propose(one: OpenEpisode, other: OpenEpisode, first: Proposal, second: Proposal) {
    let _ = one.episode() == other.episode();
    let _ = one.propose(first);
    let _ = one.propose(second);
}

fn main() {
    let _ = propose;
}
