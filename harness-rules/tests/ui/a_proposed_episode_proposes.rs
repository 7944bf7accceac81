use harness_rules::{Proposal, ProposedEpisode, Usage};

fn end(episode: ProposedEpisode, _again: Proposal) {
    let _ = episode.propose(None, Usage::default());
}

fn main() {
    let _ = end;
}
