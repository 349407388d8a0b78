//! The operations on runs, and those of an agent's adapter.

mod agent;
mod context;
mod run;

use std::sync::Arc;

use bothy_platform::http::{RouteTable, Routes, get, patch, post};

use crate::Runs;

pub(crate) fn table(runs: &Arc<Runs>) -> RouteTable {
    let mut routes = Routes::new(Arc::clone(runs));
    routes.add(
        get("pollAgentEvents", "/agent/events", "Wait for events of the agent")
            .describe("At least once until acknowledged. Judged by the agent's own grants; an `Invocation-Token` does not narrow it.")
            .waits(),
        agent::poll_agent_events,
    );
    routes.add(post("ackAgentEvents", "/agent/events/ack", "Acknowledge events of the agent"), agent::ack_agent_events);
    routes.add(post("agentHeartbeat", "/agent/heartbeat", "Say that the adapter is alive"), agent::agent_heartbeat);
    routes.add(get("listThreadRuns", "/threads/{thread_id}/runs", "List the runs of a thread"), run::list_thread_runs);
    routes.add(get("getRun", "/runs/{run_id}", "Read a run"), run::get_run);
    routes.add(patch("patchRun", "/runs/{run_id}", "Show what the agent is doing"), run::patch_run);
    routes.add(post("startRun", "/runs/{run_id}/start", "Start a run"), run::start_run);
    routes.add(
        post("awaitRunInput", "/runs/{run_id}/await-input", "Ask the triggering person something"),
        run::await_run_input,
    );
    routes.add(post("resumeRun", "/runs/{run_id}/resume", "Go on after the answer"), run::resume_run);
    routes.add(
        post("renewInvocationToken", "/runs/{run_id}/token", "Get a fresh invocation token"),
        run::renew_invocation_token,
    );
    routes.add(post("finishRun", "/runs/{run_id}/finish", "End a run"), run::finish_run);
    routes.add(post("cancelRun", "/runs/{run_id}/cancel", "Stop a run"), run::cancel_run);
    routes.add(get("getRunContext", "/runs/{run_id}/context", "Read the context of a run"), context::get_run_context);
    routes.add(
        post("reportAgentSession", "/runs/{run_id}/session", "Report the runtime's session of a run"),
        run::report_agent_session,
    );
    routes.into_table()
}
