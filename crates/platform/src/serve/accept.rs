use std::convert::Infallible;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::util::Oneshot;

use crate::clock::{SharedClock, sleep, timeout};
use crate::serve::busy::Busy;
use crate::serve::stream::Stream;
use crate::serve::timer::ClockTimer;
use crate::serve::{Limits, Peer};

/// How long to wait after the machine could not accept a connection, for example because no file
/// handles are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// hyper takes no smaller buffers.
const SMALLEST_BUFFER: usize = 64 * 1024;

/// How the server stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// How many connections still had a request when the grace was over, and were cut off.
    pub cut_off: usize,
}

/// Serves until `shutdown` is ready; then accepts nothing more, lets requests end within the grace,
/// and cuts off the rest. Upgraded connections are the business of whoever upgraded them.
///
/// `service` is cloned for each request, as an axum router may be.
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    clock: SharedClock,
    shutdown: impl Future<Output = ()>,
) -> Stopped
where
    S: tower::Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let places = Arc::new(Semaphore::new(limits.max_connections));
    let busy = Busy::new(Arc::clone(&clock));
    let stopping = watch::Sender::new(());
    let http = http(&limits, &clock);
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((socket, peer)) => match Arc::clone(&places).try_acquire_owned() {
                    Ok(place) => {
                        let stream = prepare(socket, &limits, &clock, place);
                        let service = Connected { service: service.clone(), peer: Peer(peer) };
                        let mut stopping = stopping.subscribe();
                        let connection = http.serve_connection(stream, service).with_upgrades();
                        connections.spawn(async move {
                            let mut connection = std::pin::pin!(connection);
                            let ended = tokio::select! {
                                ended = &mut connection => ended,
                                _ = stopping.changed() => {
                                    connection.as_mut().graceful_shutdown();
                                    connection.await
                                }
                            };
                            if let Err(error) = ended {
                                tracing::debug!(%error, "a connection ended early");
                            }
                        });
                    }
                    Err(_) => busy.turn_away(socket),
                },
                Err(error) => after_failure(&error, &clock).await,
            },
        }
    }
    drop(listener);
    stopping.send_replace(());
    let all_end = async { while connections.join_next().await.is_some() {} };
    // Whether the time was up shows in what is left.
    let _ = timeout(&clock, limits.shutdown_grace, all_end).await;
    let cut_off = connections.len();
    connections.shutdown().await;
    Stopped { cut_off }
}

fn http(limits: &Limits, clock: &SharedClock) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(ClockTimer::new(Arc::clone(clock)))
        .header_read_timeout(limits.header_timeout)
        .max_header_size(limits.max_header_bytes)
        .max_buf_size(limits.max_header_bytes.max(SMALLEST_BUFFER));
    http
}

fn prepare(socket: TcpStream, limits: &Limits, clock: &SharedClock, place: OwnedSemaphorePermit) -> Stream {
    // Answers are written whole; waiting for more of them to fill a packet only delays them.
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "a connection cannot be told to send at once");
    }
    Stream::new(socket, Arc::clone(clock), limits.write_timeout, place)
}

/// A client that gave up before it was accepted is no reason to pause.
async fn after_failure(error: &io::Error, clock: &SharedClock) {
    let clients_fault = matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
    );
    if !clients_fault {
        tracing::warn!(%error, "cannot accept connections; trying again");
        sleep(clock, ACCEPT_PAUSE).await;
    }
}

/// The service of one connection, which tells each request who is at the other end.
struct Connected<S> {
    service: S,
    peer: Peer,
}

impl<S> hyper::service::Service<Request<Incoming>> for Connected<S>
where
    S: tower::Service<Request<Incoming>> + Clone,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Oneshot<S, Request<Incoming>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        Oneshot::new(self.service.clone(), request)
    }
}
