//! The client.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::transport::{Call, Retry, Transport};
use crate::wait::{SharedWait, SystemWait};
use crate::wire::Page;

/// A client of one server, with the token of one caller or without one. Clones share connections.
///
/// Each method is one operation of the API, by the same name in snake case. A call that was answered
/// with 429 or 503 is repeated after a pause where that cannot do harm.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) transport: Transport,
}

impl Client {
    /// A client that sends this token: of a login session, a personal token, or the API token of an
    /// agent or app.
    ///
    /// # Errors
    /// [`Error::Address`] for what is no http(s) URL, [`Error::Token`] for what cannot be a token.
    pub fn new(server: &str, token: &str) -> Result<Self, Error> {
        Self::anonymous(server)?.with_token(token)
    }

    /// A client without a token: for setup, login, invitations and the public part.
    ///
    /// # Errors
    /// [`Error::Address`] for what is no http(s) URL.
    pub fn anonymous(server: &str) -> Result<Self, Error> {
        Ok(Self { transport: Transport::new(server, std::sync::Arc::new(SystemWait))? })
    }

    /// The same server as another caller.
    ///
    /// # Errors
    /// [`Error::Token`] for what cannot be a token.
    pub fn with_token(&self, token: &str) -> Result<Self, Error> {
        Ok(Self { transport: self.transport.with_token(token)? })
    }

    /// The same client with another way to wait between attempts.
    #[must_use]
    pub fn with_wait(&self, wait: SharedWait) -> Self {
        Self { transport: self.transport.with_wait(wait) }
    }

    /// The same client with another rule for repetitions.
    #[must_use]
    pub fn with_retry(&self, retry: Retry) -> Self {
        Self { transport: self.transport.with_retry(retry) }
    }

    /// The address of the server, without a slash at its end.
    pub fn server(&self) -> &str {
        self.transport.server()
    }

    pub(crate) async fn json<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, Error> {
        self.transport.send(call).await?.json()
    }

    pub(crate) async fn nothing(&self, call: Call<'_>) -> Result<(), Error> {
        self.transport.send(call).await.map(drop)
    }

    pub(crate) async fn post<B: Serialize, T: DeserializeOwned>(
        &self,
        operation: &'static str,
        path: impl Into<String>,
        body: &B,
    ) -> Result<T, Error> {
        self.json(Call::post(operation, path).body(body)).await
    }

    /// Reads all pages of a list.
    pub(crate) async fn all<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        path: String,
    ) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page: Page<T> = self.json(Call::get(operation, path.clone()).query("cursor", cursor)).await?;
            items.extend(page.items);
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(items),
            }
        }
    }
}
