//! How much was done in a turn: counts that say nothing of what was said.

use harness_core::{Span, SpanKind, Trace};
use harness_store::wire::score::TurnCounts;

/// Counts what a judge may see; the calls of the four rule tools are passed over.
pub(crate) fn of(trace: &Trace) -> TurnCounts {
    let mut counts = TurnCounts::default();
    for span in trace.spans().iter().filter(|span| !span.is_task_tool()) {
        match span.kind {
            SpanKind::Tool => {
                counts.calls = counts.calls.saturating_add(1);
                counts.result_words = counts.result_words.saturating_add(words(span));
            }
            SpanKind::Llm => counts.reply_words = counts.reply_words.saturating_add(words(span)),
            SpanKind::Agent | SpanKind::Chain => {}
        }
    }
    counts
}

fn words(span: &Span) -> u32 {
    let words = span.output.as_str().split_whitespace().count();
    u32::try_from(words).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use harness_core::{Arguments, CleanText, SpanStatus, Speaker, TASK_TOOLS, TraceId};

    use super::*;

    fn span(kind: SpanKind, name: &str, output: &str) -> Span {
        Span {
            kind,
            name: CleanText::new(name.to_owned()).unwrap(),
            speaker: Speaker::Agent,
            arguments: Arguments::none(),
            output: CleanText::new(output.to_owned()).unwrap(),
            status: SpanStatus::Ok,
            started_at: None,
            ended_at: None,
            tokens: None,
        }
    }

    fn counted(tool: &str) -> TurnCounts {
        let spans = vec![
            span(SpanKind::Agent, "agent", "not counted"),
            span(SpanKind::Tool, tool, "three words here"),
            span(SpanKind::Llm, "model", "two words"),
        ];
        let request = CleanText::new("hello".to_owned()).unwrap();
        of(&Trace::new(TraceId::parse("t#0").unwrap(), request, spans))
    }

    #[test]
    fn calls_and_words_are_counted_and_the_rule_tools_are_not() {
        let replied = TurnCounts {
            reply_words: 2,
            ..TurnCounts::default()
        };
        assert_eq!(counted(TASK_TOOLS[0]), replied);
        let called = TurnCounts {
            calls: 1,
            result_words: 3,
            ..replied
        };
        assert_eq!(counted("lookup"), called);
    }
}
