//! Money: set aside before, spent after.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Dollars of one amount at most.
const MAX_DOLLARS: f64 = 1_000_000.0;

/// Millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Microdollars(u64);

impl Microdollars {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many millionths.
    pub const fn new(amount: u64) -> Self {
        Self(amount)
    }

    /// How many.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// An amount in dollars, rounded up; `None` for what is no amount from 0 to 1,000,000.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within the bounds that were just checked"
        )]
        (0.0..=MAX_DOLLARS)
            .contains(&dollars)
            .then(|| Self((dollars * 1e6).ceil() as u64))
    }

    const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Microdollars {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{:06} $", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// Where the money stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spending {
    /// Spent.
    pub spent: Microdollars,
    /// Set aside.
    pub reserved: Microdollars,
    /// The cap.
    pub cap: Microdollars,
}

/// The money of a session, shared by all that spend it.
#[derive(Clone, Debug)]
pub(crate) struct Purse {
    // INVARIANT: spent plus reserved is at most the cap, unless an answer cost more than the most
    // it could; then spent alone may exceed it, and nothing more is set aside.
    standing: Arc<Mutex<Spending>>,
}

impl Purse {
    pub(crate) fn new(cap: Microdollars) -> Self {
        let standing = Spending {
            spent: Microdollars::ZERO,
            reserved: Microdollars::ZERO,
            cap,
        };
        Self {
            standing: Arc::new(Mutex::new(standing)),
        }
    }

    /// Sets `amount` aside, the most that something can cost; else says where the money stands.
    pub(crate) fn reserve(&self, amount: Microdollars) -> Result<Reservation, Spending> {
        let mut standing = held(&self.standing);
        let wanted = standing.spent.plus(standing.reserved).plus(amount);
        // At the cap even what costs nothing is over.
        if wanted > standing.cap || (standing.spent >= standing.cap && amount > Microdollars::ZERO)
        {
            return Err(*standing);
        }
        standing.reserved = standing.reserved.plus(amount);
        Ok(Reservation {
            standing: Arc::clone(&self.standing),
            amount,
            open: true,
        })
    }

    pub(crate) fn spending(&self) -> Spending {
        *held(&self.standing)
    }
}

/// Money that was set aside. Dropped without a word, all of it counts as spent.
#[derive(Debug)]
#[must_use = "what is set aside counts as spent when this is dropped"]
pub(crate) struct Reservation {
    standing: Arc<Mutex<Spending>>,
    amount: Microdollars,
    open: bool,
}

impl Reservation {
    /// Spends what it came to. More than was set aside is booked too: the money is gone.
    pub(crate) fn commit(mut self, actual: Microdollars) {
        self.close(actual);
    }

    fn close(&mut self, actual: Microdollars) {
        if std::mem::replace(&mut self.open, false) {
            let mut standing = held(&self.standing);
            standing.reserved = standing.reserved.less(self.amount);
            standing.spent = standing.spent.plus(actual);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.close(self.amount);
    }
}

/// A panic elsewhere leaves whole amounts behind, so they still count.
fn held(standing: &Mutex<Spending>) -> MutexGuard<'_, Spending> {
    standing.lock().unwrap_or_else(PoisonError::into_inner)
}
