//! A secret does not survive the redactor: by its look, by its name, or as a value we know.

use std::borrow::Cow;
use std::io::Write;

use harness_core::CleanText;
use harness_sanitize::{Gate, Intake, Redactor};
use proptest::prelude::*;

/// Joined at run time, so that this file holds nothing that looks like a secret.
fn token(prefix: &str, rest: &str) -> String {
    [prefix, rest].concat()
}

const RANDOM: &str = "q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeUiO";

fn redacted(text: &str) -> String {
    Redactor::patterns_only().redact(text).into_owned()
}

#[test]
fn kinds_are_told_by_their_look() {
    for (token, kind) in [
        (
            token("sk-pr", &format!("oj-{}T3Blbk{}{}", RANDOM, "FJ", RANDOM)),
            "openai-key",
        ),
        (
            token("sk-a", &format!("nt-api03-{}AA", &RANDOM.repeat(3)[..93])),
            "anthropic-key",
        ),
        (token("gh", &format!("p_{RANDOM}")), "github-token"),
        (token("gh", &format!("o_{RANDOM}")), "github-token"),
        (
            token("gl", &format!("pat-{}", &RANDOM[..20])),
            "gitlab-token",
        ),
        (
            token("AI", &format!("za{}", &RANDOM[..35])),
            "google-api-key",
        ),
        (token("AK", "IAQ7XM2VB5LK4TZ2RW"), "aws-access-key"),
        (token("AS", "IAQ7XM2VB5LK4TZ2RW"), "aws-access-key"),
        (
            token("xo", "xb-2938475610-9182736455-q7Xm2Vb9Lk4T"),
            "slack-token",
        ),
        (
            token("xa", "pp-1-A0Q7XM2VB-2938475610-q7Xm2Vb9Lk4T"),
            "slack-token",
        ),
        (
            token("sk_", &format!("live_{}", &RANDOM[..24])),
            "stripe-key",
        ),
        (token("np", &format!("m_{RANDOM}")), "npm-token"),
        (
            token("hf", &format!("_{}", &RANDOM[..34])),
            "huggingface-token",
        ),
        (
            token(
                "ey",
                &format!("JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{RANDOM}"),
            ),
            "jwt",
        ),
    ] {
        let expected = format!("key [REDACTED:{kind}], then");
        assert_eq!(redacted(&format!("key {token}, then")), expected);
        let json = format!("{{\"out\":\"line\\n{token}\"}}");
        assert_eq!(
            redacted(&json),
            format!("{{\"out\":\"line\\n[REDACTED:{kind}]\"}}")
        );
    }
}

#[test]
fn what_only_looks_like_one_is_untouched() {
    for text in [
        "https://x.test/y/task-4f3a9c1b7d2e8f60a5b4c3d2e1f09876",
        "risk-averse strategies for long-term investments",
        "ask-me-anything-about-the-new-release-2024",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "eyJ is how a JSON object starts in base64",
        "max_tokens: 4096, token_count = 1289",
        "password: required",
        "password = os.environ[\"DB_PASSWORD\"]",
        "token=${GITHUB_TOKEN}",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "https://x.test:8080/path@2",
        "Bearer token authentication is required",
        // A digest behind a word that names no secret.
        "{\"key\":\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"}",
        "cache key 9f86d081884c7d659a2feaa0c55ad015",
        // Nearly a format: the wrong length, alphabet, header or service.
        "glptt-hello0World1380_testing",
        "AKIAq7xm2vb5lk4tz2rw",
        "token=dapi0123456789abcdef0123456789abcdeg",
        "spu-0123456789abcdef0123456789abcdef01",
        "eyJhbGciOiJIUzI1NiJ.eyJzdWIiOiIxMjM0In0.q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0P",
        "ambee key=9f86d081884c7d659a2feaa0c55ad015",
        // What everyone may see, and what stands for another.
        "salesforce_key=3MVG9q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeUiO",
        "STRIPE_KEY=pk_live_q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3H",
        "beamer_key=0000000000000000000000000000000000q7Xm2Vb9",
        "token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.c2lnbmF0dXJl",
        "Authorization: Basic auth is off",
        // Words that start like a password, and code that gets one.
        "fares per passenger: HAT005",
        "a rite of passage for every 15-year-old",
        "password = self.cleaned_data.get(\"name\")",
        "token = request.headers[\"x-token\"]",
        // What stands before speaks of something else.
        "# Joined to a letter (not a real token)\nq7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeUiO",
        "my secret: $Q7Xm2Vb9.Lk4Tz8Rw1Yc6Nd3Hs5Jf0P;",
        "xk+EZTKq7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeUiOq7Xm2Vb9Lk4Tz8Rw1Yc",
    ] {
        assert!(
            matches!(Redactor::patterns_only().redact(text), Cow::Borrowed(_)),
            "{text}"
        );
    }
}

