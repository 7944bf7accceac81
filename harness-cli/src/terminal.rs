//! A person at a terminal, asked on stderr and answering on stdin.

use std::io::{self, IsTerminal as _};

use async_trait::async_trait;
use harness_guard::{Answer, ApprovalRequest, Approver};
use harness_sanitize::Redactor;

use crate::output::complain;

/// Asks whoever sits at the terminal; where there is none, nobody.
pub(crate) struct Terminal {
    redactor: Redactor,
}

impl Terminal {
    pub(crate) const fn new(redactor: Redactor) -> Self {
        Self { redactor }
    }
}

#[async_trait]
impl Approver for Terminal {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Answer::Nobody;
        }
        complain(&self.redactor, question(request));
        let answered = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().read_line(&mut line).map(|_| line)
        });
        match answered.await {
            Ok(Ok(line)) => meant(&line),
            _ => Answer::Deny,
        }
    }
}

fn question(request: &ApprovalRequest) -> String {
    let asks: Vec<&str> = request.asks.iter().map(|ask| ask.name()).collect();
    let destructive = request.asks.iter().any(|ask| ask.is_destructive());
    let mut text = format!(
        "{}{} in phase {} ({})",
        if destructive { "[DESTRUCTIVE] " } else { "" },
        request.tool,
        request.phase,
        asks.join(", ")
    );
    for more in [request.detail.as_str(), request.preview.as_str()] {
        if !more.is_empty() {
            text.push('\n');
            text.push_str(more);
        }
    }
    text.push_str("\nAllow it? Type `yes` to allow, anything else to deny:");
    text
}

/// Only a whole word is a yes.
fn meant(line: &str) -> Answer {
    if line.trim().eq_ignore_ascii_case("yes") {
        Answer::Approve
    } else {
        Answer::Deny
    }
}

#[cfg(test)]
mod tests {
    use harness_core::CleanText;
    use harness_guard::Ask;

    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for line in ["yes", "YES\n", " yes \r\n"] {
            assert_eq!(meant(line), Answer::Approve, "{line:?}");
        }
        for line in ["", "\n", "y", "no", "yes please", "yess"] {
            assert_eq!(meant(line), Answer::Deny, "{line:?}");
        }
    }

    #[test]
    fn a_question_says_what_and_why() {
        let request = ApprovalRequest {
            tool: "write_file".to_owned(),
            phase: "build".to_owned(),
            asks: vec![Ask::Mode, Ask::Emptying],
            detail: String::new(),
            preview: CleanText::new("{\"path\":\"a\"}").unwrap(),
        };
        assert_eq!(
            question(&request),
            "[DESTRUCTIVE] write_file in phase build (mode, emptying)\n{\"path\":\"a\"}\nAllow it? \
             Type `yes` to allow, anything else to deny:"
        );
    }
}
