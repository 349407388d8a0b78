use std::sync::{Arc, Mutex};

use super::{Adapter, Answer};
use crate::transport::tests::server;
use crate::{Breach, Client, Witness};

/// An empty poll with this checkpoint.
fn polled(checkpoint: &str) -> &'static str {
    let body = format!(r#"{{"items":[],"cursor":1{checkpoint}}}"#);
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    format!("{head}{body}").leak()
}

/// Chapter 09 section 1: a breach is told once, and the agent goes on.
#[tokio::test]
async fn a_poll_whose_checkpoint_is_no_good_is_told_once() {
    let unsigned = format!(
        r#","audit_checkpoint":{{"position":3,"hash":"{}","count":3,"at":"2026-01-31T09:30:00Z","kid":"k","public_key":"{}","signature":"{}"}}"#,
        "0".repeat(64),
        "0".repeat(64),
        "0".repeat(128)
    );
    let (address, served) = server(vec![polled(""), polled(&unsigned), polled(&unsigned), polled("")]).await;
    let told: Arc<Mutex<Vec<Breach>>> = Arc::default();
    let telling = Arc::clone(&told);
    let adapter = Adapter::new(Client::new(&address, "bothy_agt_example").unwrap())
        .witness(Witness::default())
        .on_breach(move |breach| telling.lock().unwrap().push(breach.clone()));
    for _ in 0..4 {
        assert_eq!(adapter.round(|_, _| async { Ok(Answer::text("")) }).await.unwrap(), 0);
    }
    assert_eq!(*told.lock().unwrap(), [Breach::Signature { position: 3 }]);
    assert_eq!(served.await.unwrap().len(), 4);
    assert!(!format!("{adapter:?}").contains("bothy_agt"));
}
