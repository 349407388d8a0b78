//! Connections that stay open (chapter 05 section 5): the handshake of a WebSocket behind the door,
//! and the connection that comes of it.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothy_domain::action::ActionType;
use bothy_domain::problem::Problem;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use schemars::{Schema, SchemaGenerator};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::allowed::Allowed;
use super::output::Output;

/// Buffers of a connection. Many connections are open and each says little.
const BUFFER: usize = 4 * 1024;

type Stream = WebSocketStream<TokioIo<Upgraded>>;

/// The answer that turns a connection into a WebSocket.
#[derive(Debug)]
pub struct Upgrade {
    accept: String,
}

/// A text that is sent. Clones share it, so that one text can go to many connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame(Utf8Bytes);

impl From<String> for Frame {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// The half of a connection that sends.
#[derive(Debug)]
pub struct SocketSender(SplitSink<Stream, Message>);

/// The half of a connection that receives.
#[derive(Debug)]
pub struct SocketReceiver(SplitStream<Stream>);

/// What came from the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// A text.
    Text(String),
    /// A sign of life without content.
    Alive,
    /// Bytes where a text is due.
    Binary,
    /// The client says good-bye, or is gone.
    Closed,
}

/// Why a connection cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SocketError {
    /// The client sent more than it may.
    #[error("a frame is larger than allowed")]
    TooLarge,
    /// What the client sent is no WebSocket frame, or not UTF-8.
    #[error("a frame is malformed")]
    Malformed,
    /// The connection broke.
    #[error("the connection broke")]
    Broken,
}

impl From<Error> for SocketError {
    fn from(error: Error) -> Self {
        match error {
            Error::Capacity(CapacityError::MessageTooLong { .. }) => Self::TooLarge,
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Self::Broken,
            Error::Protocol(_) | Error::Utf8(_) => Self::Malformed,
            _ => Self::Broken,
        }
    }
}

impl SocketSender {
    /// Sends a text and waits until the connection has taken it.
    ///
    /// # Errors
    /// [`SocketError::Broken`].
    pub async fn send(&mut self, frame: Frame) -> Result<(), SocketError> {
        Ok(self.0.send(Message::Text(frame.0)).await?)
    }

    /// Says good-bye with a code of RFC 6455 or one from 4000 on, and a reason of at most 123 bytes.
    ///
    /// # Errors
    /// [`SocketError::Broken`].
    pub async fn close(&mut self, code: u16, reason: String) -> Result<(), SocketError> {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        Ok(self.0.send(Message::Close(Some(frame))).await?)
    }
}

impl SocketReceiver {
    /// The next thing that the client says. May be dropped at any time; nothing is lost then.
    ///
    /// # Errors
    /// [`SocketError`].
    pub async fn receive(&mut self) -> Result<Received, SocketError> {
        match self.0.next().await {
            None | Some(Ok(Message::Close(_))) => Ok(Received::Closed),
            Some(Ok(Message::Text(text))) => Ok(Received::Text(text.as_str().to_owned())),
            Some(Ok(Message::Binary(_))) => Ok(Received::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(Received::Alive),
            Some(Err(error)) => Err(error.into()),
        }
    }
}

impl<A: ActionType> Allowed<A> {
    /// Accepts the handshake of a WebSocket. `serve` gets the connection when it is open, and works in
    /// a task of its own; the connection ends with it.
    ///
    /// # Errors
    /// `validation_failed` when the request is no handshake of version 13.
    pub fn upgrade<F, Fut>(&self, max_frame_bytes: usize, serve: F) -> Result<Upgrade, Problem>
    where
        F: FnOnce(SocketSender, SocketReceiver) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let key = handshake_key(self.headers()).ok_or_else(no_handshake)?;
        let upgrading = self.take_upgrade().ok_or_else(no_handshake)?;
        let accept = derive_accept_key(key.as_bytes());
        tokio::spawn(async move {
            match open(upgrading, max_frame_bytes).await {
                Ok(stream) => {
                    let (sender, receiver) = stream.split();
                    serve(SocketSender(sender), SocketReceiver(receiver)).await;
                }
                Err(error) => tracing::debug!(%error, "a connection was not upgraded"),
            }
        });
        Ok(Upgrade { accept })
    }
}

async fn open(upgrading: OnUpgrade, max_frame_bytes: usize) -> Result<Stream, hyper::Error> {
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_message_size(Some(max_frame_bytes))
        .max_frame_size(Some(max_frame_bytes));
    let upgraded = TokioIo::new(upgrading.await?);
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await)
}

fn no_handshake() -> Problem {
    Problem::invalid("", "open it as a WebSocket of version 13")
}

/// The key of a well-formed handshake (RFC 6455 section 4.2.1).
fn handshake_key(headers: &HeaderMap) -> Option<&str> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let upgrades = text(header::UPGRADE)?.eq_ignore_ascii_case("websocket");
    let connects = text(header::CONNECTION)?.split(',').any(|option| option.trim().eq_ignore_ascii_case("upgrade"));
    let version = text(header::SEC_WEBSOCKET_VERSION)? == "13";
    let key = text(header::SEC_WEBSOCKET_KEY)?;
    let nonce = STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16);
    (upgrades && connects && version && nonce).then_some(key)
}

impl Output for Upgrade {
    const STATUS: StatusCode = StatusCode::SWITCHING_PROTOCOLS;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn encode(self) -> Result<Response<Body>, Problem> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = Self::STATUS;
        let headers = response.headers_mut();
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        let accept = HeaderValue::from_str(&self.accept).map_err(Problem::internal)?;
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        Ok(response)
    }
}
