use bothy_domain::ids::{RunId, ThreadId};

use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::RunView;

impl Client {
    /// Reads a run.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see its thread.
    pub async fn get_run(&self, run: RunId) -> Result<RunView, Error> {
        self.json(Call::get("getRun", format!("/runs/{run}"))).await
    }

    /// The runs of a thread.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see the thread.
    pub async fn list_thread_runs(&self, thread: ThreadId) -> Result<Vec<RunView>, Error> {
        self.all("listThreadRuns", format!("/threads/{thread}/runs")).await
    }

    /// Asks a run to stop.
    ///
    /// # Errors
    /// A problem when the caller neither asked for the run nor may moderate there.
    pub async fn cancel_run(&self, run: RunId) -> Result<(), Error> {
        self.nothing(Call::post("cancelRun", format!("/runs/{run}/cancel")).repeatable()).await
    }

    /// Whether the server is up (`/healthz`) and can work (`/readyz`).
    ///
    /// # Errors
    /// [`Error::Transport`] when it does not answer, a problem when it cannot work now.
    pub async fn ready(&self) -> Result<(), Error> {
        self.transport.send_outside(Call::get("ready", "/readyz")).await.map(drop)
    }
}
