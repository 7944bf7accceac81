//! Scores, the metrics they belong to, and the registry an evaluator declares.

use std::fmt;

use crate::id::IdError;

/// Characters a metric name has at most.
const MAX_NAME: usize = 64;

/// A metric: `[a-z][a-z0-9_]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricName(Box<str>);

impl MetricName {
    /// Tier 0: whether the outcome was right, by a developer's own check.
    pub const OUTCOME_CORRECT: &'static str = "outcome_correct";

    /// Checks `text` and keeps it as it is.
    ///
    /// # Errors
    /// Text of another form, with the form in the message.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let starts = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        let plain = text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if starts && plain && text.len() <= MAX_NAME {
            Ok(Self(text.into()))
        } else {
            Err(IdError::new(
                "metric",
                text,
                "a metric is 1 to 64 characters of a-z 0-9 _ that start with a letter",
            ))
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A finite number in [0, 1]; higher is better.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// The worst score.
    pub const ZERO: Self = Self(0.0);
    /// The best score.
    pub const ONE: Self = Self(1.0);

    /// Takes a number if it is finite and in [0, 1].
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// `numerator / denominator`, 1 if the denominator is 0, never out of range.
    pub fn ratio(numerator: usize, denominator: usize) -> Self {
        if denominator == 0 {
            return Self::ONE;
        }
        // Both are far below 2^53, where the conversion is exact.
        Self((numerator as f64 / denominator as f64).clamp(0.0, 1.0))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.0)
    }
}

/// What a metric speaks of, and so when it is scored and whether it may alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// 0: a developer's verifier; may breach.
    Outcome,
    /// 1: progress over the session; may stall or regress.
    Progress,
    /// 2: diagnosis of steps, once tier 1 or the outcome alerts; may breach.
    Diagnosis,
    /// 3: explanation, on a confirmed breach of tier 2; never an alert of its own.
    Explanation,
}

impl Tier {
    /// The number on disk.
    pub const fn number(self) -> u8 {
        match self {
            Self::Outcome => 0,
            Self::Progress => 1,
            Self::Diagnosis => 2,
            Self::Explanation => 3,
        }
    }

    /// Reads a number as [`Self::number`] writes it.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Outcome),
            1 => Some(Self::Progress),
            2 => Some(Self::Diagnosis),
            3 => Some(Self::Explanation),
            _ => None,
        }
    }
}

/// One metric that an evaluator declares.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSpec {
    /// Its name.
    pub name: MetricName,
    /// Its tier.
    pub tier: Tier,
    /// A score strictly below this is a breach, where the tier may breach.
    pub threshold: Score,
}

/// The metrics that exist, in order of name, each once; at most [`MetricRegistry::MAX`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricRegistry(Vec<MetricSpec>);

impl MetricRegistry {
    /// Metrics a registry holds at most.
    pub const MAX: usize = 64;

    /// A registry of `specs`; of two with one name the first is kept, and those past the bound
    /// are dropped.
    pub fn new(specs: impl IntoIterator<Item = MetricSpec>) -> Self {
        let mut kept: Vec<MetricSpec> = Vec::new();
        for spec in specs {
            if kept.len() < Self::MAX && kept.iter().all(|other| other.name != spec.name) {
                kept.push(spec);
            }
        }
        kept.sort_by(|a, b| a.name.cmp(&b.name));
        Self(kept)
    }

    /// The metric of that name, if declared.
    pub fn get(&self, name: &MetricName) -> Option<&MetricSpec> {
        self.0.iter().find(|spec| spec.name == *name)
    }

    /// All metrics, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = &MetricSpec> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_finite_and_in_range() {
        for bad in [f64::NAN, f64::INFINITY, -0.001, 1.001] {
            assert!(Score::new(bad).is_none());
        }
        assert_eq!(Score::new(0.5).map(Score::get), Some(0.5));
        assert_eq!(Score::ratio(0, 0), Score::ONE);
    }

    #[test]
    fn a_composite_metric_name_is_refused() {
        for bad in ["", "a,b", "breach:x", "A", "1a", "a b"] {
            assert!(MetricName::parse(bad).is_err(), "{bad:?}");
        }
        assert!(MetricName::parse("tool_correctness").is_ok());
    }

    #[test]
    fn a_registry_keeps_the_first_of_a_name() {
        let name = MetricName::parse("m").unwrap();
        let spec = |tier| MetricSpec {
            name: name.clone(),
            tier,
            threshold: Score::ONE,
        };
        let registry = MetricRegistry::new([spec(Tier::Progress), spec(Tier::Outcome)]);
        assert_eq!(registry.get(&name).map(|s| s.tier), Some(Tier::Progress));
    }
}
