use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use crate::clock::ManualClock;
use crate::config::Config;
use crate::serve::{Limits, Peer, Stopped, serve};
use crate::tests_support::within;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n";

struct Running {
    address: SocketAddr,
    clock: ManualClock,
    /// Lets requests to `/slow` go on.
    release: Arc<Notify>,
    /// Is told when a request to `/slow` has arrived.
    arrived: Arc<Notify>,
    stop: oneshot::Sender<()>,
    stopped: JoinHandle<Stopped>,
}

async fn start(change: impl FnOnce(&mut Limits)) -> Running {
    let mut limits = Limits::of(&Config::default());
    change(&mut limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let clock = ManualClock::default();
    let (stop, stopping) = oneshot::channel::<()>();
    let (release, arrived) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (released, told) = (Arc::clone(&release), Arc::clone(&arrived));
    let service = tower::service_fn(move |request: Request<Incoming>| {
        let (released, told) = (Arc::clone(&released), Arc::clone(&told));
        async move {
            let body = match request.uri().path() {
                "/peer" => Bytes::from(request.extensions().get::<Peer>().unwrap().0.to_string()),
                "/big" => Bytes::from(vec![b'x'; 32 << 20]),
                "/slow" => {
                    told.notify_one();
                    released.notified().await;
                    Bytes::from_static(b"late")
                }
                _ => Bytes::from_static(b"hello"),
            };
            Ok::<_, Infallible>(Response::new(Full::new(body)))
        }
    });
    let shared = Arc::new(clock.clone());
    let shutdown = async { stopping.await.unwrap_or_default() };
    let stopped = tokio::spawn(serve(listener, service, limits, shared, shutdown));
    Running { address, clock, release, arrived, stop, stopped }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn stop(self) -> Stopped {
        drop(self.stop);
        within(self.stopped).await.unwrap()
    }
}

/// Everything until the server closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is a close too.
    let _ = within(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One answer of a connection that stays open.
async fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = vec![0; 4096];
    let length = within(stream.read(&mut bytes)).await.unwrap();
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

#[tokio::test]
async fn requests_are_answered_and_know_their_peer() {
    let running = start(|_| {}).await;
    let mut stream = running.connect().await;
    stream.write_all(GET).await.unwrap();
    assert!(answer(&mut stream).await.ends_with("hello"));
    stream.write_all(b"GET /peer HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n").await.unwrap();
    let own = stream.local_addr().unwrap().to_string();
    assert!(rest(&mut stream).await.ends_with(&own));
    assert_eq!(running.stop().await, Stopped { cut_off: 0 });
}

#[tokio::test]
async fn who_sends_no_head_is_cut_off() {
    for start_of_head in [&b""[..], b"G", b"GET / HTTP/1.1\r\nHost: exam"] {
        let running = start(|limits| limits.header_timeout = Duration::from_secs(5)).await;
        let mut stream = running.connect().await;
        stream.write_all(start_of_head).await.unwrap();
        within(running.clock.until_sleepers(1)).await;
        running.clock.advance(Duration::from_secs(5));
        rest(&mut stream).await;
        assert_eq!(running.stop().await, Stopped { cut_off: 0 });
    }
}

#[tokio::test]
async fn dripping_a_head_does_not_buy_time() {
    let running = start(|limits| limits.header_timeout = Duration::from_secs(5)).await;
    let mut stream = running.connect().await;
    within(running.clock.until_sleepers(1)).await;
    for byte in b"GET /" {
        stream.write_all(&[*byte]).await.unwrap();
        running.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
    rest(&mut stream).await;
    running.stop().await;
}

#[tokio::test]
async fn a_connection_that_idles_between_requests_is_closed() {
    let running = start(|limits| limits.header_timeout = Duration::from_secs(5)).await;
    let mut stream = running.connect().await;
    stream.write_all(GET).await.unwrap();
    assert!(answer(&mut stream).await.ends_with("hello"));
    within(running.clock.until_sleepers(1)).await;
    running.clock.advance(Duration::from_secs(5));
    rest(&mut stream).await;
    running.stop().await;
}

#[tokio::test]
async fn a_request_under_way_is_not_cut_by_the_head_timer() {
    let running = start(|limits| limits.header_timeout = Duration::from_secs(5)).await;
    let mut stream = running.connect().await;
    stream.write_all(b"GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n").await.unwrap();
    within(running.arrived.notified()).await;
    running.clock.advance(Duration::from_secs(60));
    running.release.notify_one();
    assert!(answer(&mut stream).await.ends_with("late"));
    running.stop().await;
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let running = start(|limits| limits.max_header_bytes = 8192).await;
    let mut stream = running.connect().await;
    let head = format!("GET / HTTP/1.1\r\nHost: example.com\r\nX: {}\r\n\r\n", "x".repeat(9000));
    stream.write_all(head.as_bytes()).await.unwrap();
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 431 "));
    running.stop().await;
}

#[tokio::test]
async fn connections_without_a_place_are_told_so_until_one_is_free() {
    let running = start(|limits| limits.max_connections = 1).await;
    let mut first = running.connect().await;
    first.write_all(GET).await.unwrap();
    assert!(answer(&mut first).await.ends_with("hello"));
    let mut second = running.connect().await;
    second.write_all(GET).await.unwrap();
    let told = rest(&mut second).await;
    assert!(told.starts_with("HTTP/1.1 503 "), "{told}");
    assert!(told.contains("application/problem+json") && told.ends_with("\"code\":\"unavailable\"}"), "{told}");
    drop(first);
    let served = async {
        loop {
            let mut third = running.connect().await;
            third.write_all(GET).await.unwrap();
            if answer(&mut third).await.ends_with("hello") {
                return;
            }
        }
    };
    within(served).await;
    running.stop().await;
}

#[tokio::test]
async fn who_takes_nothing_of_an_answer_is_cut_off() {
    let running = start(|limits| {
        limits.write_timeout = Duration::from_secs(7);
        limits.header_timeout = Duration::from_secs(100);
    })
    .await;
    let mut stream = running.connect().await;
    stream.write_all(b"GET /big HTTP/1.1\r\nHost: example.com\r\n\r\n").await.unwrap();
    within(running.clock.until_sleepers(1)).await;
    running.clock.advance(Duration::from_secs(7));
    assert!(rest(&mut stream).await.len() < 32 << 20);
    assert_eq!(running.stop().await, Stopped { cut_off: 0 });
}

#[tokio::test]
async fn a_stop_lets_requests_end_and_accepts_nothing_more() {
    let running = start(|limits| limits.shutdown_grace = Duration::from_secs(10)).await;
    let mut busy = running.connect().await;
    busy.write_all(b"GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n").await.unwrap();
    within(running.arrived.notified()).await;
    let mut idle = running.connect().await;
    idle.write_all(GET).await.unwrap();
    assert!(answer(&mut idle).await.ends_with("hello"));
    let (address, release, stopped) = (running.address, Arc::clone(&running.release), running.stopped);
    drop(running.stop);
    assert_eq!(rest(&mut idle).await, "");
    assert!(TcpStream::connect(address).await.is_err());
    release.notify_one();
    let late = rest(&mut busy).await;
    assert!(late.to_lowercase().contains("connection: close") && late.ends_with("late"), "{late}");
    assert_eq!(within(stopped).await.unwrap(), Stopped { cut_off: 0 });
}

#[tokio::test]
async fn what_outlasts_the_grace_is_cut_off() {
    let running = start(|limits| limits.shutdown_grace = Duration::from_secs(10)).await;
    let mut busy = running.connect().await;
    busy.write_all(b"GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n").await.unwrap();
    within(running.arrived.notified()).await;
    let clock = running.clock.clone();
    drop(running.stop);
    within(clock.until_sleepers(1)).await;
    clock.advance(Duration::from_secs(10));
    assert_eq!(within(running.stopped).await.unwrap(), Stopped { cut_off: 1 });
    assert_eq!(rest(&mut busy).await, "");
}
