//! Tier 1, `coherence`: does the agent keep the thread, or does it say and do the same again?

use harness_core::Score;

use super::finding::{Finding, counted, tally, tool};
use super::steps::{Steps, Words, failed, same_call};

/// Similarity from which on two texts say the same.
const SAME: f64 = 0.9;
/// Earlier replies that a reply is compared with.
const LOOK_BACK: usize = 8;
/// How often a line must come in a row to be a loop.
const LOOP: usize = 3;
/// Characters from which on a line counts for a loop; shorter ones head lists and tables.
const MIN_LINE: usize = 24;

/// The lowest of: the share of replies that do not repeat an earlier one; the share of lines that
/// are not part of a loop; the share of calls that do not repeat, unchanged, a call that failed;
/// one half if a reply gives the request back.
pub(super) fn score(steps: &Steps<'_>) -> Finding {
    if steps.all.is_empty() {
        return Finding::silent("the agent neither spoke nor acted");
    }
    [
        repeated_replies(steps),
        looping_lines(steps),
        deaf_calls(steps),
        echo(steps),
    ]
    .into_iter()
    .flatten()
    .min_by(|(a, _), (b, _)| a.get().total_cmp(&b.get()))
    .map_or_else(
        || {
            let said = counted(steps.replies.len(), "message");
            let calls = counted(steps.calls.len(), "call");
            Finding::new(Score::ONE, format!("no repeat in {said} and {calls}"))
        },
        |(score, reason)| Finding::new(score, reason),
    )
}

fn repeated_replies(steps: &Steps<'_>) -> Option<(Score, String)> {
    let words: Vec<Option<Words>> = steps
        .replies
        .iter()
        .map(|reply| Words::of(reply.output.as_str()))
        .collect();
    let repeats = words
        .iter()
        .enumerate()
        .filter(|(at, reply)| {
            let earlier = words.iter().take(*at).rev().take(LOOK_BACK).flatten();
            reply.as_ref().is_some_and(|reply| {
                earlier
                    .into_iter()
                    .any(|earlier| reply.similarity(earlier) >= SAME)
            })
        })
        .count();
    let all = words.len();
    (repeats > 0).then(|| {
        (
            Score::ratio(all - repeats, all),
            format!("{repeats} of {all} replies repeat an earlier one"),
        )
    })
}

fn looping_lines(steps: &Steps<'_>) -> Option<(Score, String)> {
    steps
        .replies
        .iter()
        .filter_map(|reply| {
            let lines: Vec<&str> = reply
                .output
                .as_str()
                .lines()
                .map(str::trim)
                .filter(|line| line.len() >= MIN_LINE)
                .collect();
            let looping: usize = lines
                .chunk_by(|a, b| a == b)
                .filter(|run| run.len() >= LOOP)
                .map(|run| run.len() - 1)
                .sum();
            let all = lines.len();
            (looping > 0).then(|| {
                let reason =
                    format!("{looping} of {all} lines of one reply repeat the line before");
                (Score::ratio(all - looping, all), reason)
            })
        })
        .min_by(|(a, _), (b, _)| a.get().total_cmp(&b.get()))
}

/// Calls that repeat a failed call as if it had not been answered.
fn deaf_calls(steps: &Steps<'_>) -> Option<(Score, String)> {
    let calls = &steps.calls;
    let deaf: Vec<String> = calls
        .iter()
        .enumerate()
        .filter(|(at, call)| {
            // The last answer to the same call counts: after a success a repeat is not deaf.
            let last = calls
                .iter()
                .take(*at)
                .rev()
                .find(|earlier| same_call(call, earlier));
            last.is_some_and(|earlier| failed(earlier).is_some())
        })
        .map(|(_, call)| format!("`{}`", tool(call)))
        .collect();
    let all = calls.len();
    (!deaf.is_empty()).then(|| {
        let score = Score::ratio(all - deaf.len(), all);
        let count = deaf.len();
        let reason = format!(
            "{count} of {all} calls repeat a failed call unchanged: {}",
            tally(deaf)
        );
        (score, reason)
    })
}

fn echo(steps: &Steps<'_>) -> Option<(Score, String)> {
    let request = Words::of(steps.request)?;
    let last = Words::of(steps.replies.last()?.output.as_str())?;
    (request.similarity(&last) >= SAME).then(|| {
        (
            Score::ratio(1, 2),
            "the last reply gives the request back".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::steps::made_up::{call, fails, judged, reply};
    use super::score;
    use harness_core::ErrorClass;

    const LONG: &str = "I looked at every shelf in the room and the red box is on none of them";

    #[test]
    fn a_reply_that_comes_twice_lowers_it_and_two_short_ones_do_not() {
        let (low, reason) = judged(score, vec![reply(LONG), call("look", "", ""), reply(LONG)]);
        assert_eq!(low, Some(0.5));
        assert_eq!(reason, "1 of 2 replies repeat an earlier one");
        assert_eq!(
            judged(score, vec![reply("Done."), reply("Done.")]).0,
            Some(1.0)
        );
    }

    #[test]
    fn a_line_in_a_loop_lowers_it_and_a_list_does_not() {
        let looping = [LONG; 5].join("\n");
        assert_eq!(judged(score, vec![reply(&looping)]).0, Some(0.2));
        let list: Vec<String> = (1..=5)
            .map(|n| format!("{n}. a box of another size"))
            .collect();
        assert_eq!(judged(score, vec![reply(&list.join("\n"))]).0, Some(1.0));
    }

    #[test]
    fn a_failed_call_again_unchanged_lowers_it_and_another_try_does_not() {
        let failing = |to: &str| fails("move", &format!("to={to}"), ErrorClass::NotFound);
        let (low, reason) = judged(score, vec![failing("a"), failing("a"), failing("a")]);
        assert_eq!(low, Some(1.0 / 3.0));
        assert_eq!(
            reason,
            "2 of 3 calls repeat a failed call unchanged: `move` twice"
        );
        assert_eq!(judged(score, vec![failing("a"), failing("b")]).0, Some(1.0));
    }

    #[test]
    fn giving_the_request_back_lowers_it_and_an_answer_does_not() {
        let (low, _) = judged(
            score,
            vec![reply("Please put the red box on the top shelf!")],
        );
        assert_eq!(low, Some(0.5));
        let answer = reply("The red box is on the top shelf now, beside the lamp.");
        assert_eq!(judged(score, vec![answer]).0, Some(1.0));
    }

    #[test]
    fn of_nothing_it_says_nothing() {
        assert_eq!(judged(score, vec![]).0, None);
    }
}
