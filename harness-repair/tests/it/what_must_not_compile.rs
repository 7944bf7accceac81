//! What must not compile, each with a twin that does.

#[test]
fn raw_text_has_no_way_in() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/raw_text_in_a_prompt.rs");
    cases.pass("tests/ui/clean_text_in_a_prompt.rs");
    cases.compile_fail("tests/ui/a_rule_of_raw_text.rs");
    cases.pass("tests/ui/a_rule_of_one_paragraph.rs");
    cases.compile_fail("tests/ui/a_model_by_default.rs");
    cases.pass("tests/ui/a_model_by_choice.rs");
}
