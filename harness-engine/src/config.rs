//! Every setting of the loop: one type, and one environment variable a field.
//!
//! A field `name` is set by `HARNESS_NAME`. A bad value is an error that names the variable, the
//! value and what is allowed; an unknown `HARNESS_` variable is left alone, as other crates have
//! theirs.

use std::time::Duration;

use harness_core::SettingError;
use harness_core::setting::{boolean, number, set_from_variables};
use harness_repair::RepairBounds;
use harness_rules::{Levels, Provisional, ReplayBounds, Settings};

use crate::gate::GateRules;

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr, $parse:expr, $allowed:literal;)*) => {
        /// The settings of a harness.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Config {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Config {
            /// The variables that are read.
            pub const VARIABLES: &'static [(&'static str, &'static str)] =
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
        }
    };
}

settings! {
    /// Error rate of promotion for each rule.
    alpha: f64 = 0.05, |text| number(text, 1e-9, 0.5), "a number from 0.000000001 to 0.5";
    /// False discovery rate of promotion for the workspace.
    fdr: f64 = 0.2, |text| number(text, 1e-9, 0.5), "a number from 0.000000001 to 0.5";
    /// Whether sessions ever see candidates.
    provisional: Provisional = Provisional::Trial, provisional, "`trial` or `never`";
    /// Whether rendered files hold the text of candidates; only for hosts without trials.
    provisional_text_in_files: bool = false, boolean, "`true` or `false`";
    /// A rise over a metric's peak that counts as a gain.
    gate_gain: f64 = 0.02, |text| number(text, 0.0, 1.0), "a number from 0 to 1";
    /// Turns without a gain after which a metric has stalled.
    gate_window: u32 = 5, |text| number(text, 1, 1000), "a whole number from 1 to 1000";
    /// A peak from which on a metric does not stall.
    gate_target: f64 = 0.5, |text| number(text, 0.0, 1.0), "a number from 0 to 1";
    /// A fall below the peak that is a regression.
    gate_drop: f64 = 0.15, |text| number(text, 0.0, 1.0), "a number from 0 to 1";
    /// Turns after which a condition that goes on may be posted again.
    notice_cooldown_turns: u32 = 10, |text| number(text, 1, 10_000), "a whole number from 1 to 10000";
    /// Times that an evaluation is tried again.
    eval_retries: u32 = 3, |text| number(text, 0, 20), "a whole number from 0 to 20";
    /// Seconds between two tries.
    eval_retry_s: u64 = 1, |text| number(text, 0, 600), "a whole number from 0 to 600";
    /// Seconds that one evaluation may take.
    eval_timeout_s: u64 = 60, |text| number(text, 1, 3600), "a whole number from 1 to 3600";
    /// Evaluations that run at once.
    concurrent_evaluations: usize = 4, |text| number(text, 1, 64), "a whole number from 1 to 64";
    /// Sessions that are watched at once; a turn of one more is refused and journaled.
    tracked_sessions: usize = 4096, |text| number(text, 1, 1_000_000), "a whole number from 1 to 1000000";
    /// Seconds that `settle` waits at most.
    settle_budget_s: u64 = 180, |text| number(text, 1, 86_400), "a whole number from 1 to 86400";
    /// Seconds that closing waits for what is under way.
    drain_s: u64 = 15, |text| number(text, 0, 3600), "a whole number from 0 to 3600";
    /// Seconds without a turn after which a session has ended.
    session_idle_s: u64 = 1800, |text| number(text, 1, 604_800), "a whole number from 1 to 604800";
    /// Episodes that are repaired a day.
    episodes_per_day: u32 = 50, |text| number(text, 0, 1_000_000), "a whole number from 0 to 1000000";
    /// Evaluate, keep scores and journal what would have been posted; change nothing else.
    observe_only: bool = false, boolean, "`true` or `false`";
    /// Score the explaining metrics too, on a confirmed breach.
    enable_tier3: bool = false, boolean, "`true` or `false`";
    /// Keep turns that breached as cases of the eval set; a case holds session data.
    capture_eval_cases: bool = false, boolean, "`true` or `false`";
    /// Attempts at replaying a candidate; then new sessions decide.
    replay_attempts: u32 = 3, |text| number(text, 1, 100), "a whole number from 1 to 100";
    /// Pairs that each case is replayed in, an attempt.
    replay_seeds: u32 = 5, |text| number(text, 1, 1000), "a whole number from 1 to 1000";
    /// Failures that an attempt replays.
    replay_failure_cases: usize = 3, |text| number(text, 1, 200), "a whole number from 1 to 200";
    /// Wins that an attempt replays.
    replay_win_cases: usize = 2, |text| number(text, 0, 200), "a whole number from 0 to 200";
    /// Seconds that one replay may take.
    replay_timeout_s: u64 = 300, |text| number(text, 1, 86_400), "a whole number from 1 to 86400";
    /// Seconds that are waited for a replay's environment.
    replay_environment_s: u64 = 60, |text| number(text, 1, 86_400), "a whole number from 1 to 86400";
    /// Seconds that the replays of one round may take together.
    replay_round_s: u64 = 1800, |text| number(text, 1, 604_800), "a whole number from 1 to 604800";
    /// Wins that are replayed after a promotion.
    regression_wins: usize = 5, |text| number(text, 0, 200), "a whole number from 0 to 200";
    /// What behaviour is authorised, in the host's words; data to the repair model.
    domain_policy: Option<String> = None, |text| Some(Some(text.to_owned())), "text";
    /// Seconds that a repair may take.
    repair_timeout_s: u64 = 60, |text| number(text, 1, 3600), "a whole number from 1 to 3600";
    /// Replies that a repair model may give.
    repair_max_turns: u32 = 6, |text| number(text, 1, 64), "a whole number from 1 to 64";
    /// Tokens that a repair model may write.
    repair_max_tokens: u64 = 4096, |text| number(text, 64, 1_000_000), "a whole number from 64 to 1000000";
    /// Passed on to the model where set.
    repair_temperature: Option<f64> = None, |text| number(text, 0.0, 2.0).map(Some), "a number from 0 to 2";
    /// Export a trace of each repair, apart from the task's.
    trace_repair_agent: bool = false, boolean, "`true` or `false`";
    /// Where those traces go: a file, or a collector's address.
    repair_trace_to: Option<String> = None, |text| (!text.is_empty()).then(|| Some(text.to_owned())), "a file or an address";
    /// Passed on to the model where set and supported.
    repair_reasoning_effort: Option<String> = None, effort, "`none`, `minimal`, `low`, `medium` or `high`";
}

