//! What models cost.

use std::collections::BTreeMap;

use super::cost::Microdollars;

/// Tokens that a price is for.
const PER: u128 = 1_000_000;

/// Dollars for a million tokens of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    tokens_in: Microdollars,
    tokens_out: Microdollars,
}

/// A price that is none. The operator's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a price is a number of dollars from 0 to 1000000 for a million tokens")]
pub struct PriceError;

/// What a model says it read and wrote; `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub tokens_in: Option<u64>,
    /// Tokens written.
    pub tokens_out: Option<u64>,
}

impl Price {
    /// A model that costs nothing.
    pub const FREE: Self = Self {
        tokens_in: Microdollars::ZERO,
        tokens_out: Microdollars::ZERO,
    };

    /// Dollars for a million tokens read, and written.
    ///
    /// # Errors
    /// A number that is no price.
    pub fn per_million(tokens_in: f64, tokens_out: f64) -> Result<Self, PriceError> {
        Ok(Self {
            tokens_in: Microdollars::from_dollars(tokens_in).ok_or(PriceError)?,
            tokens_out: Microdollars::from_dollars(tokens_out).ok_or(PriceError)?,
        })
    }

    /// What so many tokens cost, rounded up.
    pub(crate) fn of(self, tokens_in: u64, tokens_out: u64) -> Microdollars {
        let whole = u128::from(tokens_in) * u128::from(self.tokens_in.get())
            + u128::from(tokens_out) * u128::from(self.tokens_out.get());
        Microdollars::new(u64::try_from(whole.div_ceil(PER)).unwrap_or(u64::MAX))
    }
}

/// Prices by model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// No price: no model may be asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a model's price.
    #[must_use]
    pub fn set(mut self, model: impl Into<String>, price: Price) -> Self {
        self.0.insert(model.into(), price);
        self
    }

    pub(crate) fn get(&self, model: &str) -> Option<Price> {
        self.0.get(model).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_rounded_up_and_never_overflows() {
        let price = Price::per_million(3.0, 15.0).unwrap();
        assert_eq!(price.of(1_000_000, 0), Microdollars::new(3_000_000));
        assert_eq!(price.of(1, 0), Microdollars::new(3));
        assert_eq!(price.of(0, 1), Microdollars::new(15));
        let cheap = Price::per_million(0.05, 0.05).unwrap();
        assert_eq!(cheap.of(1, 0), Microdollars::new(1));
        assert_eq!(price.of(u64::MAX, u64::MAX), Microdollars::new(u64::MAX));
        for bad in [f64::NAN, -1.0, f64::INFINITY, 1e9] {
            assert_eq!(Price::per_million(bad, 0.0), Err(PriceError), "{bad}");
        }
    }
}
