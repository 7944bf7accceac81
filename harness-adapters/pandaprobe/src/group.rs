//! A child in a process group of its own, which is dead when this value is.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

/// How often the end of the child is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// The child.
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    /// Starts `command` in a group of its own, with nothing to read.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let leader = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        Ok(Self { child, leader })
    }

    /// What the child writes; each once.
    pub(crate) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits for the end of the child without reaping it: until then its number, and so the name of
    /// its group, belongs to nobody else.
    pub(crate) async fn ended(&self) {
        let Some(leader) = self.leader else { return };
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(leader), how), Ok(None)) {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Ends whatever of the group is left.
    pub(crate) fn kill(&self) {
        if let Some(leader) = self.leader {
            // It fails only where nobody is left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// How the child ended. The group has no name from here on.
    pub(crate) async fn reap(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        self.leader = None;
        self.child.wait().await
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads to the end, or to one byte over `max`, which is an error.
pub(crate) async fn bounded(
    from: Option<impl AsyncRead + Unpin>,
    max: usize,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        let bound = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
        from.take(bound).read_to_end(&mut bytes).await?;
    }
    if bytes.len() > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}
