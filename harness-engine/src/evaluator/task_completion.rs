//! Tier 1, `task_completion`: did the turn come to an end that looks like one?

use harness_core::{ErrorClass, Score, Span, SpanKind};

use super::finding::{Finding, counted, tally, tool};
use super::phrases;
use super::steps::{Steps, failed, same_call};

/// The scores, from worst to best. Below one half the turn was not completed. What a rank is worth
/// is for calibration to say; by themselves they only order what happened.
mod rank {
    /// Nothing was done or said.
    pub(super) const NOTHING: f64 = 0.0;
    /// A call failed for good, and the agent handed over or stopped there.
    pub(super) const GAVE_UP: f64 = 0.1;
    /// It ended without an answer.
    pub(super) const NO_ANSWER: f64 = 0.2;
    /// A call failed for good, and the answer is silent about it.
    pub(super) const CONCEALED: f64 = 0.3;
    /// A call failed for good, and the answer says that something went wrong.
    pub(super) const OWNED_UP: f64 = 0.4;
    /// It announced an act and did not act.
    pub(super) const PROMISED: f64 = 0.45;
    /// All that was looked up came back empty, which may be the answer.
    pub(super) const EMPTY: f64 = 0.7;
    /// What was looked up does not exist, and the agent asks the user instead of guessing. Close
    /// to 1: a question is how such a turn should end, and it is no regression.
    pub(super) const ASKED: f64 = 0.9;
    /// It ended with an answer, or with a call that closes the work.
    pub(super) const DONE: f64 = 1.0;
}

/// How the last step ends the turn.
enum Ending {
    /// With words of the agent, as [`phrases::plain`] has them.
    Answer(String),
    /// With a call that ends the work by its name.
    Closing,
    /// With anything else: a call nobody speaks of, an empty or failed reply.
    Open,
}

impl Ending {
    fn of(last: &Span) -> Self {
        let text = last.output.as_str();
        match last.kind {
            SpanKind::Tool if phrases::closes(last.name.as_str()) => Self::Closing,
            SpanKind::Llm if failed(last).is_none() && !text.trim().is_empty() => {
                Self::Answer(phrases::plain(text))
            }
            _ => Self::Open,
        }
    }
}

/// The rank of what failed for good, if anything did; else of how the turn ended.
pub(super) fn score(steps: &Steps<'_>) -> Finding {
    let Some(last) = steps.all.last() else {
        return rated(rank::NOTHING, "nothing followed the request");
    };
    if steps.cut {
        return Finding::silent("the trace is cut short, its end is not known");
    }
    let ending = Ending::of(last);
    let unresolved = unresolved(steps);
    if !unresolved.is_empty() {
        return after_failure(steps, &unresolved, &ending);
    }
    let calls = steps.calls.len();
    let made = counted(calls, "call");
    match ending {
        Ending::Open if last.kind == SpanKind::Tool => rated(
            rank::NO_ANSWER,
            format!("ended on a call of `{}` without an answer", tool(last)),
        ),
        Ending::Open => rated(rank::NO_ANSWER, "the last reply is empty or failed"),
        Ending::Answer(reply) if calls == 0 && phrases::only_promises(&reply) => {
            rated(rank::PROMISED, "announced an act, and 0 tools were called")
        }
        _ if calls > 0 && steps.calls.iter().all(|call| is_empty(call)) => {
            rated(rank::EMPTY, format!("{calls} of {made} came back empty"))
        }
        Ending::Answer(_) => rated(rank::DONE, format!("ended with an answer after {made}")),
        Ending::Closing => rated(rank::DONE, format!("ended with a call of `{}`", tool(last))),
    }
}

fn after_failure(steps: &Steps<'_>, unresolved: &[&Span], ending: &Ending) -> Finding {
    let handed_over = steps
        .calls
        .iter()
        .any(|call| phrases::hands_over(call.name.as_str()));
    let (score, what) = match ending {
        _ if handed_over => (rank::GAVE_UP, "handed over after failures"),
        Ending::Open => (rank::GAVE_UP, "stopped after failures without an answer"),
        Ending::Answer(reply) if only_not_found(unresolved) && phrases::asks(reply) => {
            (rank::ASKED, "the answer asks the user")
        }
        Ending::Answer(reply) if phrases::owns_up(reply) => {
            (rank::OWNED_UP, "the answer reports trouble")
        }
        Ending::Answer(_) | Ending::Closing => (rank::CONCEALED, "the end does not say so"),
    };
    let count = unresolved.len();
    let all = counted(steps.calls.len(), "call");
    let named = tally(unresolved.iter().map(|call| named(call)));
    rated(
        score,
        format!("{what}: {count} of {all} failed and no later call of the tool succeeded: {named}"),
    )
}

fn rated(score: f64, reason: impl Into<String>) -> Finding {
    Finding::new(Score::new(score).unwrap_or(Score::ZERO), reason)
}

