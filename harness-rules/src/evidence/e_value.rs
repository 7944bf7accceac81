//! E-values, as numbers that neither overflow nor depend on the machine.
//!
//! Products of hundreds of factors leave the range of `f64`, and logarithms are not an answer here:
//! the standard library promises no bits for `ln` and `exp`, and a verdict that can be derived again
//! anywhere must be the same verdict. So a value is a mantissa and a power of two, and only
//! multiplication and addition, which IEEE 754 rounds exactly, ever touch it.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Mul;

/// The bits of an `f64` below its exponent.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
/// What is added to an exponent before it is stored in an `f64`.
const EXPONENT_BIAS: i64 = f64::MAX_EXP as i64 - 1;
/// The least exponent of a normal `f64`.
const LEAST_EXPONENT: i64 = f64::MIN_EXP as i64 - 1;

/// Evidence against a null hypothesis: a non-negative number whose mean under the null is at most
/// one. Products of e-values taken one after the other are e-values, and so are means.
#[derive(Clone, Copy, PartialEq)]
pub struct EValue {
    // INVARIANT: the value is `mantissa * 2^exponent` with `mantissa` in [1, 2), or it is zero and
    // then `mantissa` is 0 and `exponent` the least there is; so order is (exponent, mantissa).
    exponent: i64,
    mantissa: f64,
}

impl EValue {
    /// No evidence either way: the capital that a bettor starts with.
    pub const ONE: Self = Self {
        exponent: 0,
        mantissa: 1.0,
    };

    /// A bet that is lost for good.
    pub const ZERO: Self = Self {
        exponent: i64::MIN,
        mantissa: 0.0,
    };

    /// The value `number`; `None` for what no e-value can be: negative, infinite or not a number.
    pub fn new(number: f64) -> Option<Self> {
        (number >= 0.0 && number.is_finite()).then(|| Self::normalised(number, 0))
    }

    /// Whether the evidence reaches `threshold`, exactly. No evidence reaches an infinite threshold
    /// or one that is not a number.
    pub fn at_least(self, threshold: f64) -> bool {
        threshold.is_finite() && Self::new(threshold.max(0.0)).is_some_and(|level| self >= level)
    }

    /// The mean, which is an e-value if all are; what was never bet is worth nothing. Added in the
    /// order of the iterator, on the scale of the largest value, so that the order is part of the
    /// result's last bits.
    pub fn mean(values: impl IntoIterator<Item = Self>) -> Self {
        let values: Vec<Self> = values.into_iter().collect();
        let scale = values.iter().max().map_or(0, |most| most.exponent);
        let sum: f64 = values
            .iter()
            .map(|value| value.mantissa * power_of_two(value.exponent.saturating_sub(scale)))
            .sum();
        Self::normalised(sum / values.len().max(1) as f64, scale)
    }

    /// `self` multiplied with itself `n` times; one for `n = 0`.
    #[must_use]
    pub fn power(self, n: u32) -> Self {
        Powers::of(self).power(n)
    }

    /// The value as a number, for reports; `f64::MAX` where it is larger, 0 where it is too small.
    pub fn as_f64(self) -> f64 {
        if self.exponent > EXPONENT_BIAS {
            f64::MAX
        } else {
            self.mantissa * power_of_two(self.exponent)
        }
    }

    /// The natural logarithm, for reports. No decision reads it: its last bits may differ between
    /// machines.
    pub fn ln(self) -> f64 {
        if self == Self::ZERO {
            return f64::NEG_INFINITY;
        }
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }

    /// `number * 2^exponent` for a finite `number` of at least zero.
    fn normalised(number: f64, exponent: i64) -> Self {
        if number == 0.0 {
            return Self::ZERO;
        }
        if number < f64::MIN_POSITIVE {
            // Exact: a subnormal has bits to spare above it.
            let lift = i64::from(f64::MANTISSA_DIGITS);
            return Self::normalised(number * power_of_two(lift), exponent.saturating_sub(lift));
        }
        let bits = number.to_bits();
        let own = (bits >> FRACTION_BITS) as i64 - EXPONENT_BIAS;
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        Self {
            exponent: exponent.saturating_add(own),
            mantissa: f64::from_bits(fraction | 1.0_f64.to_bits()),
        }
    }
}

/// The powers of one value.
#[derive(Clone, Debug)]
pub(super) struct Powers {
    /// The value, its square, the square of that, and so on.
    squares: [EValue; u32::BITS as usize],
}

