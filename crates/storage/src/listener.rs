//! Wake-ups between nodes (`LISTEN`).
//!
//! A wake-up says "look", never what happened: readers read on from their cursor, and do so on a
//! timer as well.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Config, NoTls};

use crate::wait;

/// The longest pause between two tries to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Receives the wake-ups of one channel.
pub struct Listener {
    wake: Arc<Notify>,
    task: Option<JoinHandle<()>>,
}

impl Listener {
    pub(crate) fn silent() -> Self {
        Self { wake: Arc::new(Notify::new()), task: None }
    }

    pub(crate) fn start(config: Config, channel: &'static str) -> Self {
        let wake = Arc::new(Notify::new());
        let task = tokio::spawn(run(config, channel, Arc::clone(&wake)));
        Self { wake, task: Some(task) }
    }

    /// Waits for a wake-up. Those that arrived since the last call count as one; so does each new
    /// connection, since wake-ups may have been missed before it. Can be cancelled without loss.
    pub async fn recv(&mut self) {
        self.wake.notified().await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

async fn run(config: Config, channel: &'static str, wake: Arc<Notify>) {
    let mut pause = Duration::from_millis(100);
    loop {
        match listen(&config, channel, &wake).await {
            // It was connected: the next try may be quick again.
            Ok(()) => pause = Duration::from_millis(100),
            Err(error) => tracing::warn!(%error, channel, "cannot listen for wake-ups; trying again"),
        }
        wait::pause(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Listens until the connection ends. An error means that it did not come about.
async fn listen(config: &Config, channel: &'static str, wake: &Notify) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = config.connect(NoTls).await?;
    let receive = async {
        loop {
            match poll_fn(|context| connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(_))) => wake.notify_one(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Ok(()),
            }
        }
    };
    let subscribe = async {
        client.batch_execute(&format!("LISTEN \"{}\"", channel.replace('"', "\"\""))).await?;
        wake.notify_one();
        // The connection ends with its client, so this holds it.
        pending().await
    };
    tokio::select! {
        ended = receive => ended,
        failed = subscribe => failed,
    }
}
