//! Failed calls: which tool and class matter most, which argument was at fault, which tool helps.

use harness_core::ErrorClass;

use super::advice::{Advice, Worth, advice};
use super::facts::{CallFact, Facts, Went};
use super::lesson::{Diagnosis, Lesson};
use super::names::Name;

/// Characters from which a word that two names share says that they speak of the same thing.
const TELLING_WORD: usize = 3;
/// Bytes from which a value found in a result shows that it came from there.
const TELLING_VALUE: usize = 3;

/// The failures of one tool with one class.
struct Failures<'f> {
    tool: &'f Name,
    class: ErrorClass,
    calls: Vec<&'f CallFact>,
    repeated: usize,
}

/// The lesson of the trace's failed calls.
pub(super) fn diagnose(facts: &Facts) -> Diagnosis {
    let mut unactionable = false;
    for failures in grouped(facts) {
        let advice = advice(failures.class);
        if failures.is_worth(&advice, facts) {
            return Diagnosis::Lesson(failures.lesson(&advice, facts));
        }
        unactionable |= matches!(advice.worth, Worth::Insisted | Worth::Repeated)
            && failures.class != ErrorClass::Other;
    }
    if unactionable {
        Diagnosis::Unactionable("a tool or service failed, and the agent did not insist")
    } else {
        Diagnosis::Nothing("no failed call shows what to do instead")
    }
}

/// The failures by tool and class: most frequent first, then the earliest.
fn grouped(facts: &Facts) -> Vec<Failures<'_>> {
    let mut groups: Vec<Failures<'_>> = Vec::new();
    for call in &facts.calls {
        let Went::Wrong(class) = call.went else {
            continue;
        };
        let known = groups
            .iter_mut()
            .find(|group| *group.tool == call.tool && group.class == class);
        match known {
            Some(group) => {
                group.calls.push(call);
                group.repeated += usize::from(call.repeats);
            }
            None => groups.push(Failures {
                tool: &call.tool,
                class,
                calls: vec![call],
                repeated: usize::from(call.repeats),
            }),
        }
    }
    // Stable, so the earliest stays first among equals.
    groups.sort_by_key(|group| std::cmp::Reverse(group.calls.len()));
    groups
}

impl Failures<'_> {
    fn is_worth(&self, advice: &Advice, facts: &Facts) -> bool {
        match advice.worth {
            Worth::Always => true,
            Worth::Unmended => self.calls.len() > 1 || self.mended(facts).is_none(),
            Worth::Insisted => self.calls.len() > 1,
            Worth::Repeated => self.repeated > 0,
        }
    }

    fn lesson(&self, advice: &Advice, facts: &Facts) -> Lesson {
        let argument = self.argument(facts);
        let helped = advice
            .helped
            .and_then(|(words, text)| Some((self.helper(words, argument, facts)?, text)));
        let (helper, text) =
            helped.map_or((None, advice.alone), |(helper, text)| (Some(helper), text));
        let shown =
            |name: Option<&Name>, or: &str| name.map_or_else(|| or.to_owned(), Name::to_string);
        let rule = text
            .replace("{tool}", &self.tool.to_string())
            .replace("{argument}", &shown(argument, advice.unnamed))
            .replace("{helper}", &shown(helper, ""));
        let of_tool = facts
            .calls
            .iter()
            .filter(|call| call.tool == *self.tool)
            .count();
        let rationale = format!(
            "In the flagged trace {} of {of_tool} calls of {} failed with `{}`; {} of these sent an \
             earlier call again.",
            self.calls.len(),
            self.tool,
            self.class,
            self.repeated,
        );
        Lesson {
            rule,
            rationale,
            tool: Some(self.tool.clone()),
            class: Some(self.class),
            kind: "failed call",
            metrics: advice.metrics(),
        }
    }

    /// The first call of the tool that went well after the last of these.
    fn mended<'f>(&self, facts: &'f Facts) -> Option<&'f CallFact> {
        let last = self.calls.last().map_or(0, |call| call.step);
        facts
            .calls
            .iter()
            .find(|call| call.step > last && call.tool == *self.tool && call.went == Went::Well)
    }

    /// The argument at fault: the one by which the call that went well differs from the last that
    /// did not; else the only one that the answers name; else the only one there is.
    fn argument<'f>(&'f self, facts: &'f Facts) -> Option<&'f Name> {
        let failed = self.calls.last()?;
        let changed = self.mended(facts).and_then(|mended| {
            only(
                mended
                    .names()
                    .into_iter()
                    .filter(|name| !mended.values(name).eq(failed.values(name))),
            )
        });
        let named = || {
            let said = |name: &&Name| self.calls.iter().any(|call| mentions(&call.output, name));
            only(failed.names().into_iter().filter(said))
        };
        changed.or_else(named).or_else(|| match self.class {
            // What is missing is not among those that are there.
            ErrorClass::MissingArgument => None,
            _ => only(failed.names().into_iter()),
        })
    }

    /// A tool of the trace that helps: known by a word of its name, worked at least once, and
    /// about the same thing, or the source of the value with which the call went well.
    fn helper<'f>(
        &self,
        words: &[&str],
        argument: Option<&Name>,
        facts: &'f Facts,
    ) -> Option<&'f Name> {
        let mended = self.mended(facts);
        let supplied = |call: &CallFact| {
            mended.zip(argument).is_some_and(|(mended, argument)| {
                call.step < mended.step
                    && mended
                        .values(argument)
                        .any(|value| value.len() >= TELLING_VALUE && call.output.contains(value))
            })
        };
        let signs_in = self.class == ErrorClass::Unauthenticated;
        let about_the_same = |call: &CallFact| signs_in || share_a_word(&call.tool, self.tool);
        let known: Vec<&CallFact> = facts
            .calls
            .iter()
            .filter(|call| call.tool != *self.tool && call.went == Went::Well)
            .filter(|call| {
                call.tool
                    .words()
                    .iter()
                    .any(|word| words.contains(&word.as_str()))
            })
            .collect();
        known
            .iter()
            .find(|call| supplied(call))
            .or_else(|| known.iter().find(|call| about_the_same(call)))
            .map(|call| &call.tool)
    }
}

/// The item of an iterator that has exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Whether a text names an argument as a word of its own.
fn mentions(text: &str, name: &Name) -> bool {
    text.split(|ch: char| !(ch.is_alphanumeric() || ch == '_' || ch == '-'))
        .any(|word| word == name.as_str())
}

/// Whether two names share a word that says something, singular or plural.
fn share_a_word(a: &Name, b: &Name) -> bool {
    let telling = |name: &Name| -> Vec<String> {
        name.words()
            .into_iter()
            .map(|word| word.strip_suffix('s').map_or(word.clone(), str::to_owned))
            .filter(|word| word.len() >= TELLING_WORD && word != "get")
            .collect()
    };
    let words = telling(b);
    telling(a).iter().any(|word| words.contains(word))
}
