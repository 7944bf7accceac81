//! jq: the environment, and modules from disk.

use super::is_word;

/// Names that read the environment or a file.
const REACHES_OUT: &[&str] = &["env", "ENV", "import", "include", "modulemeta"];

/// The first name in `program` that reaches out, if there is one.
///
/// Names inside a string count only where the program interpolates (`\(`) or has a comment sign,
/// behind which a quotation mark opens nothing: telling those apart needs all of jq's grammar, and
/// a refusal there costs little.
pub(super) fn reaches_out(program: &str) -> Option<&'static str> {
    let strings_are_inert = !program.contains("\\(") && !program.contains('#');
    let mut in_string = false;
    let mut escaped = false;
    // The two characters before the one that is looked at.
    let mut before = (' ', ' ');
    let mut rest = program;
    while let Some(ch) = rest.chars().next() {
        let mut width = ch.len_utf8();
        if ch == '"' && !escaped {
            in_string = !in_string;
        } else if is_word(ch) && !(in_string && strings_are_inert) {
            let name = rest.split(|ch| !is_word(ch)).next().unwrap_or_default();
            // `.env` is a field; behind `..` or a number's point it would be a name of its own.
            let is_field = before.1 == '.' && before.0 != '.' && !before.0.is_ascii_digit();
            let found = REACHES_OUT.iter().find(|out| **out == name);
            if found.is_some() && !is_field {
                return found.copied();
            }
            width = name.len();
        }
        escaped = in_string && ch == '\\' && !escaped;
        before = match rest.get(..width).and_then(|seen| {
            let mut back = seen.chars().rev();
            Some((back.next()?, back.next()))
        }) {
            Some((last, Some(one_before))) => (one_before, last),
            Some((last, None)) => (before.1, last),
            None => before,
        };
        rest = rest.get(width..).unwrap_or_default();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::reaches_out;

    #[test]
    fn programs_that_reach_out_are_named() {
        for (program, what) in [
            ("env", "env"),
            ("env.PATH", "env"),
            ("$ENV.PATH", "ENV"),
            ("$ ENV", "ENV"),
            (".a | $ENV | .b", "ENV"),
            (r#""\(env)""#, "env"),
            (r#""x\(env.A)""#, "env"),
            ("import \"a\" as a; a::b", "import"),
            ("include \"a\"; b", "include"),
            ("# it's \"\nenv", "env"),
            ("\"a\\\\\" | env", "env"),
            ("\"a\" | modulemeta", "modulemeta"),
            ("..env", "env"),
            ("é env", "env"),
        ] {
            assert_eq!(reaches_out(program), Some(what), "{program}");
        }
    }

    #[test]
    fn their_neighbours_are_not() {
        for program in [
            ".env",
            ".a.env | length",
            "select(.name == \"env\")",
            ".environment",
            "[.[] | .include]",
            "$environment",
            "input_filename",
        ] {
            assert_eq!(reaches_out(program), None, "{program}");
        }
    }
}
