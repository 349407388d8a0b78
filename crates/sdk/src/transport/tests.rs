use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::Retry;
use crate::{Client, Error, Wait};

/// Remembers the pauses and does not wait.
#[derive(Debug, Default)]
struct Pauses(Mutex<Vec<Duration>>);

impl Wait for Pauses {
    fn wait(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

/// Answers one connection after the other with these texts; gives back what was asked.
pub(crate) async fn server(answers: Vec<&'static str>) -> (String, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let mut asked = Vec::new();
        for answer in answers {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 16 * 1024];
            let length = connection.read(&mut buffer).await.unwrap();
            asked.push(String::from_utf8_lossy(&buffer[..length]).into_owned());
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
        asked
    });
    (address, served)
}

const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/problem+json\r\n\
                    Content-Length: 37\r\n\r\n{\"status\":503,\"code\":\"unavailable\"}  ";
const SLOW_DOWN: &str = "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 7\r\nContent-Length: 36\r\n\r\n\
                         {\"status\":429,\"code\":\"rate_limited\"} ";
const DONE: &str = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

fn client(address: &str, pauses: &std::sync::Arc<Pauses>) -> Client {
    Client::new(address, "bothy_agt_example").unwrap().with_wait(pauses.clone())
}

#[tokio::test]
async fn repeats_what_is_safe_to_repeat_and_waits_as_long_as_asked() {
    let (address, served) = server(vec![BUSY, SLOW_DOWN, DONE]).await;
    let pauses = std::sync::Arc::new(Pauses::default());
    client(&address, &pauses).ack_agent_events(7).await.unwrap();
    assert_eq!(*pauses.0.lock().unwrap(), [Duration::from_millis(250), Duration::from_secs(7)]);
    assert_eq!(served.await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_post_that_may_have_done_its_work_is_not_repeated() {
    let (address, served) = server(vec![BUSY]).await;
    let pauses = std::sync::Arc::new(Pauses::default());
    let space = crate::wire::NewSpace { name: "Support" };
    let error = client(&address, &pauses).create_space(&space).await.unwrap_err();
    assert!(error.is("unavailable"));
    assert!(pauses.0.lock().unwrap().is_empty());
    assert_eq!(served.await.unwrap().len(), 1);
}

#[tokio::test]
async fn gives_up_after_the_last_attempt() {
    let (address, _served) = server(vec![BUSY; 2]).await;
    let pauses = std::sync::Arc::new(Pauses::default());
    let client = client(&address, &pauses).with_retry(Retry { attempts: 2, ..Retry::default() });
    assert!(client.ack_agent_events(7).await.unwrap_err().is("unavailable"));
    assert_eq!(pauses.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn every_call_of_a_run_sends_its_token() {
    let (address, served) = server(vec![DONE, DONE]).await;
    let pauses = std::sync::Arc::new(Pauses::default());
    let client = client(&address, &pauses);
    let id = "01890000-0000-7000-8000-000000000001";
    let run = crate::Run::new(&client, id.parse().unwrap(), id.parse().unwrap(), "head.body.tail").unwrap();
    run.start().await.unwrap();
    run.finish(crate::wire::Outcome::Completed, None).await.unwrap();
    for request in served.await.unwrap() {
        assert!(request.to_lowercase().contains("invocation-token: head.body.tail"), "{request}");
    }
}

#[tokio::test]
async fn an_answer_of_something_else_is_said_to_be_that() {
    let (address, _served) =
        server(vec!["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\n<h1>"]).await;
    let pauses = std::sync::Arc::new(Pauses::default());
    let error = client(&address, &pauses).get_me().await.unwrap_err();
    assert!(matches!(error, Error::Unexpected { operation: "getMe", .. }), "{error}");
    assert!(!error.to_string().contains("h1"));
}

#[test]
fn addresses_and_tokens_that_are_none() {
    for address in ["", "chat.example.com", "ftp://example.com", "https://user@example.com", "https://example.com?q"] {
        assert!(matches!(Client::anonymous(address), Err(Error::Address)), "{address}");
    }
    assert!(matches!(Client::new("https://example.com", "two\nlines"), Err(Error::Token)));
    let client = Client::new("https://example.com/chat", "bothy_agt_secret\n").unwrap();
    assert_eq!(client.server(), "https://example.com/chat");
    assert!(!format!("{client:?}").contains("bothy_agt_secret"));
}
