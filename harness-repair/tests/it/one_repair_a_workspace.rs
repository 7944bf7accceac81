//! One repair at a time in a workspace: in this process and in others, and none for ever.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use harness_core::{CleanString, CleanText, RepairStatus};
use harness_repair::{
    ModelError, ModelReply, ModelRequest, RepairBounds, RepairError, RepairModel, RepairResult,
};
use harness_rules::DeskError;

use crate::failures::{guessing, notice};
use crate::scripted::{Line, Scripted, resolves};
use crate::workspace::Workspace;

/// Where a process of this test finds the workspace.
const FOLDER: &str = "HARNESS_TEST_REPAIR_FOLDER";
/// What it says once its repair is under way.
const UNDER_WAY: &str = "a repair is under way";

fn is_under_way(error: &RepairError) -> bool {
    matches!(error, RepairError::NotOpened(DeskError::EpisodeUnderWay))
}

#[tokio::test]
async fn a_second_one_in_this_process_is_refused() {
    let workspace = Workspace::guessing();
    let hanging = Scripted::new(vec![Line::Hangs]);
    let mut first = Box::pin(workspace.run(hanging.clone(), RepairBounds::default()));
    while hanging.seen().is_empty() {
        tokio::select! {
            _ = &mut first => panic!("it hangs"),
            () = tokio::task::yield_now() => {}
        }
    }
    let second = workspace
        .run(Scripted::new(vec![]), RepairBounds::default())
        .await;
    assert!(is_under_way(&second.unwrap_err()));
}

/// A process that ends with its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_in_another_process_is_waited_for_until_that_process_is_gone() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let _ = run(&Workspace::at(folder.as_ref()), Arc::new(Announcing));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    Workspace::at(folder.path()).post(notice(1), guessing());

    let name =
        "one_repair_a_workspace::one_in_another_process_is_waited_for_until_that_process_is_gone";
    let mut other = Killed(
        Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut said = BufReader::new(other.0.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains(UNDER_WAY)));

    let workspace = Workspace::at(folder.path());
    let episode = workspace.episode();
    let attempt = || run(&workspace, Scripted::new(vec![resolves("no_proposal")]));
    assert!(is_under_way(&attempt().unwrap_err()));
    assert_eq!(workspace.pending(), 1);

    drop(other);
    assert_eq!(attempt().unwrap().status, RepairStatus::NoProposal);
    drop(workspace);

    // Whoever opens the workspace next ends what the killed process began.
    let workspace = Workspace::at(folder.path());
    workspace.turn_to(episode);
    let mut ends = workspace.terminal_events();
    ends.sort_unstable();
    assert_eq!(ends, ["repair_cancelled", "repair_no_proposal"]);
    assert_eq!(workspace.pending(), 0);
    assert!(workspace.audit_is_clean());
}

/// The other process: a model that says that it was asked, and then nothing.
struct Announcing;

#[async_trait]
impl RepairModel for Announcing {
    fn name(&self) -> CleanString {
        CleanText::new("announcing").unwrap()
    }

    #[expect(clippy::print_stdout, reason = "its parent reads it")]
    async fn reply(&self, _request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        println!("{UNDER_WAY}");
        std::future::pending().await
    }
}

fn run(workspace: &Workspace, model: Arc<dyn RepairModel>) -> Result<RepairResult, RepairError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(workspace.run(model, RepairBounds::default()))
}
