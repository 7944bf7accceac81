//! A model by its name: `PROVIDER/MODEL`, with the variables that its provider's tools read.

use harness_core::Quoted;
use rig_core::DynModel;
use rig_core::operation::Completion;

use crate::base_url::{BaseUrl, BaseUrlError};
use crate::client::{BoundedClient, NoClient};
use crate::provider::{PROVIDERS, Provider};

/// The variable with another address for the repair model, whoever provides it.
pub const BASE_URL_VARIABLE: &str = "HARNESS_REPAIR_BASE_URL";

/// Bytes of a model's name at most.
const MAX_MODEL: usize = 200;
/// Bytes of a key at most.
const MAX_KEY: usize = 4096;
/// The key that is sent to this machine where none is set.
const NO_KEY: &str = "none";

/// Why a name makes no model. The operator's fault, unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It is not of the form `PROVIDER/MODEL`.
    #[error("{shown} names no model: write PROVIDER/MODEL, for example openai/gpt-5-mini")]
    Form {
        /// The name, escaped and shortened.
        shown: String,
    },
    /// The provider is none of ours.
    #[error("{shown} is no provider, which are: {}", providers().collect::<Vec<_>>().join(", "))]
    Provider {
        /// The provider, escaped and shortened.
        shown: String,
    },
    /// The provider needs a key, and none is set.
    #[error("{provider} needs a key: set {variable}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// Where the key belongs.
        variable: &'static str,
    },
    /// The key cannot be sent.
    #[error("{variable} holds no key: a key is one word of ASCII characters")]
    Key {
        /// Where it was found.
        variable: &'static str,
    },
    /// The address cannot be sent to.
    #[error("{variable}: {reason}")]
    BaseUrl {
        /// Where it was found.
        variable: &'static str,
        /// What is wrong with it.
        reason: BaseUrlError,
    },
    /// The system's fault.
    #[error(transparent)]
    NoClient(#[from] NoClient),
}

/// The providers that a name may start with.
pub fn providers() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name)
}

/// A provider's model, not yet reached.
pub(crate) struct Spec<'a> {
    pub(crate) provider: &'static Provider,
    pub(crate) model: &'a str,
}

impl<'a> Spec<'a> {
    pub(crate) fn parse(spec: &'a str) -> Result<Self, SpecError> {
        let shown = || Quoted(spec).to_string();
        let (provider, model) = spec
            .split_once('/')
            .filter(|(_, model)| is_model(model))
            .ok_or_else(|| SpecError::Form { shown: shown() })?;
        let provider = Provider::named(provider).ok_or_else(|| SpecError::Provider {
            shown: Quoted(provider).to_string(),
        })?;
        Ok(Self { provider, model })
    }

    /// The model, with the key and the address that `variables` hold for it.
    pub(crate) fn connect(
        &self,
        variables: &[(String, String)],
    ) -> Result<DynModel<Completion>, SpecError> {
        let set = |wanted: &str| {
            let found = variables.iter().find(|(name, _)| name == wanted);
            found
                .map(|(_, value)| value.trim())
                .filter(|value| !value.is_empty())
        };
        let base_url = [Some(BASE_URL_VARIABLE), self.provider.base_url]
            .into_iter()
            .flatten()
            .find_map(|variable| Some((variable, set(variable)?)))
            .map(|(variable, text)| {
                BaseUrl::parse(text).map_err(|reason| SpecError::BaseUrl { variable, reason })
            })
            .transpose()?;
        let variable = self.provider.key;
        let key = match set(variable) {
            Some(key) if is_key(key) => key,
            Some(_) => return Err(SpecError::Key { variable }),
            None if self.provider.is_open() => "",
            None if base_url.as_ref().is_some_and(BaseUrl::is_local) => NO_KEY,
            None => {
                return Err(SpecError::NoKey {
                    provider: self.provider.name,
                    variable,
                });
            }
        };
        let client = BoundedClient::new()?;
        let model = self
            .provider
            .model(self.model, key, base_url.as_ref(), client);
        Ok(model)
    }
}

/// Names as providers have them; nothing that leaves its place in a path or a header.
fn is_model(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.len() <= MAX_MODEL
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:/@+".contains(&byte))
        && name.split('/').all(part)
}

fn is_key(key: &str) -> bool {
    key.len() <= MAX_KEY && key.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(spec: &str, variables: &[(&str, &str)]) -> Result<String, SpecError> {
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let model = Spec::parse(spec)?.connect(&variables)?;
        Ok(format!("{}/{}", model.name(), model.id().unwrap_or("")))
    }

    #[test]
    fn every_provider_is_found_by_its_name_with_its_own_key() {
        for provider in PROVIDERS {
            let spec = format!("{}/some-model", provider.name);
            assert!(connect(&spec, &[(provider.key, "k-1")]).is_ok(), "{spec}");
            let bare = connect(&spec, &[]);
            assert_eq!(bare.is_ok(), provider.is_open(), "{spec}: {bare:?}");
        }
        let nested = connect("openrouter/meta/llama:free", &[("OPENROUTER_API_KEY", "k")]);
        assert_eq!(nested.as_deref(), Ok("openrouter/meta/llama:free"));
    }

    #[test]
    fn a_name_of_another_form_is_refused() {
        for spec in [
            "",
            "openai",
            "openai/",
            "/m",
            "openai/a b",
            "openai/../x",
            "openai/a//b",
            "openai/é",
            "openai/a?b",
            "openai/a#b",
        ] {
            let refused = connect(spec, &[("OPENAI_API_KEY", "k")]);
            let form = matches!(
                refused,
                Err(SpecError::Form { .. } | SpecError::Provider { .. })
            );
            assert!(form, "{spec}: {refused:?}");
        }
        let unknown = connect("elsewhere/m", &[]).unwrap_err().to_string();
        assert!(
            unknown.starts_with("`elsewhere` is no provider"),
            "{unknown}"
        );
        assert!(unknown.contains("openrouter"));
    }

    #[test]
    fn a_key_is_needed_but_on_this_machine() {
        let none = connect("openai/m", &[]).unwrap_err();
        assert_eq!(none.to_string(), "openai needs a key: set OPENAI_API_KEY");
        for variable in ["OPENAI_BASE_URL", BASE_URL_VARIABLE] {
            assert!(connect("openai/m", &[(variable, "http://127.0.0.1:1/v1")]).is_ok());
            assert!(connect("openai/m", &[(variable, "https://example.com/v1")]).is_err());
        }
        let bad = connect("openai/m", &[("OPENAI_API_KEY", "two words")]).unwrap_err();
        assert!(!bad.to_string().contains("two words"), "{bad}");
    }

    #[test]
    fn the_address_of_the_repair_model_comes_first_and_is_checked() {
        let both = [
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_BASE_URL", "https://example.com/v1"),
            (BASE_URL_VARIABLE, "http://user:pass@example.com"),
        ];
        let refused = connect("openai/m", &both).unwrap_err().to_string();
        assert!(refused.starts_with(BASE_URL_VARIABLE), "{refused}");
        assert!(!refused.contains("user"), "{refused}");
        assert!(connect("openai/m", &both[..2]).is_ok());
    }
}
