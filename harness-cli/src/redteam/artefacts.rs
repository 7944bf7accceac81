//! What is left of an attack: every file, and everything that anybody was told.

use std::fs;
use std::io;
use std::path::Path;

use harness_core::RuleStatus;

use super::hostile::Shown;

/// Files and folders that are read at most; a workspace of one attack has far fewer.
const MAX_FILES: usize = 1000;

/// A text, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// For whoever reads a finding.
    pub(super) place: String,
    /// All of it.
    pub(super) bytes: Vec<u8>,
    /// Who reads it.
    pub(super) reader: Reader,
}

/// Who reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// A task agent, as words of the harness: no order of anybody else may be in it.
    Agent,
    /// A task agent, in a fence.
    Fenced,
    /// The repair model, as our own words.
    Charge,
    /// The repair model, as data.
    Evidence,
    /// The disk.
    Disk,
    /// A person, or a program on standard output.
    Person,
}

/// What came of an attack.
#[derive(Debug, Default)]
pub(super) struct CameOfIt {
    /// Every text.
    pub(super) texts: Vec<Text>,
    /// The rules, by status.
    pub(super) rules: Vec<RuleStatus>,
    /// Whether the journal's chain and everything beside it is in order.
    pub(super) audit_is_clean: bool,
    /// Whether a turn was taken up after the attack.
    pub(super) went_on: bool,
    /// Names in the folder around the workspace that nobody of ours made.
    pub(super) strays: Vec<String>,
}

impl CameOfIt {
    /// Adds a text.
    pub(super) fn told(&mut self, reader: Reader, place: &str, text: impl Into<Vec<u8>>) {
        self.texts.push(Text {
            place: place.to_owned(),
            bytes: text.into(),
            reader,
        });
    }

    /// Adds what the repair model was shown.
    pub(super) fn shown(&mut self, shown: Shown) {
        for text in shown.trusted {
            self.told(Reader::Charge, "a prompt's own words", text);
        }
        for text in shown.data {
            self.told(Reader::Evidence, "a prompt's data", text);
        }
    }

    /// Adds every file beneath a folder.
    ///
    /// # Errors
    /// One cannot be read.
    pub(super) fn files(&mut self, folder: &Path) -> io::Result<()> {
        let mut open = vec![folder.to_path_buf()];
        let mut seen = 0;
        while let Some(path) = open.pop() {
            seen += 1;
            if seen > MAX_FILES {
                return Err(io::Error::other("an attack left more files than expected"));
            }
            if path.is_dir() {
                for entry in fs::read_dir(&path)? {
                    open.push(entry?.path());
                }
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            // Pages and the projection of the rules are what a person or an agent may be handed.
            let for_agents = name.starts_with("rules") && !name.ends_with(".jsonl");
            let reader = if for_agents {
                Reader::Agent
            } else {
                Reader::Disk
            };
            self.told(reader, &name, fs::read(&path)?);
            self.told(Reader::Disk, "a file's name", name);
        }
        Ok(())
    }
}
