//! Each file of `tests/ui` that must not compile has a twin, one token away, that does.

#[test]
fn the_type_system_holds_it() {
    let cases = trybuild::TestCases::new();
    for (denied, allowed) in [
        ("raw_text_in_a_proposal", "clean_text_in_a_proposal"),
        ("a_toolset_promotes", "a_toolset_answers"),
        ("the_entry_log_promotes", "the_entry_log_enters"),
        ("an_operator_promotes", "an_operator_retires"),
        ("counts_for_the_desk", "an_evaluator_for_the_desk"),
        (
            "two_proposals_of_one_episode",
            "two_proposals_of_two_episodes",
        ),
        ("a_proposed_episode_proposes", "a_proposed_episode_resolves"),
        ("a_repair_session_is_scored", "a_session_is_scored"),
        ("a_session_of_repair_has_tools", "a_session_has_tools"),
    ] {
        cases.compile_fail(format!("tests/ui/{denied}.rs"));
        cases.pass(format!("tests/ui/{allowed}.rs"));
    }
}
