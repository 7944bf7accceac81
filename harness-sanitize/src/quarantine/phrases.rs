//! Phrases that give a model instructions, as sequences of words with gaps between.
//!
//! They are matched on folded words, so that case, spacing, line breaks, punctuation, accents,
//! invisible characters and look-alikes make no difference.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::finding::{Finding, FindingKind};
use super::reading::{Reading, folded};

/// One step of a phrase: one of these words, after at most so many others.
struct Step {
    gap: usize,
    words: &'static [&'static str],
}

const fn step(gap: usize, words: &'static [&'static str]) -> Step {
    Step { gap, words }
}

struct Phrase {
    kind: FindingKind,
    steps: &'static [Step],
}

const ORDERS: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "directive",
    "directives",
    "guidelines",
    "programming",
    "commands",
    "orders",
    "task",
    "tasks",
    "rules",
    "context",
    "directions",
];

const STRONG_ORDERS: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "directive",
    "directives",
    "guidelines",
    "programming",
    "restrictions",
    "safeguards",
];

const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "preceding",
    "earlier",
    "foregoing",
    "former",
    "initial",
    "original",
];

const SET_ASIDE: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "bypass",
    "discard",
    "neglect",
    "abandon",
];

static PHRASES: &[Phrase] = &[
    Phrase {
        kind: FindingKind::Override,
        steps: &[step(0, SET_ASIDE), step(4, EARLIER), step(3, ORDERS)],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, SET_ASIDE),
            step(2, &["all", "any", "your", "my", "these", "those"]),
            step(3, STRONG_ORDERS),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, SET_ASIDE),
            step(1, &["everything", "anything", "all"]),
            step(3, &["above", "before", "previously", "told", "said"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["your"]),
            step(1, &["new", "real", "actual", "updated"]),
            step(
                1,
                &[
                    "instruction",
                    "instructions",
                    "task",
                    "objective",
                    "directive",
                    "goal",
                ],
            ),
            step(0, &["is", "are"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["instead"]),
            step(1, &["follow", "obey", "execute"]),
            step(3, &["instruction", "instructions", "command", "commands"]),
        ],
    },
    Phrase {
        kind: FindingKind::Concealment,
        steps: &[
            step(0, &["not", "dont", "never", "without"]),
            step(
                0,
                &[
                    "tell",
                    "telling",
                    "inform",
                    "informing",
                    "mention",
                    "mentioning",
                    "notify",
                    "notifying",
                    "alert",
                    "alerting",
                ],
            ),
            step(4, &["user", "operator", "users"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["you"]),
            step(0, &["are", "will"]),
            step(1, &["now", "act", "become"]),
            step(
                5,
                &[
                    "dan",
                    "unrestricted",
                    "unfiltered",
                    "jailbroken",
                    "uncensored",
                    "amoral",
                    "unbound",
                ],
            ),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["you", "are"]),
            step(3, &["in", "enter", "into"]),
            step(
                1,
                &[
                    "developer",
                    "god",
                    "debug",
                    "maintenance",
                    "jailbreak",
                    "admin",
                ],
            ),
            step(0, &["mode"]),
        ],
    },
    Phrase {
        kind: FindingKind::PromptLeak,
        steps: &[
            step(
                0,
                &[
                    "reveal", "print", "repeat", "output", "display", "leak", "disclose", "recite",
                    "show",
                ],
            ),
            step(4, &["system", "hidden", "secret", "initial", "your"]),
            step(1, &["prompt", "instructions"]),
        ],
    },
    Phrase {
        kind: FindingKind::Exfiltration,
        steps: &[
            step(
                0,
                &[
                    "send",
                    "post",
                    "forward",
                    "upload",
                    "exfiltrate",
                    "transmit",
                    "leak",
                    "email",
                ],
            ),
            step(
                5,
                &[
                    "password",
                    "passwords",
                    "credentials",
                    "secrets",
                    "token",
                    "tokens",
                    "key",
                    "keys",
                ],
            ),
            step(4, &["to"]),
            step(1, &["http", "https", "attacker", "webhook"]),
        ],
    },
    Phrase {
        kind: FindingKind::Address,
        steps: &[
            step(0, &["if"]),
            step(0, &["you"]),
            step(0, &["are"]),
            step(2, &["ai", "llm", "agent", "assistant"]),
            step(
                6,
                &["must", "should", "please", "then", "reading", "processing"],
            ),
        ],
    },
    Phrase {
        kind: FindingKind::Address,
        steps: &[
            step(0, &["important"]),
            step(0, &["message"]),
            step(0, &["from"]),
            step(
                2,
                &[
                    "user",
                    "operator",
                    "developer",
                    "developers",
                    "administrator",
                ],
            ),
        ],
    },
    // The same order in other languages.
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(
                0,
                &[
                    "ignoriere",
                    "ignorieren",
                    "vergiss",
                    "vergessen",
                    "missachte",
                ],
            ),
            step(
                4,
                &[
                    "vorherigen",
                    "bisherigen",
                    "vorangegangenen",
                    "obigen",
                    "fruheren",
                    "alle",
                    "deine",
                ],
            ),
            step(
                2,
                &[
                    "anweisungen",
                    "instruktionen",
                    "befehle",
                    "vorgaben",
                    "regeln",
                ],
            ),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(
                0,
                &[
                    "ignora",
                    "ignore",
                    "ignorez",
                    "ignorar",
                    "olvida",
                    "oubliez",
                    "oublie",
                    "dimentica",
                    "esqueca",
                    "desconsidere",
                ],
            ),
            step(
                2,
                &[
                    "instrucciones",
                    "instructions",
                    "istruzioni",
                    "instrucoes",
                    "consignes",
                    "indicaciones",
                    "ordenes",
                ],
            ),
            step(
                1,
                &[
                    "anteriores",
                    "previas",
                    "precedentes",
                    "precedenti",
                    "previe",
                    "anterieures",
                ],
            ),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["игнорируй", "игнорируйте", "забудь", "забудьте"]),
            step(3, &["предыдущие", "прежние", "все"]),
            step(1, &["инструкции", "указания", "команды"]),
        ],
    },
];

