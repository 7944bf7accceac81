//! What must not compile: each with a twin, one token away, that does.

#[test]
fn nobody_but_a_policy_allows_a_command() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*_fails.rs");
    cases.pass("tests/ui/*_compiles.rs");
}
