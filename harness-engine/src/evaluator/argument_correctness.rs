//! Tier 2, `argument_correctness`: the share of calls whose arguments were acceptable.

use harness_core::{Arguments, Score, Span};

use super::finding::{Finding, counted, tally, tool};
use super::steps::{Steps, failed};

/// A call counts if its end is known or its arguments could not be read.
pub(super) fn score(steps: &Steps<'_>) -> Finding {
    let judged: Vec<&Span> = steps
        .calls
        .iter()
        .copied()
        .filter(|call| call.status != harness_core::SpanStatus::Unknown || unreadable(call))
        .collect();
    if judged.is_empty() {
        return Finding::silent("no tool call has a known result");
    }
    let rejected: Vec<String> = judged.iter().filter_map(|call| rejection(call)).collect();
    let score = Score::ratio(judged.len() - rejected.len(), judged.len());
    let all = counted(judged.len(), "call");
    let reason = match rejected.len() {
        0 => format!("the arguments of 0 of {all} were rejected"),
        some => format!(
            "the arguments of {some} of {all} were rejected: {}",
            tally(rejected)
        ),
    };
    Finding::new(score, reason)
}

fn unreadable(call: &Span) -> bool {
    matches!(call.arguments, Arguments::Unreadable(_))
}

/// How the arguments of a call were wrong, and of which argument the error speaks, if of one.
fn rejection(call: &Span) -> Option<String> {
    if unreadable(call) {
        return Some(format!("`{}` unreadable arguments", tool(call)));
    }
    let class = failed(call).filter(|class| class.blames_arguments())?;
    let named = call
        .arguments
        .leaves()
        .iter()
        .filter_map(|leaf| {
            leaf.path
                .as_str()
                .rsplit('.')
                .find(|name| !is_position(name))
        })
        .find(|name| says_word(call.output.as_str(), name));
    Some(match named {
        Some(name) => format!("`{}` {class} (`{name}`)", tool(call)),
        None => format!("`{}` {class}", tool(call)),
    })
}

fn is_position(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

fn says_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|spoken| spoken == word)
}

#[cfg(test)]
mod tests {
    use super::super::steps::made_up::{call, fails, judged, reply};
    use super::score;
    use harness_core::{Arguments, CleanText, ErrorClass};

    #[test]
    fn rejected_arguments_lower_it_and_a_failure_of_the_world_does_not() {
        let mut rejected = fails("move", "depth=-1 to=a", ErrorClass::InvalidArgument);
        rejected.output = CleanText::new("Error: depth must be positive").unwrap();
        let (low, reason) = judged(score, vec![rejected, call("list", "", "")]);
        assert_eq!(low, Some(0.5));
        assert_eq!(
            reason,
            "the arguments of 1 of 2 calls were rejected: `move` invalid_argument (`depth`) once"
        );
        let down = fails("move", "depth=1", ErrorClass::Unavailable);
        assert_eq!(judged(score, vec![down, call("list", "", "")]).0, Some(1.0));
    }

    #[test]
    fn unreadable_arguments_are_wrong_whatever_came_of_them() {
        let mut torn = call("move", "", "");
        torn.arguments = Arguments::Unreadable(CleanText::new("{\"to\":").unwrap());
        assert_eq!(judged(score, vec![torn]).0, Some(0.0));
        assert_eq!(judged(score, vec![call("move", "", "")]).0, Some(1.0));
    }

    #[test]
    fn without_a_call_it_is_silent() {
        assert_eq!(judged(score, vec![reply("hello")]).0, None);
    }
}