impl Powers {
    pub(super) fn of(value: EValue) -> Self {
        let mut square = value;
        Self {
            squares: std::array::from_fn(|_| {
                let next = square * square;
                std::mem::replace(&mut square, next)
            }),
        }
    }

    /// The value multiplied with itself `n` times, always by the same multiplications.
    pub(super) fn power(&self, n: u32) -> EValue {
        let squares = (0..u32::BITS).zip(&self.squares);
        squares
            .take_while(|(bit, _)| n >> bit > 0)
            .filter(|(bit, _)| n >> bit & 1 == 1)
            .fold(EValue::ONE, |result, (_, square)| result * *square)
    }
}

impl Mul for EValue {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Mantissas are in [1, 2), so their product is in [1, 4): halved once at most, exactly.
        let product = self.mantissa * other.mantissa;
        if product == 0.0 {
            return Self::ZERO;
        }
        let exponent = self.exponent.saturating_add(other.exponent);
        if product < 2.0 {
            Self {
                exponent,
                mantissa: product,
            }
        } else {
            Self {
                exponent: exponent.saturating_add(1),
                mantissa: product * 0.5,
            }
        }
    }
}

impl Eq for EValue {}

impl Ord for EValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.exponent
            .cmp(&other.exponent)
            .then(self.mantissa.total_cmp(&other.mantissa))
    }
}

impl PartialOrd for EValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for EValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EValue(e^{:.6})", self.ln())
    }
}

/// `2^exponent`, exactly; 0 below the normal numbers of `f64` and the largest power above them.
fn power_of_two(exponent: i64) -> f64 {
    if exponent < LEAST_EXPONENT {
        return 0.0;
    }
    let biased = exponent.min(EXPONENT_BIAS).saturating_add(EXPONENT_BIAS);
    f64::from_bits((biased as u64) << FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(number: f64) -> EValue {
        EValue::new(number).expect("an e-value")
    }

    #[test]
    fn a_threshold_is_reached_exactly_and_what_is_no_e_value_is_refused() {
        for number in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
            assert_eq!(EValue::new(number), None, "{number}");
        }
        for number in [0.0, 5e-324, f64::MIN_POSITIVE, 0.1, 1.0, 20.0, f64::MAX] {
            assert!(value(number).at_least(number), "{number}");
            assert!(!value(number).at_least(number.next_up()), "{number}");
        }
    }

    #[test]
    fn no_evidence_reaches_a_threshold_that_is_none() {
        let huge = value(f64::MAX).power(1000);
        assert!(huge.at_least(f64::MAX));
        assert!(!huge.at_least(f64::INFINITY));
        assert!(!huge.at_least(f64::NAN));
    }

    #[test]
    fn products_beyond_the_range_of_floats_keep_their_order() {
        let large = value(1.9).power(5000);
        let larger = value(1.9).power(5001);
        assert!(larger > large);
        assert_eq!(large.as_f64(), f64::MAX);
        assert_eq!(large * EValue::ZERO, EValue::ZERO);
        assert!((large.ln() - 5000.0 * 1.9_f64.ln()).abs() < 1e-9);
        let small = value(0.03).power(5000);
        assert!(small > EValue::ZERO);
        assert_eq!(small.as_f64(), 0.0);
        assert!(((large * small).ln() - 5000.0 * (1.9_f64 * 0.03).ln()).abs() < 1e-9);
    }

    #[test]
    fn a_mean_takes_values_of_any_size() {
        let tiny = value(0.5).power(4000);
        assert_eq!(EValue::mean([tiny, value(3.0), tiny]), value(1.0));
        assert_eq!(EValue::mean([tiny, tiny]), tiny);
        assert_eq!(EValue::mean([tiny, EValue::ZERO]), value(0.5).power(4001));
        assert_eq!(EValue::mean([EValue::ZERO; 3]), EValue::ZERO);
        assert_eq!(EValue::mean([]), EValue::ZERO);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn within_range_it_is_the_arithmetic_of_floats(
            a in 1e-100..1e100_f64,
            b in 1e-100..1e100_f64,
        ) {
            prop_assert_eq!((value(a) * value(b)).as_f64(), a * b);
            prop_assert_eq!(EValue::mean([value(a), value(b)]).as_f64(), (a + b) / 2.0);
            prop_assert_eq!(value(a).cmp(&value(b)), a.total_cmp(&b));
            prop_assert_eq!(value(a).as_f64(), a);
        }
    }
}
