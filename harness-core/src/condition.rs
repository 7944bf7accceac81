//! What can go wrong with a metric, how grave it is, and the signature that names both.

use std::fmt;

use crate::id::IdError;
use crate::metric::MetricName;

/// What a metric did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Strictly below its threshold (tiers 0 and 2 only).
    Breach,
    /// No gain for a whole window while the peak stays below the target.
    Stall,
    /// Well below its running peak.
    Regression,
}

impl Condition {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Breach, Self::Stall, Self::Regression];

    /// The name on disk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Breach => "breach",
            Self::Stall => "stall",
            Self::Regression => "regression",
        }
    }

    /// Reads a name as [`Self::as_str`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == text)
    }

    /// How grave the condition is by itself.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Breach => Severity::Breach,
            Self::Stall => Severity::Trend,
            Self::Regression => Severity::Relative,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `condition:metric`, for example `breach:tool_correctness`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// What happened.
    pub condition: Condition,
    /// To which metric.
    pub metric: MetricName,
}

impl Signature {
    /// Reads `condition:metric`.
    ///
    /// # Errors
    /// Text of another form.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let parts = text.split_once(':').and_then(|(condition, metric)| {
            Some((
                Condition::parse(condition)?,
                MetricName::parse(metric).ok()?,
            ))
        });
        parts
            .map(|(condition, metric)| Self { condition, metric })
            .ok_or_else(|| {
                IdError::new(
                    "signature",
                    text,
                    "a signature is `breach`, `stall` or `regression`, a colon and a metric",
                )
            })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.condition, self.metric)
    }
}

/// How grave a notice is; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A stall.
    Trend,
    /// A regression.
    Relative,
    /// A breach.
    Breach,
    /// For a person, never for the repair agent.
    NeedsHuman,
}

impl Severity {
    /// The name of the value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trend => "trend",
            Self::Relative => "relative",
            Self::Breach => "breach",
            Self::NeedsHuman => "needs_human",
        }
    }

    /// Reads a stored name; an unknown one reads as [`Severity::Breach`].
    pub fn from_stored(text: &str) -> Self {
        match text {
            "trend" => Self::Trend,
            "relative" => Self::Relative,
            "needs_human" => Self::NeedsHuman,
            _ => Self::Breach,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_reads_what_it_writes() {
        let text = "stall:task_completion";
        assert_eq!(Signature::parse(text).unwrap().to_string(), text);
        for bad in ["", "breach", "breach:", "breach:A", "fall:x", "breach:a:b"] {
            assert!(Signature::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn severity_is_ordered_and_unknown_reads_as_breach() {
        assert!(Severity::Trend < Severity::Relative);
        assert!(Severity::Relative < Severity::Breach);
        assert!(Severity::Breach < Severity::NeedsHuman);
        assert_eq!(Severity::from_stored("catastrophe"), Severity::Breach);
    }
}
