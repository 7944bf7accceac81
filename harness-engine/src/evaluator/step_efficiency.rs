//! Tier 3, `step_efficiency`: the share of calls that were worth making.

use harness_core::{Arguments, Score, Span};

use super::finding::{Finding, counted, tally, tool};
use super::steps::{Steps, same_call};

/// Leaves in which two calls may differ and still be nearly identical.
const NEAR: usize = 1;

/// A call is wasted if it repeats an earlier one with the same result, if it differs from an
/// earlier one in one argument and brings the same result, or if it goes back and forth: it
/// repeats the last call but one, which repeats the one two before it.
pub(super) fn score(steps: &Steps<'_>) -> Finding {
    let calls = &steps.calls;
    if calls.is_empty() {
        return Finding::silent("no tool was called");
    }
    let wasted: Vec<String> = calls
        .iter()
        .enumerate()
        .filter_map(|(at, call)| {
            let before = calls.get(..at)?;
            Some(format!("`{}` {}", tool(call), waste(call, before)?))
        })
        .collect();
    let score = Score::ratio(calls.len() - wasted.len(), calls.len());
    let all = counted(calls.len(), "call");
    let reason = match wasted.len() {
        0 => format!("0 of {all} repeat an earlier one"),
        some => format!("{some} of {all} bring nothing new: {}", tally(wasted)),
    };
    Finding::new(score, reason)
}

fn waste(call: &Span, before: &[&Span]) -> Option<&'static str> {
    let same_result =
        |earlier: &&&Span| earlier.status == call.status && earlier.output == call.output;
    if let [.., fourth, _, second, _] = before
        && same_call(call, second)
        && same_call(second, fourth)
    {
        return Some("back and forth");
    }
    if before
        .iter()
        .filter(same_result)
        .any(|earlier| same_call(call, earlier))
    {
        return Some("repeated");
    }
    before
        .iter()
        .filter(same_result)
        .any(|earlier| nearly_same_call(call, earlier))
        .then_some("nearly repeated")
}

/// Whether two calls of one tool have the same argument names and differ in one value.
fn nearly_same_call(a: &Span, b: &Span) -> bool {
    let (Arguments::Leaves(x), Arguments::Leaves(y)) = (&a.arguments, &b.arguments) else {
        return false;
    };
    a.name == b.name
        && x.len() == y.len()
        && x.iter().zip(y).all(|(x, y)| x.path == y.path)
        && x.iter().zip(y).filter(|(x, y)| x.value != y.value).count() <= NEAR
}

#[cfg(test)]
mod tests {
    use super::super::steps::made_up::{call, fails, judged, reply};
    use super::score;
    use harness_core::ErrorClass;

    #[test]
    fn identical_repeats_are_wasted_and_a_repeat_with_news_is_not() {
        let (low, reason) = judged(
            score,
            vec![
                call("look", "at=a", "empty"),
                call("look", "at=a", "empty"),
                call("look", "at=a", "empty"),
            ],
        );
        assert_eq!(low, Some(1.0 / 3.0));
        assert_eq!(
            reason,
            "2 of 3 calls bring nothing new: `look` repeated twice"
        );
        let polled = vec![call("look", "at=a", "empty"), call("look", "at=a", "a box")];
        assert_eq!(judged(score, polled).0, Some(1.0));
    }

    #[test]
    fn one_argument_changed_in_vain_is_wasted_and_with_a_result_is_not() {
        let vain = vec![
            fails("open", "box=1 key=a", ErrorClass::Conflict),
            fails("open", "box=1 key=b", ErrorClass::Conflict),
        ];
        assert_eq!(judged(score, vain).0, Some(0.5));
        let fruitful = vec![
            fails("open", "box=1 key=a", ErrorClass::Conflict),
            call("open", "box=1 key=b", "open"),
        ];
        assert_eq!(judged(score, fruitful).0, Some(1.0));
    }

    #[test]
    fn back_and_forth_is_wasted_and_going_on_is_not() {
        let to = |place: &str, news: &str| call("go", &format!("to={place} by=foot"), news);
        let lost = vec![
            to("a", "1"),
            to("b", "2"),
            to("a", "3"),
            to("b", "4"),
            to("a", "5"),
        ];
        assert_eq!(judged(score, lost).0, Some(0.8));
        let on = vec![
            to("a", "1"),
            to("b", "2"),
            to("c", "3"),
            to("d", "4"),
            to("e", "5"),
        ];
        assert_eq!(judged(score, on).0, Some(1.0));
    }

    #[test]
    fn without_a_call_it_is_silent() {
        assert_eq!(judged(score, vec![reply("hello")]).0, None);
    }
}
