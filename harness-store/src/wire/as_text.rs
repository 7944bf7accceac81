//! Ids and names as JSON strings: checked when read, so that past the edge nothing checks again.

use std::borrow::Cow;

use harness_core::{
    Applicability, CaseId, CaseKind, CleanText, Condition, EpisodeId, IdError, MetricName,
    NoticeId, Principal, ResolutionKind, Retirement, RuleId, Scope, SessionId, Signature,
    Timestamp, TraceId,
};

/// A value with one spelling in JSON.
pub trait TextForm: Sized {
    /// The spelling.
    fn to_text(&self) -> Cow<'_, str>;

    /// The value of a spelling.
    ///
    /// # Errors
    /// Text that spells no such value; the message says what is allowed.
    fn from_text(text: &str) -> Result<Self, String>;
}

macro_rules! by_parse {
    ($($type:ty),* $(,)?) => {
        $(impl TextForm for $type {
            fn to_text(&self) -> Cow<'_, str> {
                self.as_str().into()
            }

            fn from_text(text: &str) -> Result<Self, String> {
                Self::parse(text).map_err(|error: IdError| error.to_string())
            }
        })*
    };
}

macro_rules! by_lookup {
    ($($type:ty => $what:literal),* $(,)?) => {
        $(impl TextForm for $type {
            fn to_text(&self) -> Cow<'_, str> {
                self.as_str().into()
            }

            fn from_text(text: &str) -> Result<Self, String> {
                Self::parse(text)
                    .ok_or_else(|| format!("{} is no {}", harness_core::Quoted(text), $what))
            }
        })*
    };
}

by_parse!(
    Applicability,
    CaseId,
    EpisodeId,
    MetricName,
    NoticeId,
    Principal,
    RuleId,
    Scope,
    SessionId,
    TraceId,
);
by_lookup!(
    CaseKind => "kind of case",
    Condition => "condition",
    ResolutionKind => "kind of resolution",
    Retirement => "retirement",
);

impl TextForm for Signature {
    fn to_text(&self) -> Cow<'_, str> {
        self.to_string().into()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|error| error.to_string())
    }
}

impl TextForm for Timestamp {
    fn to_text(&self) -> Cow<'_, str> {
        self.to_string().into()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|error| error.to_string())
    }
}

impl TextForm for CleanText<'static> {
    fn to_text(&self) -> Cow<'_, str> {
        self.as_str().into()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        Self::new(text.to_owned()).map_err(|error| error.to_string())
    }
}

/// A value as its spelling, within a list or a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelt<T>(pub(crate) T);

impl<T: TextForm> serde::Serialize for Spelt<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        one::serialize(&self.0, serializer)
    }
}

impl<'de, T: TextForm> serde::Deserialize<'de> for Spelt<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        one::deserialize(deserializer).map(Self)
    }
}

/// For `#[serde(with = "one")]`: a single value.
pub(crate) mod one {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::TextForm;

    pub(crate) fn serialize<T: TextForm, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_text())
    }

    pub(crate) fn deserialize<'de, T: TextForm, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        T::from_text(&text).map_err(D::Error::custom)
    }
}

/// For `#[serde(with = "optional")]`: a value or `null`; an absent key needs `default`.
pub(crate) mod optional {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::TextForm;

    pub(crate) fn serialize<T: TextForm, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.serialize_some(&value.to_text()),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T: TextForm, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Option::<String>::deserialize(deserializer)?
            .map(|text| T::from_text(&text).map_err(D::Error::custom))
            .transpose()
    }
}

/// For `#[serde(with = "list")]`: an array of values.
pub(crate) mod list {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::TextForm;

    pub(crate) fn serialize<T: TextForm, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| value.to_text().into_owned()))
    }

    pub(crate) fn deserialize<'de, T: TextForm, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        Vec::<String>::deserialize(deserializer)?
            .iter()
            .map(|text| T::from_text(text).map_err(D::Error::custom))
            .collect()
    }
}
