//! The writing halves: each appends its own closed set of events and no other.

mod entries;
mod events;
mod guard;
mod operator;
mod repair;
mod validation;
mod watch;

pub use entries::EntryLog;
pub(crate) use events::ended;
pub use events::{
    EntryEvent, GuardEvent, HalfEvent, OperatorEvent, Projects, RepairEvent, ValidationEvent,
    WatchEvent,
};
pub use guard::GuardLog;
pub use operator::OperatorLog;
pub use repair::{RepairFlight, RepairLog, Resolved};
pub use validation::{ReplayFlight, ValidationLog};
pub use watch::{NoticeToPost, Opening, TurnOutcome, TurnRecord, Watch};

use std::sync::Arc;
use std::time::Duration;

use crate::error::StoreError;
use crate::writer::{Tx, Writer};

/// Runs a job of a half on the writer thread with the lock held.
fn commit<E, T, F>(
    writer: &Arc<Writer>,
    deadline: Duration,
    job: impl FnOnce(&mut Tx<'_, E>) -> Result<T, F> + Send + 'static,
) -> Result<Result<T, F>, StoreError>
where
    E: HalfEvent,
    T: Send + 'static,
    F: Send + 'static,
{
    writer.run(deadline, move |core| job(&mut Tx::new(core)))
}

/// The two methods that every writing half has.
macro_rules! half {
    ($half:ident, $event:ident) => {
        impl $half {
            /// Runs `job` on the writer thread with the workspace's lock held. The call blocks;
            /// what the job returned is the inner result.
            ///
            /// A job must not call a method of a writing half: it would wait for itself.
            ///
            /// # Errors
            /// [`StoreError::Busy`](crate::StoreError::Busy) if the job could not begin within
            /// `deadline`; then it never runs. Once it has begun its end is waited for, but its
            /// commits fail as busy if they would begin to write after the deadline.
            pub fn commit<T: Send + 'static, E: Send + 'static>(
                &self,
                deadline: std::time::Duration,
                job: impl FnOnce(&mut $crate::Tx<'_, $event>) -> Result<T, E> + Send + 'static,
            ) -> Result<Result<T, E>, $crate::StoreError> {
                super::commit(&self.writer, deadline, job)
            }

            /// Appends `events`, all or nothing; what is appended side by side shares one write
            /// and one sync. When it returns they are on disk.
            ///
            /// # Errors
            /// As for [`Self::commit`], and whatever the system says of the write.
            pub fn append(
                &self,
                deadline: std::time::Duration,
                events: Vec<$event>,
            ) -> Result<Vec<$crate::Committed>, $crate::StoreError> {
                self.writer
                    .append(deadline, events.into_iter().map(Into::into).collect())
            }
        }
    };
}

pub(super) use half;
