//! Many independent runs of one figure, over all cores.

use std::num::NonZeroUsize;
use std::thread;

use crate::random::Random;

/// Where the runs of every figure come from.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// Repeats everything.
    pub(crate) seed: u64,
    /// How many runs a rate is measured over.
    pub(crate) trials: usize,
}

impl Runs {
    /// The results of all runs of `figure`, in order.
    pub(crate) fn of<T: Send>(self, figure: &str, run: impl Fn(Random) -> T + Sync) -> Vec<T> {
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let share = self.trials.div_ceil(threads);
        let run = &run;
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|worker| {
                    let runs = worker * share..self.trials.min((worker + 1) * share);
                    scope.spawn(move || -> Vec<T> {
                        runs.map(|n| run(Random::of(self.seed, figure, n)))
                            .collect()
                    })
                })
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().expect("a run does not panic"))
                .collect()
        })
    }
}
