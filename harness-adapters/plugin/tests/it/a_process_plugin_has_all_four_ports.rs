//! A process scores, checks, repairs and replays, each if it says that it does.

use std::sync::Arc;

use harness_core::{CaseKind, CleanText, Origin, Prompt, SessionId, Tier, Timestamp, TurnPayload};
use harness_engine::{
    CaseResult, Config, EmbeddedEvaluator, Evaluator as _, Harness, HealthReport, ModelChoice,
    Repair, Setup, Verifier as _,
};
use harness_plugin::{PluginEvaluator, PluginModel, PluginReplay, PluginVerifier};
use harness_repair::{ModelRequest, RepairModel as _, StopReason, repair_tools};
use harness_sanitize::Redactor;
use harness_store::{Workspace, WorkspacePaths};

use crate::library::{Folder, trace};
use crate::program::{as_in_the_readme, misbehaving, program, start};

fn turn(request: &str) -> TurnPayload {
    let session = SessionId::parse("s").unwrap();
    TurnPayload::new(session, 0, Origin::Live, trace(request))
}

#[tokio::test]
async fn the_one_that_the_readme_shows_scores_and_checks() {
    let folder = Folder::new();
    let plugin = start(program(&folder, &as_in_the_readme(), ""))
        .await
        .unwrap();
    let evaluator = PluginEvaluator::new(Arc::clone(&plugin));
    assert_eq!(evaluator.identity().name.as_str(), "keeps-to-the-point");
    assert_eq!(evaluator.identity().version.as_str(), "1");
    assert_eq!(evaluator.health().await, HealthReport::Up);
    let readings = evaluator
        .score(&trace("ask"), Tier::Progress)
        .await
        .unwrap();
    assert_eq!(readings[0].value.score().unwrap().get(), 1.0);
    let reason = readings[0].reason.as_ref().unwrap();
    assert_eq!(reason.as_str(), "0 of 1 steps failed");
    let verifier = PluginVerifier::new(Arc::clone(&plugin)).unwrap();
    let verified = verifier.verify(&turn("ask")).await.unwrap();
    assert_eq!(verified.score.get(), 1.0);
    assert_eq!(verified.reason.as_str(), "whether the agent answered");
    assert!(PluginModel::new(Arc::clone(&plugin)).is_none());
    assert!(PluginReplay::new(plugin).is_none());
}

#[tokio::test]
async fn one_that_repairs_is_given_prompt_and_tools() {
    let folder = Folder::new();
    let plugin = start(program(&folder, &misbehaving(), "")).await.unwrap();
    let model = PluginModel::new(plugin).unwrap();
    let prompt = Prompt::new().trusted("Repair what failed.");
    let request = ModelRequest {
        prompt: &prompt,
        exchange: &[],
        tools: repair_tools(),
        max_output_tokens: 100,
        temperature: None,
        reasoning_effort: None,
    };
    let reply = model.reply(request).await.unwrap();
    assert_eq!(
        (reply.output_tokens, reply.stop, reply.calls.len()),
        (Some(9), StopReason::Complete, 1)
    );
}

/// What a replay of a win with this input comes to.
async fn replayed(input: &str) -> CaseResult {
    let (folder, world) = (Folder::new(), Folder::new());
    let plugin = start(program(&folder, &misbehaving(), "")).await.unwrap();
    let paths = WorkspacePaths {
        root: world.path("root"),
        config_dir: world.path("config"),
    };
    Workspace::init(&paths, Timestamp::from_micros(1_800_000_000_000_000)).unwrap();
    let setup = Setup {
        paths,
        config: Config {
            capture_eval_cases: true,
            eval_retry_s: 0,
            ..Config::default()
        },
        evaluator: Arc::new(EmbeddedEvaluator),
        verifier: None,
        repair: Repair::With(ModelChoice::Builtin),
        redactor: Redactor::patterns_only(),
        clock: None,
    };
    let replay = PluginReplay::new(plugin).unwrap();
    let harness = Harness::open_replaying(setup, Arc::new(replay)).unwrap();
    let win = TurnPayload {
        replay_input: Some(CleanText::new(input.to_owned()).unwrap()),
        ..turn("ask")
    };
    harness.capture_win(win).await.unwrap();
    let cases = harness.replay_cases(1).await.unwrap();
    assert_eq!((cases.len(), cases[0].kind), (1, CaseKind::Win));
    assert!(harness.close().await);
    cases[0].result
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_replays_reads_the_rules_and_reports_its_turns() {
    assert_eq!(replayed("sum up").await, CaseResult::Passed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_breaks_off_says_nothing_for_the_case() {
    for input in ["crashes", "reports nonsense"] {
        assert_eq!(replayed(input).await, CaseResult::Void, "{input}");
    }
    // It had begun: its agent asked for the rules.
    let endless = replayed("calls back for ever").await;
    assert_ne!(endless, CaseResult::Passed);
}
