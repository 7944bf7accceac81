//! A session's credentials reach a tool's child and nothing else.

use std::collections::BTreeSet;

use harness_guard::{Guard, SessionCredentials, StartError, credential_folders};

use crate::world::{World, ctx, read};

#[test]
fn they_are_drawn_anew_hidden_and_revoked() {
    let url_safe = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let mut seen = BTreeSet::new();
    for _ in 0..32 {
        let mut credentials = SessionCredentials::draw().unwrap();
        let token = credentials.token().unwrap().to_owned();
        assert_eq!((credentials.id().len(), token.len()), (16, 43));
        assert!(url_safe(credentials.id()) && url_safe(&token));
        assert!(credentials.is_token(&token));
        assert!(!credentials.is_token(&token[1..]));
        assert!(!credentials.is_token(""));
        let shown = format!("{credentials:?}");
        assert!(shown.contains(credentials.id()) && !shown.contains(&token));
        credentials.revoke();
        assert!(!credentials.is_token(&token));
        assert!(credentials.variables().is_empty());
        assert!(seen.insert(token));
    }
}

#[tokio::test]
async fn a_child_has_them_until_the_end_and_a_model_never() {
    let world = World::new();
    world.write("a.txt", "x");
    let guard = world.guard().await;
    let variables = guard.child_variables();
    let names: Vec<&str> = variables.keys().copied().collect();
    assert_eq!(names, ["AGENT_SESSION_ID", "AGENT_SESSION_TOKEN"]);
    let token = &variables["AGENT_SESSION_TOKEN"];
    assert!(guard.is_session_token(token));

    world.says(&format!("the environment says {token}"));
    let said = guard.call(&ctx(), read("a.txt")).await.for_model();
    assert!(!said.contains(token.as_str()), "{said}");
    assert!(!world.audit.text().contains(token.as_str()));
    assert!(!format!("{guard:?}").contains(token.as_str()));

    guard.end().await.unwrap();
    assert!(guard.child_variables().is_empty());
    assert!(!guard.is_session_token(token));
}

#[tokio::test]
async fn a_prompt_that_holds_something_of_the_environment_does_not_start() {
    let world = World::new();
    let variables = vec![("APP_TOKEN".to_owned(), "correct-horse-battery".to_owned())];
    for (prompt, starts) in [
        ("You are careful.", true),
        ("Use APP_TOKEN.", false),
        ("Use correct-horse-battery.", false),
        ("Use {os.environ['X']}.", false),
    ] {
        let mut setup = world.setup();
        setup.environment.clone_from(&variables);
        setup.system_prompt = prompt.to_owned();
        let started = Guard::start(setup).await;
        assert_eq!(started.is_ok(), starts, "{prompt}");
        if let Err(error) = started {
            assert!(matches!(error, StartError::Prompt { findings: 1 }));
            assert!(!error.to_string().contains("horse"));
        }
    }
}

#[test]
fn credential_folders_are_reported_where_they_are() {
    let home = tempfile::tempdir().unwrap();
    assert!(credential_folders(home.path()).is_empty());
    std::fs::create_dir(home.path().join(".ssh")).unwrap();
    std::fs::write(home.path().join(".netrc"), "").unwrap();
    std::fs::create_dir(home.path().join("project")).unwrap();
    let found = credential_folders(home.path());
    assert_eq!(
        found,
        [home.path().join(".netrc"), home.path().join(".ssh")]
    );
}
