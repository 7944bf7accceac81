//! One episode is open at a time, proposes at most one rule over all its attempts, and ends exactly
//! once; what does not resolve it leaves every notice pending.

use harness_core::{
    Episode, NoticeId, RepairSessionId, RepairStatus, ResolutionKind, Severity, Signature, TraceId,
};
use harness_rules::{
    Abandoned, Category, DeskError, Desks, Ended, ModelTurn, Opened, ToolCallNote, Usage,
    WithoutRule,
};
use harness_store::Mailbox;
use harness_store::wire::event::{Event, RepairEnd};
use harness_store::wire::sha256;

use crate::fixture::{
    Place, added, advice, begin, clean, fresh, later, notice, post, proposal, rule_id, start,
};

const USAGE: Usage = Usage {
    turns: 2,
    tool_calls: 3,
    output_tokens: 400,
    elapsed_ms: 12,
};

fn due(desks: &Desks) -> Vec<Episode> {
    desks.repair.episodes(later()).unwrap()
}

fn pending(place: &Place) -> Vec<String> {
    let mut mailbox = place.reader().follow(Mailbox::default());
    mailbox.refresh().unwrap();
    let ids = mailbox.get().pending().map(|notice| notice.id.to_string());
    ids.collect()
}

/// The terminal events, with the kind each has in the journal.
fn ends(place: &Place) -> Vec<(RepairStatus, RepairEnd)> {
    let events = place.events().into_iter();
    events
        .filter_map(|event| match event {
            Event::RepairCompleted(end) => Some((RepairStatus::CandidateAdded, end)),
            Event::RepairDuplicate(end) => Some((RepairStatus::Duplicate, end)),
            Event::RepairAlreadyCovered(end) => Some((RepairStatus::AlreadyCovered, end)),
            Event::RepairNoProposal(end) => Some((RepairStatus::NoProposal, end)),
            Event::RepairUnactionable(end) => Some((RepairStatus::Unactionable, end)),
            Event::RepairTimedOut(end) => Some((RepairStatus::TimedOut, end)),
            Event::RepairFailed(end) => Some((RepairStatus::Failed, end)),
            Event::RepairCancelled(end) => Some((RepairStatus::Cancelled, end)),
            _ => None,
        })
        .collect()
}

fn proposals(place: &Place) -> usize {
    let events = place.events();
    events
        .iter()
        .filter(|event| matches!(event, Event::RuleAdd(_)))
        .count()
}

#[test]
fn an_attempt_cut_short_after_its_proposal_is_continued_with_it() {
    let place = Place::new();
    let desks = place.open();
    let proposed = added(
        fresh(&desks, "n-1")
            .propose(proposal(&advice('a')))
            .unwrap(),
    );
    let rule = proposed.rule().clone();
    let ended = proposed
        .abandon(Abandoned::TimedOut, Category::TimeLimit, USAGE)
        .unwrap();
    assert_eq!(
        ended,
        Ended {
            status: RepairStatus::TimedOut,
            rule: Some(rule.clone())
        }
    );
    assert_eq!(pending(&place), ["n-1"]);

    drop(desks);
    let desks = place.open();
    let episode = due(&desks).remove(0);
    let Opened::Continued(proposed) = begin(&desks, &episode) else {
        panic!("a fresh attempt could propose again");
    };
    assert_eq!(proposed.rule(), &rule);
    let ended = proposed.acknowledge(Some(clean("done")), USAGE).unwrap();
    assert_eq!(ended.status, RepairStatus::CandidateAdded);
    assert_eq!(
        (proposals(&place), pending(&place).len(), due(&desks).len()),
        (1, 0, 0)
    );
    let ends = ends(&place);
    let told: Vec<_> = ends
        .iter()
        .map(|(status, end)| (*status, end.context.attempt))
        .collect();
    assert_eq!(
        told,
        [
            (RepairStatus::TimedOut, 1),
            (RepairStatus::CandidateAdded, 2)
        ]
    );
    assert_eq!((ends[1].1.turns, ends[1].1.rule.as_ref()), (2, Some(&rule)));
    assert!(place.reader().audit().unwrap().ok);
}

