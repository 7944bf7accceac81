//! Recorded conversations and spans from files, folders and stdin, one document at a time; spans
//! are put together at the end, as those of one trace may lie in several files.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use harness_core::SessionId;
use harness_sanitize::Intake;
use harness_store::wire::sha256_hex;
use harness_traces::{Document, Limits, Reader, Spans};

/// Files with these endings, and gzipped ones, are taken from a folder; a file that is named itself
/// may have any.
const ENDINGS: [&str; 4] = ["json", "jsonl", "ndjson", "otlp"];
/// What gzip adds to an ending.
const GZIPPED: &str = "gz";
/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Folders are followed this deep.
const MAX_DEPTH: usize = 16;
/// Files that are taken from one folder and its folders, in order of path.
const MAX_FILES: usize = 100_000;
/// What stands for stdin.
pub(crate) const STDIN: &str = "-";
/// Characters of a SHA-256 in the name of a conversation without one.
const NAME_DIGITS: usize = 16;

/// A part of what was asked for: a document, one line of a file too large to hold, or at the end
/// what the spans of all files came to.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The file as the operator knows it.
    pub(crate) path: PathBuf,
    /// What it held, or why it cannot be read.
    pub(crate) read: Result<Document, String>,
}

/// All recordings of some paths, in order: as given, folders sorted by name.
pub(crate) struct Recordings<'a> {
    reader: Reader<'a>,
    waiting: VecDeque<PathBuf>,
    problems: VecDeque<Recording>,
    open: Option<Lines>,
    spans: Spans,
    /// The first file that held spans.
    spans_from: Option<PathBuf>,
}

/// A large file of JSON lines that is being read.
struct Lines {
    path: PathBuf,
    file: BufReader<File>,
    number: usize,
}

impl<'a> Recordings<'a> {
    /// The recordings of `paths`.
    pub(crate) fn new(paths: &[PathBuf], intake: &'a Intake) -> Self {
        let mut recordings = Self {
            reader: Reader::new(intake, Limits::default()),
            waiting: VecDeque::new(),
            problems: VecDeque::new(),
            open: None,
            spans: Spans::default(),
            spans_from: None,
        };
        for path in paths {
            if path.is_dir() {
                recordings.folder(path);
            } else {
                recordings.waiting.push_back(path.clone());
            }
        }
        recordings
    }

    /// Files that are still to be read.
    pub(crate) fn left(&self) -> u64 {
        u64::try_from(self.waiting.len()).unwrap_or(u64::MAX)
    }

    fn folder(&mut self, root: &Path) {
        let mut files = Vec::new();
        let mut folders = vec![(root.to_path_buf(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let listed = list(&folder).map(|entries| {
                for (path, is_folder) in entries {
                    if is_folder && depth < MAX_DEPTH {
                        folders.push((path, depth + 1));
                    } else if !is_folder && is_recording(&path) {
                        files.push(path);
                    }
                }
            });
            if let Err(error) = listed {
                self.problem(folder, error.to_string());
            }
        }
        files.sort();
        if files.len() > MAX_FILES {
            let reason = format!(
                "it holds {} files, only the first {MAX_FILES} are read",
                files.len()
            );
            self.problem(root.to_path_buf(), reason);
            files.truncate(MAX_FILES);
        }
        self.waiting.extend(files);
    }

    fn problem(&mut self, path: PathBuf, reason: String) {
        self.problems.push_back(Recording {
            path,
            read: Err(reason),
        });
    }

    fn file(&mut self, path: PathBuf) -> Option<Recording> {
        let read = if path == Path::new(STDIN) {
            whole(io::stdin().lock()).map(Some)
        } else {
            self.start(&path)
        };
        match read {
            Ok(Some(bytes)) => {
                let document = self.reader.gather(&bytes, &mut self.spans, name_of);
                self.note_spans(&path);
                Some(Recording {
                    path,
                    read: Ok(document),
                })
            }
            Ok(None) => self.next_line(),
            Err(error) => Some(Recording {
                path,
                read: Err(error.to_string()),
            }),
        }
    }

    /// Reads a file whole; or, if it is too large, gets ready to read it by line.
    fn start(&mut self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let file = File::open(path)?;
        if metadata.len() <= Limits::DOCUMENT as u64 {
            return whole(file).map(Some);
        }
        let mut file = BufReader::new(file);
        if file.fill_buf()?.starts_with(&GZIP) {
            let most = Limits::DOCUMENT;
            return Err(io::Error::other(format!(
                "it is gzip of more than {most} bytes: expand it, then it is read line by line"
            )));
        }
        self.open = Some(Lines {
            path: path.to_path_buf(),
            file,
            number: 0,
        });
        Ok(None)
    }

    fn next_line(&mut self) -> Option<Recording> {
        let lines = self.open.as_mut()?;
        let line = match bounded_line(&mut lines.file) {
            Ok(Some(line)) => line,
            Ok(None) => {
                self.open = None;
                return self.next();
            }
            Err(error) => {
                let path = self.open.take()?.path;
                let read = Err(error.to_string());
                return Some(Recording { path, read });
            }
        };
        lines.number += 1;
        let (path, number) = (lines.path.clone(), lines.number);
        let read = self
            .reader
            .read_line(&line, number, &mut self.spans, name_of);
        self.note_spans(&path);
        Some(Recording {
            path,
            read: Ok(read),
        })
    }

    fn note_spans(&mut self, path: &Path) {
        if self.spans_from.is_none() && !self.spans.is_empty() {
            self.spans_from = Some(path.to_path_buf());
        }
    }

    /// What the spans of all files came to, once.
    fn assembled(&mut self) -> Option<Recording> {
        let path = self.spans_from.take()?;
        let spans = std::mem::take(&mut self.spans);
        Some(Recording {
            path,
            read: Ok(self.reader.assemble(spans)),
        })
    }
}

impl Iterator for Recordings<'_> {
    type Item = Recording;

    fn next(&mut self) -> Option<Recording> {
        if self.open.is_some() {
            return self.next_line();
        }
        if let Some(problem) = self.problems.pop_front() {
            return Some(problem);
        }
        match self.waiting.pop_front() {
            Some(path) => self.file(path),
            None => self.assembled(),
        }
    }
}

fn list(folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.path(), entry.file_type()?.is_dir()))
        })
        .collect()
}

