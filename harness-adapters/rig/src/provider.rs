//! The providers that a name can mean, and how rig reaches each.

use rig_core::DynModel;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::wire::{ANTHROPIC, AnthropicConfig};
use rig_core::providers::gemini::{self, GeminiConfig};
use rig_core::providers::ollama::OllamaConfig;
use rig_core::providers::openai::wire::{self as openai, Dialect, OpenAIConfig};
use rig_core::providers::xai;

use crate::base_url::BaseUrl;
use crate::client::BoundedClient;

/// A provider, by the name that it has in a spec.
#[derive(Clone, Copy)]
pub(crate) struct Provider {
    pub(crate) name: &'static str,
    /// The variable that its own tools read its key from.
    pub(crate) key: &'static str,
    /// The variable that its own tools read another address from.
    pub(crate) base_url: Option<&'static str>,
    format: Format,
}

/// What a provider speaks.
#[derive(Clone, Copy)]
enum Format {
    /// `/chat/completions`, in a dialect.
    Chat(&'static Dialect),
    /// `/v1/messages`.
    Messages,
    /// `:generateContent`.
    Gemini,
    /// `/api/chat`, without a key.
    Ollama,
}

/// All of them.
pub(crate) const PROVIDERS: &[Provider] = &[
    chat("openai", &openai::OPENAI),
    Provider {
        name: "anthropic",
        key: ANTHROPIC.api_key_env,
        base_url: ANTHROPIC.base_url_env,
        format: Format::Messages,
    },
    Provider {
        name: "gemini",
        key: gemini::API_KEY_ENV,
        base_url: None,
        format: Format::Gemini,
    },
    Provider {
        name: "ollama",
        key: "OLLAMA_API_KEY",
        base_url: Some("OLLAMA_API_BASE_URL"),
        format: Format::Ollama,
    },
    chat("openrouter", &openai::OPENROUTER),
    chat("mistral", &openai::MISTRAL),
    chat("groq", &openai::GROQ),
    chat("deepseek", &openai::DEEPSEEK),
    chat("together", &openai::TOGETHER),
    chat("xai", &xai::DIALECT),
];

const fn chat(name: &'static str, dialect: &'static Dialect) -> Provider {
    Provider {
        name,
        key: dialect.api_key_env,
        base_url: dialect.base_url_env,
        format: Format::Chat(dialect),
    }
}

impl Provider {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Whether it may be used without a key wherever it is.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.format, Format::Ollama)
    }

    /// Its model of this name; without an address, where the provider is at home.
    pub(crate) fn model(
        &self,
        model: &str,
        key: &str,
        base_url: Option<&BaseUrl>,
        client: BoundedClient,
    ) -> DynModel<Completion> {
        let url = base_url.map(BaseUrl::as_str);
        match self.format {
            Format::Chat(dialect) => {
                let mut config = OpenAIConfig::with_key(dialect, key);
                if let Some(url) = url {
                    config = config.with_base_url(url);
                }
                config.connect(client).chat(model).erase()
            }
            Format::Messages => {
                let mut config = AnthropicConfig::new(key);
                if let Some(url) = url {
                    config = config.with_base_url(url);
                }
                config.connect(client).completion(model).erase()
            }
            Format::Gemini => {
                let mut config = GeminiConfig::new(key);
                if let Some(url) = url {
                    config = config.with_base_url(url);
                }
                config.connect(client).completion(model).erase()
            }
            Format::Ollama => {
                let mut config = OllamaConfig::new().with_api_key(key);
                if let Some(url) = url {
                    config = config.with_base_url(url);
                }
                config.connect(client).native_completion(model).erase()
            }
        }
    }
}