impl Config {
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

    /// The gate's part.
    pub fn gate(&self) -> GateRules {
        GateRules {
            gain: self.gate_gain,
            window: self.gate_window,
            target: self.gate_target,
            drop: self.gate_drop,
        }
    }

    /// The rules' part, for a host that cannot replay and of whose evaluator nothing is known.
    pub fn rules(&self) -> Settings {
        Settings {
            levels: Levels::new(self.alpha, self.fdr).unwrap_or_default(),
            provisional: self.provisional,
            provisional_text_in_files: self.provisional_text_in_files,
            replay: None,
            judge: None,
        }
    }

    /// The bounds of replay, for a host that can.
    pub fn replay(&self) -> ReplayBounds {
        ReplayBounds {
            attempts: self.replay_attempts,
            seeds: self.replay_seeds,
            failures: self.replay_failure_cases,
            wins: self.replay_win_cases,
        }
    }

    /// The repair agent's part.
    pub fn repair(&self) -> RepairBounds {
        RepairBounds {
            time: Duration::from_secs(self.repair_timeout_s),
            model_turns: self.repair_max_turns,
            output_tokens: self.repair_max_tokens,
            temperature: self.repair_temperature,
            reasoning_effort: self.repair_reasoning_effort.clone(),
            ..RepairBounds::default()
        }
    }
}

fn provisional(text: &str) -> Option<Provisional> {
    match text {
        "trial" => Some(Provisional::Trial),
        "never" => Some(Provisional::Never),
        _ => None,
    }
}

fn effort(text: &str) -> Option<Option<String>> {
    ["none", "minimal", "low", "medium", "high"]
        .contains(&text)
        .then(|| Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_sets_its_field() {
        let config = Config::from_variables([
            ("HARNESS_ALPHA", "0.01"),
            ("PATH", "x"),
            ("HARNESS_ROOT", "/r"),
        ])
        .unwrap();
        assert_eq!(config.alpha, 0.01);
        assert_eq!(
            config,
            Config {
                alpha: 0.01,
                ..Config::default()
            }
        );
    }

    #[test]
    fn a_bad_value_is_named_with_what_is_allowed() {
        for (variable, value) in [
            ("HARNESS_ALPHA", "nan"),
            ("HARNESS_GATE_WINDOW", "0"),
            ("HARNESS_OBSERVE_ONLY", "perhaps"),
            ("HARNESS_PROVISIONAL", ""),
        ] {
            let error = Config::from_variables([(variable, value)]).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("{variable}=`{value}`")),
                "{message}"
            );
        }
    }
}
