//! The embedded evaluator: scores a trace from the trace alone.
//!
//! Pure and deterministic; no model, no network, no clock. It sees what a judge may see: the spans
//! of the four rule tools are passed over, so that a rule on trial cannot speak for itself.
//!
//! It reads form, not truth: it knows a call that failed, a turn that ended without an answer or
//! a text that came twice, and knows nothing of a wrong answer well told. That takes a verifier of
//! the developer's own. A reason names tools, error classes and counts with their
//! denominators, and never a value of the trace.

mod argument_correctness;
mod coherence;
mod finding;
mod phrases;
mod step_efficiency;
mod steps;
mod task_completion;
mod tool_correctness;

use harness_core::{CleanString, MetricName, MetricRegistry, MetricSpec, Score, Tier, Trace};

use finding::Finding;
use steps::Steps;

/// The evaluator's name where scores are recorded.
pub const NAME: &str = "embedded";

/// The version of its rules; scores of different versions are not compared.
pub const VERSION: u32 = 1;

/// What one metric says of one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedScore {
    /// The metric.
    pub metric: MetricName,
    /// Its score; none where it has nothing to say of this trace (a turn without a tool call has
    /// no tool correctness). That is final: it is not pending.
    pub score: Option<Score>,
    /// What in the trace led to it.
    pub reason: CleanString,
}

/// The metrics it declares: `task_completion` and `coherence` (tier 1), `tool_correctness` and
/// `argument_correctness` (tier 2), `step_efficiency` (tier 3), each with threshold 0.5.
pub fn registry() -> MetricRegistry {
    MetricRegistry::new(METRICS.iter().filter_map(|metric| {
        Some(MetricSpec {
            name: MetricName::parse(metric.name).ok()?,
            tier: metric.tier,
            threshold: Score::new(THRESHOLD)?,
        })
    }))
}

/// Scores a trace: one entry for each metric of the [`registry`], in its order.
pub fn score(trace: &Trace) -> Vec<EmbeddedScore> {
    let steps = Steps::of(trace);
    METRICS
        .iter()
        .filter_map(|metric| {
            let Finding { score, reason } = (metric.score)(&steps);
            Some(EmbeddedScore {
                metric: MetricName::parse(metric.name).ok()?,
                score,
                reason: finding::clean(&reason),
            })
        })
        .collect()
}

const THRESHOLD: f64 = 0.5;

struct Metric {
    name: &'static str,
    tier: Tier,
    score: fn(&Steps<'_>) -> Finding,
}

/// In order of name, as a registry lists them.
const METRICS: [Metric; 5] = [
    Metric {
        name: "argument_correctness",
        tier: Tier::Diagnosis,
        score: argument_correctness::score,
    },
    Metric {
        name: "coherence",
        tier: Tier::Progress,
        score: coherence::score,
    },
    Metric {
        name: "step_efficiency",
        tier: Tier::Explanation,
        score: step_efficiency::score,
    },
    Metric {
        name: "task_completion",
        tier: Tier::Progress,
        score: task_completion::score,
    },
    Metric {
        name: "tool_correctness",
        tier: Tier::Diagnosis,
        score: tool_correctness::score,
    },
];

#[cfg(test)]
mod tests {
    use harness_core::{ErrorClass, TASK_TOOLS};
    use proptest::prelude::*;

    use super::steps::made_up::{call, fails, reply, trace};
    use super::*;

    #[test]
    fn each_metric_of_the_registry_is_scored_once_and_in_order() {
        let names: Vec<String> = registry()
            .iter()
            .map(|spec| spec.name.to_string())
            .collect();
        let scored = score(&trace("hello", vec![reply("hello to you")]));
        assert_eq!(
            scored
                .iter()
                .map(|s| s.metric.to_string())
                .collect::<Vec<_>>(),
            names
        );
        assert_eq!(names.len(), METRICS.len());
    }

    #[test]
    fn the_rule_tools_are_not_seen_and_other_tools_are() {
        let spans = |tool: &str| {
            vec![
                fails(tool, "query=a", ErrorClass::NotFound),
                reply("The red box is on the top shelf."),
            ]
        };
        let value = |tool: &str| score(&trace("hello", spans(tool)));
        let without = score(&trace(
            "hello",
            vec![reply("The red box is on the top shelf.")],
        ));
        for tool in TASK_TOOLS {
            assert_eq!(value(tool), without, "{tool}");
        }
        assert_ne!(value("search"), without);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_trace_is_scored_and_always_the_same(
            steps in proptest::collection::vec((0..4_u8, "[ab]", "[a-z ?.]{0,60}"), 0..30)
        ) {
            let spans = steps
                .iter()
                .map(|(kind, name, text)| match kind {
                    0 => reply(text),
                    1 => fails(name, "x=1", ErrorClass::NotFound),
                    _ => call(name, &format!("x={kind}"), text),
                })
                .collect();
            let trace = trace("please put the red box on the top shelf", spans);
            let scored = score(&trace);
            prop_assert_eq!(scored.len(), METRICS.len());
            prop_assert!(scored.iter().all(|scored| !scored.reason.is_empty()));
            prop_assert_eq!(scored, score(&trace.for_judges()));
        }
    }

    #[test]
    fn a_reason_carries_no_value_of_the_trace() {
        let spans = vec![
            fails("move", "to=quixotic", ErrorClass::InvalidArgument),
            call("look", "at=quixotic", "quixotic"),
            reply("quixotic"),
        ];
        for scored in score(&trace("quixotic", spans)) {
            assert!(!scored.reason.as_str().contains("quixotic"), "{scored:?}");
            assert!(!scored.reason.is_empty());
        }
    }
}
