//! Each file of `tests/ui` that must not compile has a twin, one token away, that does.

#[test]
fn untrusted_text_cannot_be_printed_and_clean_text_cannot_be_forged() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/untrusted_is_not_displayed.rs");
    cases.pass("tests/ui/untrusted_is_debugged.rs");
    cases.compile_fail("tests/ui/untrusted_is_not_a_str.rs");
    cases.pass("tests/ui/clean_text_is_a_str.rs");
    cases.compile_fail("tests/ui/clean_text_is_not_forged.rs");
    cases.pass("tests/ui/clean_text_is_checked.rs");
}
