//! A collector of traces that speaks the OpenTelemetry protocol over HTTP.

use rig_core::http_client::{HttpClientExt, LazyBody, Request, Response};
use serde_json::Value;

use crate::base_url::{BaseUrl, BaseUrlError};
use crate::client::{BoundedClient, NoClient};

/// Where the traces of repairs are sent: a collector's address for traces, for example
/// `http://127.0.0.1:4318/v1/traces`. It is reached as models are, within the same bounds and over
/// TLS but on this machine.
#[derive(Clone, Debug)]
pub struct TraceCollector {
    url: BaseUrl,
    client: BoundedClient,
}

/// Why there is no collector. The operator's fault, or the system's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectorError {
    /// The address cannot be sent to.
    #[error(transparent)]
    Address(#[from] BaseUrlError),
    /// The system's fault.
    #[error(transparent)]
    NoClient(#[from] NoClient),
}

/// The collector did not take a trace: its fault, or the network's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the collector did not take the trace")]
pub struct NotTaken;

impl TraceCollector {
    /// The collector at this address.
    ///
    /// # Errors
    /// See [`CollectorError`].
    pub fn new(address: &str) -> Result<Self, CollectorError> {
        Ok(Self {
            url: BaseUrl::parse(address)?,
            client: BoundedClient::new()?,
        })
    }

    /// Sends one request of the protocol, as
    /// [`RepairTrace::to_otlp`](harness_repair::RepairTrace::to_otlp) makes it.
    ///
    /// # Errors
    /// [`NotTaken`].
    pub async fn send(&self, request: &Value) -> Result<(), NotTaken> {
        let request = Request::post(self.url.as_str())
            .header("content-type", "application/json")
            .body(request.to_string().into_bytes())
            .map_err(|_| NotTaken)?;
        let answer: Response<LazyBody<Vec<u8>>> =
            self.client.send(request).await.map_err(|_| NotTaken)?;
        answer.into_body().await.map(drop).map_err(|_| NotTaken)
    }
}
