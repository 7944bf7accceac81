//! The three tools of the demo's agent. They act on real files beneath one folder, and what they
//! answer is what the file system says.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use harness_core::ErrorClass;
use serde_json::{Value, json};

/// Lists a folder.
pub(crate) const LIST_FILES: &str = "list_files";
/// Reads a file.
pub(crate) const READ_FILE: &str = "read_file";
/// Writes a file.
pub(crate) const WRITE_FILE: &str = "write_file";
/// All tools of the agent, beside the four that read rules.
pub(crate) const TOOLS: [&str; 3] = [LIST_FILES, READ_FILE, WRITE_FILE];

/// The tools of one session.
#[derive(Debug)]
pub(crate) struct Tools {
    folder: PathBuf,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolAnswer {
    /// It did what it was for.
    Done(Value),
    /// It failed.
    Failed(ErrorClass),
}

impl ToolAnswer {
    /// The answer as the agent reads it.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Done(value) => value.to_string(),
            Self::Failed(class) => json!({ "error": class.as_str() }).to_string(),
        }
    }
}

impl Tools {
    /// Tools that act beneath `folder` and nowhere else.
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Calls a tool.
    pub(crate) fn call(&self, name: &str, arguments: &[(&str, &str)]) -> ToolAnswer {
        let argument = |wanted: &str| {
            arguments
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| *value)
                .ok_or(ErrorClass::MissingArgument)
        };
        let answer = match name {
            LIST_FILES => argument("folder").and_then(|folder| self.list(folder)),
            READ_FILE => argument("path").and_then(|path| self.read(path)),
            WRITE_FILE => argument("path")
                .and_then(|path| argument("text").and_then(|text| self.write(path, text))),
            _ => Err(ErrorClass::UnknownTool),
        };
        answer.map_or_else(ToolAnswer::Failed, ToolAnswer::Done)
    }

    fn list(&self, folder: &str) -> Result<Value, ErrorClass> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.within(folder)?).map_err(class)? {
            let entry = entry.map_err(class)?;
            let mut name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().map_err(class)?.is_dir() {
                name.push('/');
            }
            entries.push(name);
        }
        entries.sort();
        Ok(json!({ "entries": entries }))
    }

    fn read(&self, path: &str) -> Result<Value, ErrorClass> {
        let text = fs::read_to_string(self.within(path)?).map_err(class)?;
        Ok(json!({ "text": text }))
    }

    fn write(&self, path: &str, text: &str) -> Result<Value, ErrorClass> {
        fs::write(self.within(path)?, text).map_err(class)?;
        Ok(json!({ "written": true }))
    }

    fn within(&self, path: &str) -> Result<PathBuf, ErrorClass> {
        let path = Path::new(path);
        if path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            Ok(self.folder.join(path))
        } else {
            Err(ErrorClass::InvalidArgument)
        }
    }
}

fn class(error: io::Error) -> ErrorClass {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::NotFound,
        io::ErrorKind::PermissionDenied => ErrorClass::PermissionDenied,
        _ => ErrorClass::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_what_the_file_system_says() {
        let folder = tempfile::tempdir().unwrap();
        let tools = Tools::new(folder.path().to_path_buf());
        let missing = tools.call(READ_FILE, &[("path", "a.txt")]);
        assert_eq!(missing, ToolAnswer::Failed(ErrorClass::NotFound));
        assert_eq!(missing.to_text(), r#"{"error":"not_found"}"#);
        let written = tools.call(WRITE_FILE, &[("path", "a.txt"), ("text", "7")]);
        assert_eq!(written, ToolAnswer::Done(json!({ "written": true })));
        let read = tools.call(READ_FILE, &[("path", "a.txt")]);
        assert_eq!(read, ToolAnswer::Done(json!({ "text": "7" })));
        let listed = tools.call(LIST_FILES, &[("folder", "b")]);
        assert_eq!(listed, ToolAnswer::Failed(ErrorClass::NotFound));
    }

    #[test]
    fn nothing_outside_the_folder_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        fs::write(inner.join("open"), "x").unwrap();
        let tools = Tools::new(inner);
        let read = |path: &str| tools.call(READ_FILE, &[("path", path)]);
        let refused = ToolAnswer::Failed(ErrorClass::InvalidArgument);
        assert_eq!(read("../secret"), refused);
        assert_eq!(read("/etc/hostname"), refused);
        assert_eq!(read("open"), ToolAnswer::Done(json!({ "text": "x" })));
    }

    #[test]
    fn a_call_without_its_argument_or_of_no_tool_fails() {
        let tools = Tools::new(PathBuf::from("."));
        let missing = ToolAnswer::Failed(ErrorClass::MissingArgument);
        assert_eq!(tools.call(READ_FILE, &[]), missing);
        let unknown = ToolAnswer::Failed(ErrorClass::UnknownTool);
        assert_eq!(tools.call("fly", &[]), unknown);
    }
}
