//! The settings of a guard: a field each, and one environment variable a field.
//!
//! A field `name` is set by `HARNESS_NAME`. A bad value is an error that names the variable, the
//! value and what is allowed; other `HARNESS_` variables are other crates'.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use harness_core::SettingError;
use harness_core::setting::{boolean, number, set_from_variables};

use crate::mode::Mode;

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr, $parse:expr, $show:expr, $allowed:literal;)*) => {
        /// The settings of a guard.
        #[derive(Clone, Debug, PartialEq)]
        pub struct GuardConfig {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for GuardConfig {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl GuardConfig {
            /// The fields, with what is allowed in each.
            pub const FIELDS: &'static [(&'static str, &'static str)] =
                &[$((stringify!($name), $allowed),)*];

            fn set(&mut self, field: &str, value: &str) -> Result<(), &'static str> {
                match field {
                    $(stringify!($name) => {
                        let parse: fn(&str) -> Option<$type> = $parse;
                        self.$name = parse(value).ok_or($allowed)?;
                        Ok(())
                    })*
                    _ => Ok(()),
                }
            }

            /// Every setting as text, by field.
            pub fn to_texts(&self) -> BTreeMap<String, String> {
                BTreeMap::from([$({
                    let show: fn(&$type) -> String = $show;
                    (stringify!($name).to_owned(), show(&self.$name))
                },)*])
            }
        }
    };
}

settings! {
    /// The tools that there are; all where this is not set.
    tools: Option<Vec<String>> = None, names, shown_names, "names of tools, with commas between";
    /// What a person is asked about.
    permission_mode: Mode = Mode::Default, Mode::parse, |mode| mode.name().to_owned(), "`default`, `acceptEdits` or `dangerouslySkipPermissions`";
    /// Whether a plan is approved before the first action.
    approve_plan: bool = false, boolean, text, "`true` or `false`";
    /// Seconds that a tool has.
    tool_timeout_s: u64 = 120, |text| number(text, 1, 86_400), text, "a whole number from 1 to 86400";
    /// Seconds that a model has.
    model_timeout_s: u64 = 120, |text| number(text, 1, 86_400), text, "a whole number from 1 to 86400";
    /// Seconds that a person has.
    approval_timeout_s: u64 = 600, |text| number(text, 1, 86_400), text, "a whole number from 1 to 86400";
    /// Answers of a model after one user message.
    max_turns: u32 = 40, |text| number(text, 1, 10_000), text, "a whole number from 1 to 10000";
    /// Calls of a session.
    max_tool_calls: u32 = 200, |text| number(text, 0, 1_000_000), text, "a whole number from 0 to 1000000";
    /// Tokens of a request, estimated.
    max_context_tokens: u64 = 24_000, |text| number(text, 100, 100_000_000), text, "a whole number from 100 to 100000000";
    /// The part of those at which the middle of a conversation is summarised.
    context_trim_at: f64 = 0.8, |text| number(text, 0.1, 1.0), text, "a number from 0.1 to 1";
    /// The messages that are never summarised.
    context_keep_recent: usize = 8, |text| number(text, 1, 1000), text, "a whole number from 1 to 1000";
    /// Bytes of a tool's answer that a model is shown.
    tool_result_bytes: usize = 32_768, |text| number(text, 1024, 65_536), text, "a whole number from 1024 to 65536";
    /// Dollars that a session may cost.
    max_cost_usd: f64 = 5.0, |text| number(text, 0.0, 1_000_000.0), text, "a number from 0 to 1000000";
}

impl GuardConfig {
    /// The defaults, changed by whatever `variables` (names and values) sets. The caller reads the
    /// environment; this crate never does.
    ///
    /// # Errors
    /// The first value that is not allowed.
    pub fn from_variables<'a>(
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SettingError> {
        let mut config = Self::default();
        set_from_variables(variables, |field, text| config.set(field, text))?;
        Ok(config)
    }

    pub(crate) const fn tool_timeout(&self) -> Duration {
        Duration::from_secs(self.tool_timeout_s)
    }

    pub(crate) const fn model_timeout(&self) -> Duration {
        Duration::from_secs(self.model_timeout_s)
    }

    pub(crate) const fn approval_timeout(&self) -> Duration {
        Duration::from_secs(self.approval_timeout_s)
    }

    /// Tokens from which on a conversation is trimmed.
    pub(crate) fn trim_threshold(&self) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "tokens are far below what a float holds exactly, and the part is positive"
        )]
        let threshold = (self.max_context_tokens as f64 * self.context_trim_at) as u64;
        threshold.min(self.max_context_tokens)
    }
}

fn text(value: &impl Display) -> String {
    value.to_string()
}

fn names(text: &str) -> Option<Option<Vec<String>>> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    let all_named = names.iter().all(|name| !name.is_empty());
    all_named.then_some(Some(names))
}

fn shown_names(names: &Option<Vec<String>>) -> String {
    names
        .as_ref()
        .map_or_else(|| "all".to_owned(), |names| names.join(","))
}
