//! What must not compile: each with a twin, one token away, that does.

#[test]
fn the_type_system_holds_it() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*_fails.rs");
    cases.pass("tests/ui/*_compiles.rs");
}
