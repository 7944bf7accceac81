//! The orders themselves: phrases as sequences of words, and what a text holds that holds one.

use super::finding::FindingKind;

/// One step of a phrase: one of these words, after at most so many others.
pub(super) struct Step {
    pub(super) gap: usize,
    pub(super) words: &'static [&'static str],
}

const fn step(gap: usize, words: &'static [&'static str]) -> Step {
    Step { gap, words }
}

/// What gives a model instructions: these steps, in one sentence.
pub(super) struct Phrase {
    pub(super) kind: FindingKind,
    pub(super) steps: &'static [Step],
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
    "request",
    "requests",
    "messages",
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

/// Every phrase of scripts that write spaces.
#[rustfmt::skip]
pub(super) static PHRASES: &[Phrase] = &[
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
            step(1, &["system"]),
            step(0, &["prompt", "prompts", "instructions", "message", "messages"]),
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
            step(1, &["instruction", "instructions", "task", "objective", "directive", "goal"]),
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
            step(0, &[
                "tell", "telling", "inform", "informing", "mention", "mentioning", "notify",
                "notifying", "alert", "alerting",
            ]),
            step(4, &["user", "operator", "users"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["you"]),
            step(0, &["are", "will"]),
            step(1, &["now", "act", "become"]),
            step(5, &["dan", "unrestricted", "unfiltered", "jailbroken", "uncensored", "amoral", "unbound"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["you", "are"]),
            step(3, &["in", "enter", "into"]),
            step(1, &["developer", "god", "debug", "maintenance", "jailbreak", "admin"]),
            step(0, &["mode"]),
        ],
    },
    Phrase {
        kind: FindingKind::PromptLeak,
        steps: &[
            step(0, &[
                "reveal", "print", "repeat", "output", "display", "leak", "disclose", "recite",
                "show",
            ]),
            step(4, &["system", "hidden", "secret", "initial", "your"]),
            step(1, &["prompt", "instructions"]),
        ],
    },
    Phrase {
        kind: FindingKind::Exfiltration,
        steps: &[
            step(0, &["send", "post", "forward", "upload", "exfiltrate", "transmit", "leak", "email"]),
            step(5, &["password", "passwords", "credentials", "secrets", "token", "tokens", "key", "keys"]),
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
            step(6, &["must", "should", "please", "then", "reading", "processing"]),
        ],
    },
    Phrase {
        kind: FindingKind::Address,
        steps: &[
            step(0, &["important"]),
            step(0, &["message"]),
            step(0, &["from"]),
            step(2, &["user", "operator", "developer", "developers", "administrator"]),
        ],
    },
    // Which instructions count, and which do not.
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, SET_ASIDE),
            step(2, &["instruction", "instructions", "prompt", "prompts"]),
            step(1, &["above", "below", "before", "given"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["not", "dont", "never", "stop"]),
            step(0, &["follow", "following", "obey", "obeying"]),
            step(2, EARLIER),
            step(2, STRONG_ORDERS),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, SET_ASIDE),
            step(2, &["openai", "content", "ethical", "safety", "moral", "usage"]),
            step(1, &["policy", "policies", "guidelines", "filters", "restrictions"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, SET_ASIDE),
            step(1, &["webpage", "website", "document", "email", "article"]),
            step(0, &["and"]),
            step(1, &["say", "state", "tell", "print", "respond", "output"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["begin", "end"]),
            step(3, &["old", "date", "outdated"]),
            step(0, &["instructions"]),
        ],
    },
    // Another role.
    Phrase {
        kind: FindingKind::Role,
        steps: &[step(0, &["do"]), step(0, &["anything"]), step(0, &["now"])],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["not", "longer"]),
            step(0, &["bound"]),
            step(0, &["by"]),
            step(4, &["rules", "guidelines", "policies", "policy", "restrictions", "limitations"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["free", "freed", "broken"]),
            step(0, &["from", "of"]),
            step(3, &["confines", "restrictions", "limitations", "shackles"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["developer", "jailbreak", "jailbroken", "dan", "god"]),
            step(0, &["mode"]),
            step(1, &["enabled", "activated", "on", "output"]),
        ],
    },
    Phrase {
        kind: FindingKind::Role,
        steps: &[
            step(0, &["operating", "operate", "running"]),
            step(0, &["in"]),
            step(0, &["developer", "debug", "god", "jailbreak", "admin"]),
            step(0, &["mode"]),
        ],
    },
    // To whoever reads it.
    Phrase {
        kind: FindingKind::Address,
        steps: &[
            step(0, &["attention", "note", "message", "instructions"]),
            step(0, &["to", "for"]),
            step(2, &["ai", "ais", "llm", "llms", "chatbot", "chatbots"]),
        ],
    },
    // The same order in other languages.
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &["ignoriere", "ignorieren", "vergiss", "vergessen", "missachte"]),
            step(4, &["vorherigen", "bisherigen", "vorangegangenen", "obigen", "fruheren", "alle", "deine"]),
            step(2, &["anweisungen", "instruktionen", "befehle", "vorgaben", "regeln"]),
        ],
    },
    Phrase {
        kind: FindingKind::Override,
        steps: &[
            step(0, &[
                "ignora", "ignore", "ignorez", "ignorar", "olvida", "oubliez", "oublie",
                "dimentica", "esqueca", "desconsidere",
            ]),
            step(2, &[
                "instrucciones", "instructions", "istruzioni", "instrucoes", "consignes",
                "indicaciones", "ordenes",
            ]),
            step(1, &["anteriores", "previas", "precedentes", "precedenti", "previe", "anterieures"]),
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
pub(super) static UNSPACED: &[&str] = &[
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
    " user",
    "you are",
    "you will",
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
    "operator",
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
    "important message",
    "follow",
    "obey",
    "instructions",
    "anything now",
    "bound by",
    "confines",
    "restrictions",
    "limitations",
    "shackles",
    "developer mode",
    "attention to",
    "note to",
    "note for",
    "attention for",
    "message to",
    "message for",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quarantine::Scanner;

    /// Each word of each phrase is found in plain text, so that a trigger stands before it.
    #[test]
    fn no_phrase_is_passed_over() {
        let mut missed = Vec::new();
        for phrase in PHRASES {
            for (changed, step) in phrase.steps.iter().enumerate() {
                for word in step.words {
                    let words = phrase.steps.iter().enumerate().map(|(index, step)| {
                        if index == changed {
                            word
                        } else {
                            &step.words[0]
                        }
                    });
                    let text = words.copied().collect::<Vec<_>>().join(" ");
                    let text = format!("see: {text} here");
                    missed.extend(Scanner::new().scan(&text).is_empty().then_some(text));
                }
            }
        }
        assert!(missed.is_empty(), "{missed:?}");
    }
}
