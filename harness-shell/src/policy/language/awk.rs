//! awk: commands, pipes, other files, the environment.

use super::is_word;

/// Names that run something, or read something else than the input.
const REACHES_OUT: &[&str] = &["system", "getline", "ENVIRON", "ARGV", "ARGC", "SYMTAB"];

/// What in `program` reaches out.
///
/// A `>` behind the first `print` may be a redirection and counts as one; before it, it compares.
pub(super) fn reaches_out(program: &str) -> Option<&'static str> {
    for name in program.split(|ch| !is_word(ch)) {
        if let Some(found) = REACHES_OUT.iter().find(|out| **out == name) {
            return Some(found);
        }
    }
    if program.contains('@') {
        return Some("@");
    }
    if program.replace("||", "").contains('|') {
        return Some("|");
    }
    let prints = program.find("print")?;
    let behind = program.get(prints..).unwrap_or_default();
    behind.contains('>').then_some(">")
}

#[cfg(test)]
mod tests {
    use super::reaches_out;

    #[test]
    fn programs_that_reach_out_are_named() {
        for (program, what) in [
            ("BEGIN{system(\"id\")}", "system"),
            ("{\"id\" | getline x}", "getline"),
            ("{print $1 > \"f\"}", ">"),
            ("{print | \"sh\"}", "|"),
            ("BEGIN{@f()}", "@"),
            ("BEGIN{ARGV[1]=\"/etc/passwd\";ARGC=2}", "ARGV"),
        ] {
            assert_eq!(reaches_out(program), Some(what), "{program}");
        }
    }

    #[test]
    fn their_neighbours_are_not() {
        for program in [
            "{print $1}",
            "NR>1{print $NF}",
            "a||b{x++} END{print x}",
            "/system_x/",
        ] {
            assert_eq!(reaches_out(program), None, "{program}");
        }
    }
}
