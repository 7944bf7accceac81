//! Budgets: calls, turns, tokens, money.

mod calls;
mod cost;
mod price;
mod stop;

pub(crate) use calls::{Count, Slot};
pub use cost::{Microdollars, Spending};
pub(crate) use cost::{Purse, Reservation};
pub use price::{Price, PriceError, Prices, Usage};
pub use stop::Stop;
