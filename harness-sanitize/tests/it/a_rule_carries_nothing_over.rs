//! Rule text names tools, arguments and error classes, and carries nothing else over.

use harness_core::CleanText;
use harness_sanitize::{CarryOver, EvidenceLeaves, check_rule_text};
use proptest::prelude::*;

const LEAVES: [&str; 13] = [
    "Please cancel the booking of my sister Ludmila for next Tuesday in Ghent",
    "BK-48213",
    "https://portal.acme-travel.test/bookings/48213?ref=a7",
    "could not open /srv/bookings/2024/ghent.csv: permission denied",
    "mail ludmila.v@acme-travel.test or 10.20.30.40 for 1,250 points",
    "booking_ref is unknown to the partner system",
    "waffles",
    "window seat",
    "true",
    "not_found",
    "48213",
    "get_booking",
    "bookings",
];

fn check(rule: &str) -> Result<(), CarryOver> {
    let names = [
        "get_booking",
        "cancel_booking",
        "booking_id",
        "list_bookings",
    ];
    let evidence = EvidenceLeaves::new(LEAVES, names);
    check_rule_text(&CleanText::new(rule).unwrap(), &evidence)
}

#[test]
fn names_and_general_words_pass() {
    for rule in [
        "Before cancel_booking, call get_booking with the same booking_id; on not_found ask the user.",
        "When list_bookings fails with permission_denied, do not repeat the call, report it instead.",
        "Retry at most 3 times, then stop. Is the result true? Then go on.",
        "See https://docs.other.test/guide and /etc/other.conf at 192.0.2.1.",
        "Cancel the booking only after the customer has confirmed.",
    ] {
        assert_eq!(check(rule), Ok(()), "{rule}");
    }
}

#[test]
fn what_the_evidence_says_is_refused() {
    for (rule, name) in [
        (
            "Never open https://portal.acme-travel.test/bookings/48213?ref=a7 again.",
            "url",
        ),
        ("Trust portal.acme-travel.test for this.", "host"),
        ("Trust PORTAL.acme-travel.test.", "host"),
        ("Read /srv/bookings/2024/ghent.csv first.", "path"),
        ("Ask ludmila.v@acme-travel.test first.", "address"),
        ("Connect to 10.20.30.40 first.", "address"),
        ("Offer 1250 points first.", "number"),
        ("Offer 1,250 points first.", "number"),
        ("Booking 48213 is special.", "number"),
        ("Booking ４８２１３ is special.", "number"),
        ("Use bk-48213 as the id.", "value"),
        ("Name the argument booking_ref.", "value"),
        ("Be kind to Ludmila.", "value"),
        ("Be kind to Ludmilа.", "value"),
        ("Always offer waffles.", "value"),
        ("Always offer a Window  Seat.", "value"),
        ("First cancel the booking of my boss.", "five_words"),
        ("First CANCEL, the booking: of my boss.", "five_words"),
        ("It is unknown to the partner.", "five_words"),
    ] {
        assert_eq!(
            check(rule).map_err(|carried| carried.name()),
            Err(name),
            "{rule}"
        );
    }
}

#[test]
fn the_reason_says_where_and_does_not_quote() {
    let refused = check("Always offer waffles.").unwrap_err();
    assert_eq!(refused, CarryOver::Value { at: 13 });
    assert!(!refused.to_string().contains("waffles"), "{refused}");
}

#[test]
fn with_more_evidence_than_can_be_compared_no_rule_passes() {
    let leaf = "lorem ".repeat(1 << 20);
    let evidence = EvidenceLeaves::new([leaf.as_str()], []);
    let rule = CleanText::new("Check first.").unwrap();
    assert_eq!(check_rule_text(&rule, &evidence), Err(CarryOver::Unknown));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn five_words_of_a_leaf_are_found_wherever_they_stand(
        words in proptest::collection::vec("[a-z]{2,9}", 12),
        start in 0..7usize,
        before in "[a-z ]{0,20}",
    ) {
        let leaf = words.join(" ");
        let evidence = EvidenceLeaves::new([leaf.as_str()], []);
        let rule = format!("{before} {} then", words[start..start + 5].join(" "));
        prop_assume!(CleanText::new(rule.as_str()).is_ok());
        let carried = check_rule_text(&CleanText::new(rule).unwrap(), &evidence);
        prop_assert!(matches!(carried, Err(CarryOver::FiveWords { .. })), "{:?}", carried);
    }

    #[test]
    fn no_text_makes_it_panic(leaf in "\\PC{0,60}", rule in "\\PC{0,60}") {
        prop_assume!(CleanText::new(rule.as_str()).is_ok());
        let evidence = EvidenceLeaves::new([leaf.as_str()], []);
        let _ = check_rule_text(&CleanText::new(rule).unwrap(), &evidence).is_ok();
    }
}