#[test]
fn each_way_to_end_without_a_rule_resolves_once() {
    let place = Place::new();
    let desks = place.open();
    let rule = rule_id("r-known");
    for (n, how, status) in [
        (
            1,
            WithoutRule::Duplicate(rule.clone()),
            RepairStatus::Duplicate,
        ),
        (
            2,
            WithoutRule::AlreadyCovered(rule),
            RepairStatus::AlreadyCovered,
        ),
        (3, WithoutRule::NoProposal, RepairStatus::NoProposal),
        (4, WithoutRule::Unactionable, RepairStatus::Unactionable),
    ] {
        let open = fresh(&desks, &format!("n-{n}"));
        let episode = open.episode().clone();
        assert_eq!(open.resolve(how, None, USAGE).unwrap().status, status);
        assert_eq!(pending(&place), Vec::<String>::new());
        let ends = ends(&place);
        assert_eq!((ends.len(), ends[n - 1].0), (n, status));
        // It cannot be opened again: its notices do not wait.
        let again = desks
            .repair
            .open(&episode, clean("builtin"), RepairSessionId::from_bits(2));
        assert!(matches!(again, Err(DeskError::NotPending(id)) if id == *episode.id()));
    }
    let kinds: Vec<_> = place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::RepairNoticeResolved(resolved) => Some(resolved.kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ResolutionKind::ALL[1..]);
}

#[test]
fn what_is_abandoned_or_dropped_leaves_every_notice_pending() {
    let place = Place::new();
    let desks = place.open();
    post(&desks, vec![notice("n-1")]);
    let open = || match begin(&desks, &due(&desks)[0]) {
        Opened::Fresh(open) => open,
        Opened::Continued(_) => panic!("nothing was proposed"),
    };
    for (how, status) in [
        (Abandoned::TimedOut, RepairStatus::TimedOut),
        (Abandoned::Failed, RepairStatus::Failed),
        (Abandoned::Cancelled, RepairStatus::Cancelled),
    ] {
        let ended = open().abandon(how, Category::Stopped, USAGE).unwrap();
        assert_eq!((ended.status, ended.rule), (status, None));
        assert_eq!(pending(&place), ["n-1"]);
    }
    drop(open());
    assert_eq!(pending(&place), ["n-1"]);
    let told: Vec<_> = ends(&place).iter().map(|(status, _)| *status).collect();
    assert_eq!(
        told,
        [
            RepairStatus::TimedOut,
            RepairStatus::Failed,
            RepairStatus::Cancelled,
            RepairStatus::Cancelled
        ]
    );
    // The twin that resolves does not.
    open()
        .resolve(WithoutRule::NoProposal, None, USAGE)
        .unwrap();
    assert_eq!(pending(&place), Vec::<String>::new());
}

#[test]
fn one_episode_at_a_time_is_repaired() {
    let place = Place::new();
    let desks = place.open();
    let first = fresh(&desks, "n-1");
    post(&desks, vec![notice("n-2")]);
    let episodes = due(&desks);
    let other = episodes
        .iter()
        .find(|other| *other != first.episode())
        .unwrap();
    let open = || {
        let session = RepairSessionId::from_bits(2);
        desks.repair.open(other, clean("builtin"), session)
    };
    assert!(matches!(open(), Err(DeskError::EpisodeUnderWay)));
    first.resolve(WithoutRule::NoProposal, None, USAGE).unwrap();
    assert!(matches!(open(), Ok(Opened::Fresh(_))));
}

#[test]
fn an_episode_that_failed_backs_off_and_starves_no_newer_one() {
    let place = Place::new();
    let desks = place.open();
    let failing = fresh(&desks, "n-1");
    let id = failing.episode().id().clone();
    failing
        .abandon(Abandoned::Failed, Category::ModelUnavailable, USAGE)
        .unwrap();
    assert_eq!(desks.repair.episodes(start().plus_seconds(59)).unwrap(), []);
    assert_eq!(
        desks
            .repair
            .episodes(start().plus_seconds(62))
            .unwrap()
            .len(),
        1
    );

    post(&desks, vec![notice("n-2")]);
    let episodes = due(&desks);
    assert_eq!(episodes.len(), 2);
    assert_eq!(episodes[1].id(), &id);
    assert_eq!(desks.repair.attempts_on_day_of(start()).unwrap(), 1);
    assert_eq!(desks.repair.attempts_on_day_of(later()).unwrap(), 0);
}

