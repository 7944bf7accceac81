//! Where there is no Linux: nothing confines here yet, so nothing runs.

use std::convert::Infallible;

use harness_sanitize::Intake;

use super::child::{ConfinedChild, Lifetime};
use super::{Backend, Cause, Confinement, Enforcement, NoBackend, Unfit};
use crate::allowed::Allowed;
use crate::environment::Environment;
use crate::outcome::{Outcome, RunError};

/// A proven confinement. On this system there is no value of this type.
#[derive(Clone, Debug)]
pub struct Sandbox {
    never: Infallible,
}

impl Sandbox {
    /// Refuses.
    ///
    /// # Errors
    /// Why each backend does not work here.
    pub fn start(
        confinement: &Confinement,
        intake: &Intake,
    ) -> Result<(Self, Enforcement), NoBackend> {
        let mut unfit = Vec::new();
        for backend in Backend::ALL {
            match Self::start_with(backend, confinement.clone(), intake.clone()) {
                Ok(started) => return Ok(started),
                Err(cause) => unfit.push(cause),
            }
        }
        Err(NoBackend(unfit))
    }

    /// Refuses.
    ///
    /// # Errors
    /// Why.
    pub fn start_with(
        backend: Backend,
        _confinement: Confinement,
        _intake: Intake,
    ) -> Result<(Self, Enforcement), Unfit> {
        Err(Unfit {
            backend,
            cause: Cause::Missing("Linux"),
            remedy: "run this on Linux, or in a container of it",
        })
    }

    /// What the probe saw.
    pub fn enforcement(&self) -> &Enforcement {
        match self.never {}
    }

    /// What may be touched.
    pub fn confinement(&self) -> &Confinement {
        match self.never {}
    }

    /// Runs nothing.
    ///
    /// # Errors
    /// None: there is no sandbox to call it on.
    pub async fn run(
        &self,
        _command: Allowed,
        _environment: Environment,
    ) -> Result<Outcome, RunError> {
        match self.never {}
    }

    /// Starts nothing.
    ///
    /// # Errors
    /// None: there is no sandbox to call it on.
    pub async fn spawn(
        &self,
        _command: &Allowed,
        _environment: &Environment,
        _lifetime: Lifetime,
    ) -> Result<(ConfinedChild, Enforcement), RunError> {
        match self.never {}
    }

    /// Runs nothing.
    ///
    /// # Errors
    /// None: there is no sandbox to call it on.
    pub fn run_blocking(
        &self,
        _command: &Allowed,
        _environment: &Environment,
    ) -> Result<Outcome, RunError> {
        match self.never {}
    }
}
