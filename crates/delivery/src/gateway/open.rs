use std::sync::Arc;

use bothy_domain::action::actions::SelfRead;
use bothy_domain::actor::{Actor, PrincipalKind};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::{Allowed, Upgrade};

use super::NOT_FOR_THIS_KIND;
use super::connection::{Connection, Opened};
use crate::Delivery;
use crate::routes::OpenGateway;

impl Delivery {
    /// Opens a connection that follows live, from a cursor or from now on. It is delivered to as the
    /// principal itself: a connection belongs to no run, and what an agent does in one names its token
    /// (seed 003, design note 8).
    ///
    /// # Errors
    /// `forbidden` for apps; `validation_failed` or `cursor_expired` for the cursor; `rate_limited` or
    /// `unavailable` when there is no place.
    pub(crate) async fn open_gateway(
        self: Arc<Self>,
        allowed: Allowed<SelfRead>,
        asked: OpenGateway,
    ) -> Result<Upgrade, Problem> {
        let actor = *allowed.actor();
        if actor.kind == PrincipalKind::App {
            return Err(allowed.refuse(NOT_FOR_THIS_KIND));
        }
        let position = self.follow_from(&actor, asked.cursor.as_deref()).await?;
        let caller = allowed.caller()?;
        let judge = allowed.judge().clone();
        let place = self.place(actor.principal)?;
        let max_frame_bytes = self.parts.config.gateway.max_frame_bytes.to_usize();
        let delivery = Arc::clone(&self);
        allowed.upgrade(max_frame_bytes, async move |sender, receiver| {
            let opened = Opened { sender, receiver, caller, position, presence: asked.presence };
            Connection::new(delivery, place, judge, opened).run().await;
        })
    }

    /// Where a connection goes on.
    async fn follow_from(&self, actor: &Actor, cursor: Option<&str>) -> Result<i64, Problem> {
        let from = self.begin(cursor).await?;
        if actor.kind != PrincipalKind::Agent {
            return Ok(from);
        }
        let acknowledged = self.parts.runs.acknowledged(actor.principal).await?;
        if cursor.is_some() {
            return Ok(from.max(acknowledged));
        }
        // The server keeps this cursor itself; behind a gap it goes on at the first event that is left.
        let reader = self.parts.database.reader().await.or_problem()?;
        Ok(acknowledged.max(self.parts.events.floor(&reader).await.or_problem()?))
    }
}