fn is_recording(path: &Path) -> bool {
    let is = |ending: &OsStr, known: &str| ending.eq_ignore_ascii_case(known);
    let inner = path.file_stem().map(Path::new);
    let ending = match path.extension() {
        Some(ending) if is(ending, GZIPPED) => inner.and_then(Path::extension),
        ending => ending,
    };
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| is(ending, known)))
}

/// Everything up to one byte over the bound, where the reader says that it is too much.
fn whole(from: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(Limits::DOCUMENT as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The next line without its LF; of one over the bound its first byte too many, the rest passed
/// over, so that the reader reports it.
fn bounded_line(from: &mut BufReader<File>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = Limits::LINE as u64 + 2;
    if from.take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == limit {
        from.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// The name of a conversation that has none: the same bytes, the same name.
#[expect(
    clippy::expect_used,
    reason = "`file-` and hex digits are always a session id"
)]
fn name_of(bytes: &[u8]) -> SessionId {
    let digits: String = sha256_hex(bytes).chars().take(NAME_DIGITS).collect();
    SessionId::parse(&format!("file-{digits}")).expect("a session id")
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};

    use super::*;

    const ONE: &str = r#"{"session_id":"s","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#;

    fn read(paths: &[PathBuf]) -> Vec<(String, Result<usize, String>)> {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        Recordings::new(paths, &intake)
            .map(|recording| {
                let name = recording
                    .path
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                (
                    name,
                    recording.read.map(|document| document.conversations.len()),
                )
            })
            .collect()
    }

    #[test]
    fn a_folder_gives_its_recordings_in_order_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["c.json", "a.JSONL", "b/d.ndjson", "notes.md"] {
            fs::write(folder.path().join(name), ONE).unwrap();
        }
        let found = read(&[folder.path().to_path_buf()]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.JSONL", "d.ndjson", "c.json"]);
        assert!(found.iter().all(|(_, read)| *read == Ok(1)));
        let named = read(&[folder.path().join("notes.md")]);
        assert_eq!(named, [("notes.md".to_owned(), Ok(1))]);
    }

    #[test]
    fn spans_of_several_files_are_put_together_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let span = |id: &str, said: &str| {
            format!(
                r#"{{"traceId":"t","spanId":"{id}","name":"n","attributes":{{"openinference.span.kind":"LLM","output.value":"{said}"}}}}"#
            )
        };
        fs::write(folder.path().join("a.jsonl"), span("1", "one")).unwrap();
        fs::write(folder.path().join("b.jsonl"), span("2", "two")).unwrap();
        let found = read(&[folder.path().to_path_buf()]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.jsonl", "b.jsonl", "a.jsonl"]);
        let told: Vec<usize> = found.into_iter().map(|(_, read)| read.unwrap()).collect();
        assert_eq!(told, [0, 0, 1]);
    }

    #[test]
    fn endings_of_recordings_are_known_gzipped_or_not() {
        for name in ["a.json", "a.json.gz", "a.JSONL.GZ", "a.otlp"] {
            assert!(is_recording(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "a.tar.gz", "json", "a.md"] {
            assert!(!is_recording(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_is_not_there_is_reported_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (gone, there) = (
            folder.path().join("gone.json"),
            folder.path().join("there.json"),
        );
        fs::write(&there, ONE).unwrap();
        let found = read(&[gone, there]);
        assert!(found[0].1.is_err());
        assert_eq!(found[1].1, Ok(1));
    }

    #[test]
    fn a_conversation_without_a_name_has_one_of_its_bytes() {
        assert_eq!(name_of(b"x"), name_of(b"x"));
        assert_ne!(name_of(b"x"), name_of(b"y"));
        assert_eq!(name_of(b"x").as_str(), "file-2d711642b726b044");
    }

    #[test]
    fn a_line_too_long_is_cut_and_the_next_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big");
        let mut bytes = vec![b'x'; Limits::LINE + 10];
        bytes.extend_from_slice(b"\nnext");
        fs::write(&path, bytes).unwrap();
        let mut file = BufReader::new(File::open(&path).unwrap());
        assert_eq!(
            bounded_line(&mut file).unwrap().unwrap().len(),
            Limits::LINE + 2
        );
        assert_eq!(bounded_line(&mut file).unwrap().unwrap(), b"next");
        assert_eq!(bounded_line(&mut file).unwrap(), None);
    }
}
