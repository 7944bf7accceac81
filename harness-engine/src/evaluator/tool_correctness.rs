//! Tier 2, `tool_correctness`: the share of calls that did not fail.

use harness_core::Score;

use super::finding::{Finding, counted, tally, tool};
use super::steps::{Steps, failed};

/// Calls without a known end count neither way.
pub(super) fn score(steps: &Steps<'_>) -> Finding {
    let ended: Vec<_> = steps.ended().collect();
    if ended.is_empty() {
        return Finding::silent("no tool call has a known result");
    }
    let failures: Vec<String> = ended
        .iter()
        .filter_map(|call| Some(format!("`{}` {}", tool(call), failed(call)?)))
        .collect();
    let score = Score::ratio(ended.len() - failures.len(), ended.len());
    let all = counted(ended.len(), "call");
    let reason = match failures.len() {
        0 => format!("0 of {all} failed"),
        some => format!("{some} of {all} failed: {}", tally(failures)),
    };
    Finding::new(score, reason)
}

#[cfg(test)]
mod tests {
    use super::super::steps::made_up::{call, fails, judged, reply};
    use super::score;
    use harness_core::{ErrorClass, SpanStatus};

    #[test]
    fn failed_calls_lower_it_and_good_ones_do_not() {
        let (low, reason) = judged(
            score,
            vec![
                fails("move", "to=a", ErrorClass::NotFound),
                call("list", "", "a b"),
                fails("move", "to=b", ErrorClass::NotFound),
                fails("open", "", ErrorClass::Timeout),
            ],
        );
        assert_eq!(low, Some(0.25));
        assert_eq!(
            reason,
            "3 of 4 calls failed: `move` not_found twice, `open` timeout once"
        );
        let (fine, reason) = judged(score, vec![call("list", "", ""), call("move", "", "ok")]);
        assert_eq!(fine, Some(1.0));
        assert_eq!(reason, "0 of 2 calls failed");
    }

    #[test]
    fn without_a_known_result_it_is_silent() {
        assert_eq!(judged(score, vec![reply("hello")]).0, None);
        let mut unknown = call("list", "", "");
        unknown.status = SpanStatus::Unknown;
        assert_eq!(judged(score, vec![unknown]).0, None);
    }
}
