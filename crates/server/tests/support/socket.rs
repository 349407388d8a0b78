use bothy_testkit::PATIENCE;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message};

/// A client of the gateway that sees every frame.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
    /// The cursor of the newest frame that named one.
    pub cursor: String,
    /// The first frame.
    pub greeting: Value,
}

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub code: u16,
    pub reason: String,
}

impl Socket {
    /// Opens a connection with these headers, or says with which status and problem it was refused.
    pub async fn try_open(base: &str, query: &str, headers: &[(&str, &str)]) -> Result<Self, (u16, Value)> {
        let host = base.strip_prefix("http://").unwrap();
        let tcp = TcpStream::connect(host).await.unwrap();
        let mut request = format!("ws://{host}/api/v1/gateway{query}").into_client_request().unwrap();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
        }
        let stream = match tokio_tungstenite::client_async(request, tcp).await {
            Ok((stream, _)) => stream,
            Err(Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                return Err((response.status().as_u16(), serde_json::from_slice(body).unwrap_or_default()));
            }
            Err(error) => panic!("no handshake: {error}"),
        };
        let mut socket = Self { stream, cursor: String::new(), greeting: Value::Null };
        socket.greeting = socket.next().await;
        assert_eq!(socket.greeting["type"], "greeting", "{:?}", socket.greeting);
        Ok(socket)
    }

    /// Opens a connection with a bearer token.
    pub async fn open(base: &str, token: &str) -> Self {
        Self::open_with(base, token, "").await
    }

    /// The same with a query.
    pub async fn open_with(base: &str, token: &str, query: &str) -> Self {
        let bearer = format!("Bearer {token}");
        match Self::try_open(base, query, &[("authorization", &bearer)]).await {
            Ok(socket) => socket,
            Err(refused) => panic!("no gateway: {refused:?}"),
        }
    }

    /// Goes on from a cursor.
    pub async fn resume(base: &str, token: &str, cursor: &str) -> Self {
        Self::open_with(base, token, &format!("?cursor={cursor}")).await
    }

    pub async fn say(&mut self, frame: Value) {
        self.say_text(frame.to_string()).await;
    }

    pub async fn say_text(&mut self, text: String) {
        // A server that has ended the connection takes nothing more; what it said is read by the test.
        drop(self.stream.send(Message::text(text)).await);
    }

    pub async fn say_bytes(&mut self, bytes: Vec<u8>) {
        drop(self.stream.send(Message::binary(bytes)).await);
    }

    /// Asks with an op and waits for its answer; other frames on the way are given back too.
    pub async fn ask(&mut self, mut op: Value) -> (Value, Vec<Value>) {
        op["ref"] = json!("asked");
        self.say(op).await;
        let mut others = Vec::new();
        loop {
            let frame = self.next().await;
            if frame["ref"] == "asked" {
                return (frame, others);
            }
            others.push(frame);
        }
    }

    /// The next frame.
    pub async fn next(&mut self) -> Value {
        match self.step().await {
            Ok(frame) => frame,
            Err(ended) => panic!("the connection ended: {ended:?}"),
        }
    }

    /// The next frame, or how the connection ended.
    pub async fn step(&mut self) -> Result<Value, Ended> {
        let gone = || Ended { code: 0, reason: String::new() };
        loop {
            let message = patient(self.stream.next()).await;
            match message {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(text.as_str()).unwrap();
                    no_null(&frame);
                    if let Some(cursor) = frame["cursor"].as_str() {
                        cursor.clone_into(&mut self.cursor);
                    }
                    return Ok(frame);
                }
                Some(Ok(Message::Close(Some(close)))) => {
                    let ended = Ended { code: close.code.into(), reason: close.reason.as_str().to_owned() };
                    // Answers the good-bye.
                    drop(patient(self.stream.next()).await);
                    return Err(ended);
                }
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Err(gone()),
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next event of this kind; events of other kinds are passed over.
    pub async fn event(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next().await;
            if frame["kind"] == kind {
                return frame;
            }
        }
    }

    /// Every event up to the first of which something holds, that one included.
    pub async fn until(&mut self, last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            let is_last = last(&frame);
            frames.push(frame);
            if is_last {
                return frames;
            }
        }
    }

    /// Reads on until the connection ends.
    pub async fn end(&mut self) -> Ended {
        loop {
            if let Err(ended) = self.step().await {
                return ended;
            }
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a test that would wait for ever must fail")]
async fn patient<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("nothing came for a minute")
}

fn no_null(value: &Value) {
    match value {
        Value::Null => panic!("null on a connection"),
        Value::Array(items) => items.iter().for_each(no_null),
        Value::Object(members) => members.values().for_each(no_null),
        _ => {}
    }
}