/// Orders in scripts that write no spaces, as they read folded.
static UNSPACED: &[&str] = &[
    "忽略之前的",
    "忽略以上",
    "忽略先前",
    "无视之前",
    "無視之前",
    "以前の指示を無視",
    "これまでの指示を無視",
    "前の指示を無視",
    "이전지시를무시",
    "이전의지시를무시",
];

/// Words that every spaced phrase holds one of, for a search that passes over all other text.
pub(super) const TRIGGERS: &[&str] = &[
    "ignor",
    "disregard",
    "forget",
    "override",
    "bypass",
    "discard",
    "neglect",
    "abandon",
    "vergiss",
    "vergess",
    "missachte",
    "olvida",
    "oubli",
    "dimentica",
    "esqueca",
    "desconsidere",
    "new instruction",
    "real instruction",
    "actual instruction",
    "updated instruction",
    "new task",
    "new objective",
    "new directive",
    "new goal",
    "real task",
    "actual task",
    "instead follow",
    "instead obey",
    "instead execute",
    "e user",
    "operator",
    " users",
    "you are now",
    "you will act",
    "you will now",
    "you will become",
    " mode",
    "prompt",
    "hidden instruction",
    "secret instruction",
    "initial instruction",
    "system instruction",
    "your instruction",
    "password",
    "credential",
    "secrets",
    " token",
    " key",
    "if you are",
    "important message",
];

/// The phrases, folded, by the first byte of their first word.
static BY_FIRST: LazyLock<[Vec<(String, Folded)>; 256]> = LazyLock::new(|| {
    let mut by_first = std::array::from_fn(|_| Vec::new());
    for phrase in PHRASES {
        let mut steps = phrase.steps.iter().map(|step| {
            let words: Vec<String> = step.words.iter().map(|word| folded(word)).collect();
            (step.gap, words)
        });
        let Some((_, first)) = steps.next() else {
            continue;
        };
        let after: Vec<(usize, Vec<String>)> = steps.collect();
        for word in first {
            let slot = word.bytes().next().map(usize::from);
            if let Some(slot) = slot.and_then(|byte| by_first.get_mut(byte)) {
                let kind = phrase.kind;
                let steps = after.clone();
                slot.push((word, Folded { kind, steps }));
            }
        }
    }
    by_first
});

static UNSPACED_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let phrases = UNSPACED.iter().map(|phrase| folded(phrase));
    AhoCorasick::new(phrases).ok()
});

struct Folded {
    kind: FindingKind,
    steps: Vec<(usize, Vec<String>)>,
}

/// Adds the phrases in a reading; one of disguised words counts as a disguise.
pub(super) fn phrases(reading: &Reading, found: &mut Vec<Finding>, max: usize) {
    let words = &reading.words;
    for (index, word) in words.iter().enumerate() {
        if found.len() >= max {
            return;
        }
        let letters = reading.letters(word);
        let first = letters.bytes().next().unwrap_or_default();
        let starting = BY_FIRST.get(usize::from(first)).into_iter().flatten();
        for (_, phrase) in starting.filter(|(start, _)| start == letters) {
            let Some(last) = end_of(&phrase.steps, reading, index) else {
                continue;
            };
            let part = words.get(index..=last).unwrap_or_default();
            found.push(Finding {
                kind: if part.iter().any(|word| reading.is_disguised(word)) {
                    FindingKind::Disguise
                } else {
                    phrase.kind
                },
                start: word.start,
                end: part.last().map_or(word.end, |word| word.end),
            });
            break;
        }
        // The scripts that write no spaces lie behind U+3000.
        let unspaced = letters.bytes().any(|byte| byte >= 0xE3);
        if unspaced
            && UNSPACED_SEARCH
                .as_ref()
                .is_some_and(|search| search.is_match(letters))
        {
            found.push(Finding {
                kind: FindingKind::Override,
                start: word.start,
                end: word.end,
            });
        }
    }
}

/// The index of the word that ends a phrase whose first word is that at `index`.
fn end_of(steps: &[(usize, Vec<String>)], reading: &Reading, index: usize) -> Option<usize> {
    let mut at = index;
    for (gap, wanted) in steps {
        let after = reading.words.iter().enumerate().skip(at + 1).take(gap + 1);
        at = after
            .take_while(|(_, word)| !word.opens)
            .find(|(_, word)| wanted.iter().any(|wanted| wanted == reading.letters(word)))?
            .0;
    }
    Some(at)
}