#[test]
fn a_crossed_out_value_is_left_and_a_whole_one_with_crosses_in_it_is_not() {
    let key = |body: &str| token("sk_", &format!("live_{body}"));
    for crossed in [
        "xxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        format!("{}xxxxxxxxxxxxxxxxxx", &RANDOM[..6]),
    ] {
        let text = format!("charge with {}", key(&crossed));
        assert_eq!(redacted(&text), text);
    }
    let with_crosses = key(&format!("{}xxxx{}", &RANDOM[..12], &RANDOM[12..30]));
    assert_eq!(
        redacted(&format!("charge with {with_crosses}")),
        "charge with [REDACTED:stripe-key]"
    );
    // By the name before it alone, the same.
    for (name, crosses) in [("api_key", "xxxx"), ("password", "****")] {
        let text = format!("{name} = \"{}{crosses}{crosses}\"", &RANDOM[..8]);
        assert_eq!(redacted(&text), text);
        let (start, end) = (&RANDOM[..14], &RANDOM[14..30]);
        let found = redacted(&format!("{name} = \"{start}{crosses}{end}\""));
        assert!(!found.contains(start) && !found.contains(end), "{found}");
    }
}

#[test]
fn values_are_told_by_the_name_before_them() {
    for (text, expected) in [
        ("DB_PASSWORD=hunter2!x", "DB_PASSWORD=[REDACTED:assigned]"),
        (
            "{\"apiKey\": \"q7Xm2Vb9\"}",
            "{\"apiKey\": \"[REDACTED:assigned]\"}",
        ),
        (
            "{\\\"client_secret\\\":\\\"q7Xm2Vb9\\\"}",
            "{\\\"client_secret\\\":\\\"[REDACTED:assigned]\\\"}",
        ),
        (
            "Authorization: Bearer q7Xm2Vb9Lk4Tz8Rw",
            "Authorization: Bearer [REDACTED:authorization]",
        ),
        (
            "Authorization: Basic bWU6bW9vbg==",
            "Authorization: Basic [REDACTED:assigned]",
        ),
        (
            "token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI4MjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.c2lnbmF0dXJl",
            "token=[REDACTED:jwt]",
        ),
        (
            "beamer_key=11111111q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeU",
            "beamer_key=[REDACTED:assigned]",
        ),
        (
            "postgres://app:q7Xm2Vb9@db/x",
            "postgres://app:[REDACTED:url-password]@db/x",
        ),
        (
            "ambee key=9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
            "ambee key=[REDACTED:assigned]",
        ),
        (
            "api_key=9f86d081884c7d659a2feaa0c55ad015",
            "api_key=[REDACTED:assigned]",
        ),
        (
            "new NetworkCredential(\"me\", \"swordfishes\")",
            "new NetworkCredential(\"me\", \"[REDACTED:assigned]\")",
        ),
        (
            "COLUMN_KEY=live_q7xm2vb9lk4tz8rw1yc6nd3hs5jf0p",
            "COLUMN_KEY=[REDACTED:assigned]",
        ),
        (
            "<secret>{AQAAABAAA .q7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5;}</secret>",
            "<secret>[REDACTED:assigned]</secret>",
        ),
        (
            "token\nq7Xm2Vb9Lk4Tz8Rw1Yc6Nd3Hs5Jf0PgAeUiO",
            "token\n[REDACTED:assigned]",
        ),
        (
            "password = hunter2!x(y)",
            "password = [REDACTED:assigned](y)",
        ),
        (
            "passphrase for me is 'swordfish'",
            "passphrase for me is '[REDACTED:assigned]'",
        ),
        ("Passwort: hunter2x", "Passwort: [REDACTED:assigned]"),
        (
            "mot de passe: hunter2x",
            "mot de passe: [REDACTED:assigned]",
        ),
        ("secret: 'two words'", "secret: 'two words'"),
        ("{\"token\": 12345678}", "{\"token\": 12345678}"),
    ] {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn private_keys_go_whole() {
    let begin = ["-----BEGIN RSA PRI", "VATE KEY-----"].concat();
    let end = ["-----END RSA PRI", "VATE KEY-----"].concat();
    let key = format!("{begin}\nMIIEq7Xm2Vb9Lk4Tz8RwYc6N\nd3Hs5Jf0PgAeUiOq7Xm2Vb9==\n{end}");
    assert_eq!(
        redacted(&format!("a\n{key}\nb")),
        "a\n[REDACTED:private-key]\nb"
    );
    assert_eq!(
        redacted(&format!("a\n{begin}\nMIIEq7Xm2Vb9\n")),
        "a\n[REDACTED:private-key]"
    );
    let json = key.replace('\n', "\\n");
    assert_eq!(
        redacted(&format!("{{\"k\":\"{json}\"}}")),
        "{\"k\":\"[REDACTED:private-key]\"}"
    );

    let mut writer = Redactor::patterns_only();
    let mut out = writer.writer(Vec::new());
    for line in format!("a\n{key}\nb\n").split_inclusive('\n') {
        out.write_all(line.as_bytes()).unwrap();
    }
    assert_eq!(out.finish().unwrap(), b"a\n[REDACTED:private-key]\nb\n");
    writer = Redactor::default();
    assert_eq!(writer.redact("a"), "a");
}

#[test]
fn known_values_go_in_every_encoding() {
    let value = "correct-horse/é+42";
    let redactor = Redactor::with_values([
        ("APP_TOKEN".to_owned(), value.to_owned()),
        ("HOME".to_owned(), "/home/somebody".to_owned()),
        (
            "DATABASE_URL".to_owned(),
            "pg://me:swordfish99@db/x".to_owned(),
        ),
        ("SHORT_KEY_TOKEN".to_owned(), "abc".to_owned()),
    ]);
    for form in [
        value,
        "24+é/esroh-tcerroc",
        "correct-horse%2F%C3%A9%2B42",
        "%63orrect-horse/%c3%A9+42",
        "https://x.test/?q=correct%2Dhorse/%C3%A9%2b42&p=1",
        "Y29ycmVjdC1ob3Jz\nZS/DqSs0Mg==",
        "eHhjb3JyZWN0LWhvcn\\nNlL8OpKzQy",
        "636f72726563742d686f72\r\n  73652fc3a92b3432",
        "636f72726563742d686f7273652fc3a92b3432",
        "636F72726563742D686F7273652FC3A92B3432",
        "Y29ycmVjdC1ob3JzZS/DqSs0Mg==",
        "Y29ycmVjdC1ob3JzZS_DqSs0Mg",
        "eGNvcnJlY3QtaG9yc2Uvw6krNDI=",
        "eHhjb3JyZWN0LWhvcnNlL8OpKzQy",
        "correct-horse/\\u00e9+42",
        "swordfish99",
    ] {
        let out = redactor.redact(form);
        assert!(out.contains("[REDACTED:known-value]"), "{form}: {out}");
        assert!(!out.contains("orse") && !out.contains("esro"), "{out}");
        assert!(!out.contains("%2D") && !out.contains("jdC1"), "{out}");
    }
    let spaced = Redactor::with_values([("APP_TOKEN".to_owned(), "two words/more".to_owned())]);
    let sent = spaced.redact("a=two+words%2fmore&b=two+words");
    assert_eq!(sent, "a=[REDACTED:known-value]&b=two+words");
    for text in ["/home/somebody", "abc", "correct horse"] {
        assert_eq!(redactor.redact(text), text);
    }
}

#[test]
fn what_is_redacted_survives_the_gate_and_redacts_to_itself() {
    let text = format!(
        "token={} and {}",
        RANDOM,
        token("gh", &format!("p_{RANDOM}"))
    );
    let once = redacted(&text);
    assert_eq!(redacted(&once), once);
    assert!(CleanText::new(once.as_str()).is_ok());
}

#[test]
fn a_cut_leaves_no_part_of_a_secret() {
    let intake = Intake::new(Gate::default(), Redactor::patterns_only());
    let text = format!("see {}", token("gh", &format!("p_{RANDOM}")));
    for max in 1..80 {
        let out = intake.text(&text, max);
        assert!(!out.as_str().contains("gh"), "{out}");
        assert!(out.len() <= max);
    }
    let hidden = text.replace("gh", "g\u{200B}h").replace('q', "q\u{1B}[0m");
    assert_eq!(
        intake.text(&hidden, 0).as_str(),
        "see [REDACTED:github-token]"
    );
    assert!(intake.text("plain text", 0).is_borrowed());
}

#[test]
fn a_writer_holds_a_line_until_it_is_whole() {
    let redactor = Redactor::with_values([("APP_TOKEN".to_owned(), RANDOM.to_owned())]);
    let mut out = redactor.writer(Vec::new());
    for byte in format!("a {RANDOM} b\nlast {RANDOM}").as_bytes() {
        out.write_all(&[*byte]).unwrap();
        out.flush().unwrap();
    }
    assert_eq!(
        out.finish().unwrap(),
        b"a [REDACTED:known-value] b\nlast [REDACTED:known-value]"
    );
}

#[test]
fn a_writer_puts_wrapped_lines_together() {
    // Three lines as a program wraps the base64 of a longer text, the value across two of them.
    let redactor = Redactor::with_values([("APP_TOKEN".to_owned(), "correct-horse-42".to_owned())]);
    let lines = [
        "QSBsb25nIGxpbmUgdGhhdCBjb21lcyBiZWZvcmUgY29ycmV",
        "jdC1ob3JzZS00MiBhbmQgYSBsb25nIG9uZSB0aGF0IGNvbW",
        "VzIGFmdGVyLg==",
        "plain",
    ];
    let mut out = redactor.writer(Vec::new());
    for line in lines {
        out.write_all(line.as_bytes()).unwrap();
        out.write_all(b"\n").unwrap();
    }
    let written = String::from_utf8(out.finish().unwrap()).unwrap();
    assert!(written.contains("[REDACTED:known-value]"), "{written}");
    assert!(!written.contains("jdC1ob3JzZS"), "{written}");
    assert!(written.ends_with("VzIGFmdGVyLg==\nplain\n"), "{written}");
}

#[test]
fn a_line_without_end_is_written_in_parts_and_no_secret_is_cut() {
    let redactor = Redactor::with_values([("APP_TOKEN".to_owned(), RANDOM.to_owned())]);
    let mut out = redactor.writer(Vec::new());
    let part = format!("{} {RANDOM} ", ". ".repeat(3000));
    for _ in 0..100 {
        out.write_all(part.as_bytes()).unwrap();
    }
    let written = String::from_utf8(out.finish().unwrap()).unwrap();
    assert_eq!(
        written,
        format!("{} [REDACTED:known-value] ", ". ".repeat(3000)).repeat(100)
    );
}

#[test]
fn a_long_line_is_cut_before_what_tells_of_a_secret_whatever_bytes_it_holds() {
    const CHUNK: usize = 1000;
    /// Where a line of which 66 chunks are held is cut.
    const CUT: usize = 66 * CHUNK - 16_384;
    let redactor = Redactor::patterns_only();
    for broken in [&b""[..], b"\xFF"] {
        for before in (0..40).step_by(3) {
            let mut line = broken.to_vec();
            line.resize(CUT - before, b'.');
            line.extend_from_slice(b" password=correct-horse-42 ");
            line.resize(80 * CHUNK, b'.');
            let mut out = redactor.writer(Vec::new());
            for chunk in line.chunks(CHUNK) {
                out.write_all(chunk).unwrap();
            }
            let written = out.finish().unwrap();
            let written = String::from_utf8_lossy(&written);
            assert!(
                written.contains("password=[REDACTED:assigned] "),
                "{before}"
            );
            assert!(!written.contains("horse"), "{before}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_known_value_is_left(
        value in "[a-zA-Z0-9/+=%&!é]{8,40}",
        around in proptest::collection::vec("[\\s\\S]{0,20}", 3),
        size in 1..50usize,
    ) {
        let redactor = Redactor::with_values([("APP_SECRET".to_owned(), value.clone())]);
        let text = format!("{}{value}{}{value}{}", around[0], around[1], around[2]);
        let out = redactor.redact(&text);
        prop_assert!(!out.contains(&value));
        let mut writer = redactor.writer(Vec::new());
        for part in text.as_bytes().chunks(size) {
            writer.write_all(part).unwrap();
        }
        let written = String::from_utf8(writer.finish().unwrap()).unwrap();
        prop_assert!(!written.contains(&value));
        let intake = Intake::new(Gate::default(), redactor);
        let text = intake.text(&text, 0);
        prop_assert!(!text.as_str().contains(&value));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let redactor = Redactor::patterns_only();
        let once = redactor.redact_bytes(&bytes).into_owned();
        prop_assert_eq!(redactor.redact_bytes(&once).into_owned(), once);
    }
}
