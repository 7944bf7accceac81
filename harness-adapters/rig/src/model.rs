//! A model of rig at the repair agent's port.

use async_trait::async_trait;
use harness_core::CleanString;
use harness_repair::{ModelError, ModelReply, ModelRequest, RepairModel};
use harness_sanitize::Gate;
use rig_core::DynModel;
use rig_core::operation::Completion;

use crate::spec::{Spec, SpecError};
use crate::{conversation, failure, reply};

/// Bytes of a model's name at most.
const MAX_NAME: usize = 256;

/// Any completion model of rig, as the repair agent asks it.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use harness_rig::{ModelChoice, Repair, RigRepairModel, SpecError};
/// # fn main() -> Result<(), SpecError> {
/// let model = RigRepairModel::from_spec("anthropic/claude-sonnet-4-6", std::env::vars())?;
/// let repair = Repair::With(ModelChoice::Custom(Arc::new(model)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RigRepairModel {
    model: DynModel<Completion>,
    name: CleanString,
}

impl RigRepairModel {
    /// This model. Whatever its transport does about time, proxies and redirects is the host's
    /// business; [`BoundedClient`](crate::BoundedClient) is one that promises something.
    pub fn new(model: impl Into<DynModel<Completion>>) -> Self {
        let model = model.into();
        let name = match model.id() {
            Some(id) => format!("{}/{id}", model.name()),
            None => model.name().to_owned(),
        };
        let name = Gate::with_max_len(MAX_NAME).clean(&name).into_owned();
        Self { model, name }
    }

    /// The model that `spec`, `PROVIDER/MODEL`, names. `variables` are the environment's, as names
    /// and values: the provider's key is in the variable that its own tools read
    /// (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY` …), another address in
    /// [`BASE_URL_VARIABLE`](crate::BASE_URL_VARIABLE) or in the provider's own
    /// (`OPENAI_BASE_URL` …). A model on this machine needs no key.
    ///
    /// # Errors
    /// See [`SpecError`]; nothing was sent.
    pub fn from_spec(
        spec: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SpecError> {
        let variables: Vec<(String, String)> = variables.into_iter().collect();
        Ok(Self::new(Spec::parse(spec)?.connect(&variables)?))
    }

    /// The model itself, for a task agent.
    pub fn into_inner(self) -> DynModel<Completion> {
        self.model
    }
}

#[async_trait]
impl RepairModel for RigRepairModel {
    fn name(&self) -> CleanString {
        self.name.clone()
    }

    async fn reply(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let request = conversation::request(request).ok_or(ModelError::Rejected)?;
        match self.model.call(request).await {
            Ok(response) => Ok(reply::reply(&response)),
            Err(error) if failure::is_refusal(&error) => Ok(reply::declined()),
            Err(error) => Err(failure::kind(&error)),
        }
    }
}
