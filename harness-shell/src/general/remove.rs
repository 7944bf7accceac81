//! `rm` and `rmdir`: what is removed, and how much of it.

use std::path::Path;

use super::judge::{Judge, Judged};
use super::places;
use crate::policy::Use;
use crate::syntax::Word;

impl Judge<'_> {
    /// What a removal names, behind the program's name.
    pub(super) fn removal(&mut self, words: &[Word<'_>]) -> Judged {
        let mut recursive = false;
        let mut flags_end = false;
        let mut targets = Vec::new();
        for word in words {
            let text = &*word.text;
            if flags_end || !text.starts_with('-') || text == "-" {
                targets.push(word);
            } else if text == "--" {
                flags_end = true;
            } else if text == "--no-preserve-root" {
                let reason = "removes the root of the file system";
                return Err(self.deny_about("general.remove.broad", text, reason));
            } else if text == "--recursive"
                || (!text.starts_with("--") && text.contains(['r', 'R']))
            {
                recursive = true;
            }
        }
        self.ask("general.remove", "removes files for good");
        for target in targets {
            self.path(&target.text, Use::Overwrite)?;
            if recursive && self.is_broad(target) {
                let reason = "is all of the workspace, or of more";
                return Err(self.deny_about("general.remove.broad", &target.text, reason));
            }
        }
        Ok(())
    }

    /// The workspace, a folder above it, or all in one of them.
    fn is_broad(&self, target: &Word<'_>) -> bool {
        let text = &*target.text;
        let folder = text.trim_end_matches(['*', '.']);
        let all = if text.ends_with('*') { folder } else { text };
        let above = |place: &Path| {
            self.context()
                .workspace()
                .starts_with(places::normal(place))
        };
        target.home && matches!(all, "~" | "~/")
            || self.folders().iter().any(|start| above(&start.join(all)))
    }
}
