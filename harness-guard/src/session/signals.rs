//! An operator's signals: they abort the session while it lasts, and do what they always did
//! afterwards.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::unregister;

use super::AbortController;

/// The signals of a process are held once at a time.
static HELD: Mutex<Held> = Mutex::new(Held {
    now: false,
    restored: Vec::new(),
});

struct Held {
    now: bool,
    /// What does the default for signals that nobody holds: taken away when somebody does again.
    restored: Vec<SigId>,
}

/// The signals of the process cannot be held.
#[derive(Debug, thiserror::Error)]
pub enum SignalError {
    /// Another session holds them. The host's fault.
    #[error("another session of this process holds its signals")]
    Held,
    /// The system does not let us.
    #[error("the signals of the process cannot be held: {0}")]
    System(#[from] io::Error),
}

/// SIGINT and SIGTERM abort a session for as long as this is held. Then they end the process again,
/// as they do by default.
#[derive(Debug)]
#[must_use = "the signals are given back when this is dropped"]
pub struct HeldSignals {
    listener: Handle,
    thread: Option<JoinHandle<()>>,
    released: Arc<AtomicBool>,
}

impl AbortController {
    /// Lets SIGINT and SIGTERM trigger this controller.
    ///
    /// # Errors
    /// Another session of this process holds them, or the system refuses.
    pub fn hold_signals(&self) -> Result<HeldSignals, SignalError> {
        let mut held = held();
        if held.now {
            return Err(SignalError::Held);
        }
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let released = Arc::new(AtomicBool::new(false));
        let mut restoring = Vec::with_capacity(2);
        for signal in [SIGINT, SIGTERM] {
            restoring.push(register_conditional_default(signal, Arc::clone(&released))?);
        }
        let listener = signals.handle();
        let abort = self.clone();
        let thread = std::thread::Builder::new()
            .name("guard-signals".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    abort.trigger(if signal == SIGINT {
                        "SIGINT"
                    } else {
                        "SIGTERM"
                    });
                }
            })?;
        for earlier in std::mem::replace(&mut held.restored, restoring) {
            unregister(earlier);
        }
        held.now = true;
        Ok(HeldSignals {
            listener,
            thread: Some(thread),
            released,
        })
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        self.released.store(true, Ordering::SeqCst);
        self.listener.close();
        if let Some(thread) = self.thread.take() {
            // It only triggers; it cannot panic.
            let _ = thread.join();
        }
        held().now = false;
    }
}

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