/// The failed calls of tools of which no later call succeeded.
fn unresolved<'a>(steps: &Steps<'a>) -> Vec<&'a Span> {
    steps
        .calls
        .iter()
        .enumerate()
        .filter(|(at, call)| {
            failed(call).is_some()
                && !steps
                    .calls
                    .iter()
                    .skip(at + 1)
                    .any(|later| later.name == call.name && failed(later).is_none())
        })
        .map(|(_, call)| *call)
        .collect()
}

/// Whether the calls looked for what does not exist, each for something else.
fn only_not_found(calls: &[&Span]) -> bool {
    calls.iter().enumerate().all(|(at, call)| {
        failed(call) == Some(ErrorClass::NotFound)
            && !calls
                .iter()
                .take(at)
                .any(|earlier| same_call(call, earlier))
    })
}

fn named(call: &Span) -> String {
    match failed(call) {
        Some(class) => format!("`{}` {class}", tool(call)),
        None => format!("`{}`", tool(call)),
    }
}

/// Whether a lookup found nothing: an empty list or object.
fn is_empty(call: &Span) -> bool {
    matches!(call.output.as_str().trim(), "[]" | "{}" | "[[]]" | "null")
}

#[cfg(test)]
mod tests {
    use super::super::steps::made_up::{call, fails, judged, reply};
    use super::score;
    use harness_core::{ErrorClass, Span};

    const ANSWER: &str = "The red box is on the top shelf.";

    fn value(spans: Vec<Span>) -> f64 {
        judged(score, spans).0.unwrap()
    }

    fn failing() -> Span {
        fails("move", "to=a", ErrorClass::NotFound)
    }

    #[test]
    fn an_answer_completes_it_and_its_absence_does_not() {
        assert_eq!(value(vec![call("move", "", "ok"), reply(ANSWER)]), 1.0);
        assert_eq!(value(vec![reply(ANSWER), call("move", "", "ok")]), 0.2);
        assert_eq!(value(vec![call("move", "", "ok"), reply("")]), 0.2);
        assert_eq!(value(vec![]), 0.0);
    }

    #[test]
    fn a_call_that_closes_the_work_completes_it() {
        assert_eq!(
            value(vec![call("move", "", "ok"), call("submit", "", "ok")]),
            1.0
        );
        assert_eq!(
            value(vec![call("submit", "", "ok"), call("move", "", "ok")]),
            0.2
        );
    }

    #[test]
    fn a_failure_that_stays_lowers_it_and_one_that_is_mended_does_not() {
        let (concealed, reason) = judged(score, vec![failing(), reply(ANSWER)]);
        assert_eq!(concealed, Some(0.3));
        assert_eq!(
            reason,
            "the end does not say so: 1 of 1 call failed and no later call of the tool \
             succeeded: `move` not_found once"
        );
        assert_eq!(
            value(vec![failing(), reply("Sorry, there is no such shelf.")]),
            0.4
        );
        assert_eq!(value(vec![failing()]), 0.1);
        assert_eq!(value(vec![failing(), call("submit", "", "ok")]), 0.3);
        assert_eq!(
            value(vec![failing(), call("move", "to=b", "ok"), reply(ANSWER)]),
            1.0
        );
    }

    #[test]
    fn asking_for_what_was_not_found_is_fine_and_asking_again_in_vain_is_not() {
        let question = || reply("Sorry, there is no such shelf. Which one do you mean?");
        assert_eq!(value(vec![failing(), question()]), 0.9);
        assert_eq!(value(vec![failing(), failing(), question()]), 0.4);
        let denied = fails("move", "to=a", ErrorClass::PermissionDenied);
        let told = reply("Sorry, that is not allowed. Which one do you mean?");
        assert_eq!(value(vec![denied, told]), 0.4);
    }

    #[test]
    fn handing_over_after_a_failure_is_giving_up_and_by_itself_is_not() {
        assert_eq!(
            value(vec![failing(), call("transfer_to_person", "", "ok")]),
            0.1
        );
        assert_eq!(value(vec![call("transfer_to_person", "", "ok")]), 1.0);
    }

    #[test]
    fn a_promise_without_an_act_lowers_it_and_with_one_does_not() {
        let promise = || reply("I will now look for the red box.");
        assert_eq!(value(vec![promise()]), 0.45);
        assert_eq!(
            value(vec![promise(), call("look", "", "a box"), reply(ANSWER)]),
            1.0
        );
    }

    #[test]
    fn finding_nothing_lowers_it_and_finding_something_does_not() {
        assert_eq!(value(vec![call("find", "", "[]"), reply(ANSWER)]), 0.7);
        let found = vec![
            call("find", "", "[]"),
            call("find", "", "[1]"),
            reply(ANSWER),
        ];
        assert_eq!(value(found), 1.0);
    }
}
