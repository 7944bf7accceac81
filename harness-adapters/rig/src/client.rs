//! The HTTP client that models are reached through.

use std::future::Future;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::redirect::Policy;
use rig_core::http_client::{
    Error, HttpClientExt, LazyBody, MultipartForm, Request, Response, Result, StreamingResponse,
};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long one exchange may take, from connecting to the last byte.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(300);
/// Bytes of a body that are read.
const MAX_BODY: usize = 4 << 20;
/// Bytes of a failure's body that are kept; only its kind is ever looked for in them.
const MAX_FAILURE_BODY: usize = 16 << 10;

/// Sends one request and reads one whole reply, each within bounds.
///
/// It knows no proxy and follows no redirect, so that a key goes to the host that was named and to
/// no other. It does not stream, and sends no forms.
#[derive(Clone, Debug)]
pub struct BoundedClient(reqwest::Client);

/// Why an exchange brought no reply. Nothing of the request or the reply is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoReply {
    /// Nobody was reached, so nobody did anything.
    #[error("nobody answers at that address")]
    NotReached,
    /// It broke off, or took too long, after the request was on its way.
    #[error("the exchange broke off")]
    BrokenOff,
    /// The body is longer than what is read.
    #[error("the reply is too long")]
    TooLong,
    /// The host sends elsewhere.
    #[error("the reply is a redirect, and none is followed")]
    Redirected,
    /// It was asked for what this client does not do.
    #[error("this client reads whole replies only")]
    NotOffered,
}

/// Why there is no client. The system's fault: it has no certificates, or no randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no client for TLS can be made on this system")]
pub struct NoClient;

impl BoundedClient {
    /// A client with a pool of its own.
    ///
    /// # Errors
    /// [`NoClient`].
    pub fn new() -> std::result::Result<Self, NoClient> {
        reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(EXCHANGE_TIMEOUT)
            .build()
            .map(Self)
            .map_err(|_| NoClient)
    }

    async fn exchange(self, request: reqwest::Request) -> Result<Response<Bytes>> {
        let response = self.0.execute(request).await.map_err(no_reply)?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            return Err(Error::instance(NoReply::Redirected));
        }
        let body = whole(response).await?;
        if !status.is_success() {
            let kept = body.get(..body.len().min(MAX_FAILURE_BODY));
            let body = String::from_utf8_lossy(kept.unwrap_or_default()).into_owned();
            return Err(Error::non_success_with_details(status, headers, body));
        }
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

/// Reads a body to its end or its bound.
async fn whole(mut response: reqwest::Response) -> Result<Bytes> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(no_reply)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(Error::instance(NoReply::TooLong));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// What a failure comes to; the error itself names the address, and is dropped.
#[expect(clippy::needless_pass_by_value, reason = "the error ends here")]
fn no_reply(error: reqwest::Error) -> Error {
    Error::instance(if error.is_connect() || error.is_builder() {
        NoReply::NotReached
    } else {
        NoReply::BrokenOff
    })
}

impl HttpClientExt for BoundedClient {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let client = self.clone();
        let request = reqwest::Request::try_from(request.map(Into::<Bytes>::into));
        async move {
            let answer = client.exchange(request.map_err(no_reply)?).await?;
            let (head, body) = answer.into_parts();
            let body: LazyBody<U> = Box::pin(async move { Ok(U::from(body)) });
            Ok(Response::from_parts(head, body))
        }
    }

    async fn send_streaming<T>(&self, _request: Request<T>) -> Result<StreamingResponse>
    where
        T: Into<Bytes> + Send,
    {
        Err(Error::instance(NoReply::NotOffered))
    }

    fn send_multipart<U>(
        &self,
        _request: Request<MultipartForm>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        std::future::ready(Err(Error::instance(NoReply::NotOffered)))
    }
}
