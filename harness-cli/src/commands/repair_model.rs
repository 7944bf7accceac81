//! Who repairs: by name, from this build and this environment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use harness_core::Prompt;
use harness_engine::{ModelChoice, Repair};
use harness_repair::{BuiltinModel, ModelRequest, RepairModel};
use harness_store::{Check, Outcome};

use crate::environment::Environment;
use crate::exit::Problem;
use crate::runtime;

const BUILTIN: &str = "builtin";
const NONE: &str = "none";
/// What a model is asked to see whether it answers.
const QUESTION: &str = "This is a check of the connection. Answer with the word ready.";
/// Output tokens that the check may cost.
const MAX_TOKENS: u64 = 16;
/// How long the check waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whoever `--repair` names.
///
/// # Errors
/// Nobody has that name, or what a provider needs is not set.
pub(super) fn choose(environment: &Environment, name: &str) -> Result<Repair, Problem> {
    Ok(match name {
        NONE => Repair::Off,
        BUILTIN => Repair::With(ModelChoice::Builtin),
        spec => Repair::With(ModelChoice::Custom(provided(environment, spec)?)),
    })
}

#[cfg(feature = "rig")]
fn provided(environment: &Environment, spec: &str) -> Result<Arc<dyn RepairModel>, Problem> {
    let model = harness_rig::RigRepairModel::from_spec(spec, environment.variables())
        .map_err(|error| Problem::usage(format!("--repair: {error}")))?;
    Ok(Arc::new(model))
}

#[cfg(not(feature = "rig"))]
fn provided(_environment: &Environment, spec: &str) -> Result<Arc<dyn RepairModel>, Problem> {
    Err(Problem::usage(format!(
        "{} cannot repair: this build has no models of providers; `--repair` is `{BUILTIN}` or \
         `{NONE}`, or build with `--features rig`",
        harness_core::Quoted(spec)
    )))
}

/// Makes one tiny call to whoever `name` is, and says what it cost.
///
/// # Errors
/// As for [`choose`]; a model that does not answer is a check that fails.
pub(super) fn check(environment: &Environment, name: &str) -> Result<Check> {
    let model: Arc<dyn RepairModel> = match choose(environment, name)? {
        Repair::Off => {
            let usage = format!("`{NONE}` is no model: name one, or `{BUILTIN}`");
            return Err(Problem::usage(usage).into());
        }
        Repair::With(ModelChoice::Builtin) | Repair::Traced(ModelChoice::Builtin, _) => {
            Arc::new(BuiltinModel::new())
        }
        Repair::With(ModelChoice::Custom(model))
        | Repair::Traced(ModelChoice::Custom(model), _) => model,
    };
    let prompt = Prompt::new().trusted(QUESTION);
    let request = ModelRequest {
        prompt: &prompt,
        exchange: &[],
        tools: &[],
        max_output_tokens: MAX_TOKENS,
        temperature: None,
        reasoning_effort: None,
    };
    let asked = Instant::now();
    let reply = runtime::start()?
        .block_on(async { tokio::time::timeout(PATIENCE, model.reply(request)).await });
    let took = asked.elapsed().as_millis();
    let name = model.name();
    let (outcome, what) = match reply {
        Ok(Ok(reply)) => {
            let cost = match reply.output_tokens {
                Some(tokens) => format!("{tokens} output tokens"),
                None => format!("an unreported number of output tokens, at most {MAX_TOKENS}"),
            };
            (
                Outcome::Holds,
                format!("{name} answered in {took} ms and used {cost}"),
            )
        }
        Ok(Err(error)) => (Outcome::Fails, format!("{name}: {error}")),
        Err(_) => (
            Outcome::Fails,
            format!("{name} did not answer within a minute"),
        ),
    };
    Ok(Check {
        name: "repair",
        outcome,
        what,
    })
}