#[test]
fn a_notice_for_people_is_no_episode() {
    let place = Place::new();
    let desks = place.open();
    let mut for_people = notice("n-1");
    for_people.severity = Severity::NeedsHuman;
    post(&desks, vec![for_people.clone()]);
    assert_eq!(due(&desks), []);
    post(&desks, vec![notice("n-2")]);
    assert_eq!(due(&desks).len(), 1);

    let ids = vec![for_people.id.clone()];
    let forced = Episode::new(for_people.session, 0, ids, sha256).unwrap();
    let session = RepairSessionId::from_bits(2);
    let refused = desks.repair.open(&forced, clean("builtin"), session);
    assert!(matches!(refused, Err(DeskError::NotPending(_))));
}

#[test]
fn related_notices_of_one_turn_are_one_episode() {
    let place = Place::new();
    let desks = place.open();
    let of_turn = |id: &str, trace: &str, signatures: &[&str]| {
        let mut notice = notice("n-1");
        notice.id = NoticeId::parse(id).unwrap();
        notice.flagged_traces = vec![TraceId::parse(trace).unwrap()];
        let parsed = signatures
            .iter()
            .map(|text| Signature::parse(text).unwrap());
        notice.signatures = parsed.collect();
        notice
    };
    let breach = "breach:tool_correctness";
    let outcome = "breach:outcome_correct";
    post(
        &desks,
        vec![
            // The first and the third share nothing; each shares something with the second.
            of_turn("n-1", "trace-1", &[breach]),
            of_turn("n-3", "trace-3", &[outcome]),
            of_turn("n-2", "trace-3", &[breach, "stall:task_completion"]),
            of_turn("n-4", "trace-4", &["stall:coherence"]),
        ],
    );
    post(&desks, vec![notice("n-5")]);
    let mut found: Vec<Vec<String>> = due(&desks)
        .iter()
        .map(|episode| episode.notices().iter().map(ToString::to_string).collect())
        .collect();
    found.sort();
    assert_eq!(found, [vec!["n-1", "n-2", "n-3"], vec!["n-4"], vec!["n-5"]]);

    let episode = &due(&desks)[0];
    let Opened::Fresh(open) = begin(&desks, episode) else {
        panic!("nothing was proposed");
    };
    assert_eq!(open.notices().len(), 3);
    added(open.propose(proposal(&advice('a'))).unwrap())
        .acknowledge(None, USAGE)
        .unwrap();
    assert_eq!(pending(&place), ["n-4", "n-5"]);
}

#[test]
fn what_a_model_did_is_journaled_as_numbers_and_hashes() {
    let place = Place::new();
    let desks = place.open();
    let mut open = fresh(&desks, "n-1");
    let turn = ModelTurn {
        tool_calls: 1,
        output_tokens: 7,
    };
    open.note_model_turn(1, turn).unwrap();
    let call = ToolCallNote {
        tool: clean("harness_notice_read"),
        ok: true,
        arguments_sha256: "00".repeat(32),
        result_bytes: 99,
    };
    open.note_tool_call(call).unwrap();
    open.considered(&[rule_id("r-b"), rule_id("r-a"), rule_id("r-b")]);
    open.resolve(WithoutRule::NoProposal, None, USAGE).unwrap();
    let kinds: Vec<_> = place
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::RepairModelTurn(turn) => Some((turn.turn, turn.output_tokens)),
            Event::RepairToolCall(call) => Some((call.context.attempt, call.result_bytes)),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [(1, 7), (1, 99)]);
    let considered = &ends(&place)[0].1.context.considered_rules;
    assert!(considered.contains(&rule_id("r-a")) && considered.contains(&rule_id("r-b")));
}
