use std::sync::Arc;
use std::time::Duration;

use bothy_domain::problem::ProblemCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::clock::{SharedClock, timeout};

/// How many clients are told at once that the server is busy; more are just cut off.
const AT_ONCE: usize = 64;
/// How long telling may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much of a request is read so that the answer is not lost: closing a socket with unread bytes
/// resets the connection.
const DRAIN: u64 = 64 * 1024;

/// Answers connections for which there is no place.
#[derive(Debug, Clone)]
pub(super) struct Busy {
    clock: SharedClock,
    telling: Arc<Semaphore>,
    answer: Arc<str>,
}

impl Busy {
    pub(super) fn new(clock: SharedClock) -> Self {
        Self { clock, telling: Arc::new(Semaphore::new(AT_ONCE)), answer: answer().into() }
    }

    /// Says so, cheaply and in bounded time.
    pub(super) fn turn_away(&self, mut socket: TcpStream) {
        let Ok(place) = Arc::clone(&self.telling).try_acquire_owned() else { return };
        let busy = self.clone();
        tokio::spawn(async move {
            let tell = async {
                socket.write_all(busy.answer.as_bytes()).await?;
                socket.shutdown().await?;
                tokio::io::copy(&mut socket.take(DRAIN), &mut tokio::io::sink()).await
            };
            // Whether the client listens is its own affair.
            let _ = timeout(&busy.clock, PATIENCE, tell).await;
            drop(place);
        });
    }
}

fn answer() -> String {
    let code = ProblemCode::Unavailable;
    let body = format!(
        r#"{{"type":"about:blank","title":"{}","status":{},"code":"{}"}}"#,
        code.title(),
        code.status(),
        code.as_str()
    );
    format!(
        "HTTP/1.1 {} Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nRetry-After: 5\r\nConnection: close\r\n\r\n{body}",
        code.status(),
        body.len(),
    )
}
