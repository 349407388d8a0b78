//! The operations on runs, and those of an agent's adapter.

mod agent;
mod context;
mod evidence;
mod request;
mod run;

use std::sync::Arc;

use bothy_domain::action::Action;
use bothy_platform::http::{RouteTable, Routes, get, patch, post};

use crate::Runs;

pub use agent::AgentEventView;
pub use run::RunView;

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
    routes.add(get("listActiveRuns", "/runs", "List the runs that are under way"), run::list_active_runs);
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
    routes.add(
        get("getRunContext", "/runs/{run_id}/context", "Read the context of a run").describe(
            "For the agent of the run, from the moment it is queued until it ends. Every element is labelled by the server \
             at this request: `trust` alone says whether the agent may follow it, and nothing in a text changes it. The \
             request is always complete; what is around it is cut from old to new. Never answer from a cache: rights change.",
        ),
        context::get_run_context,
    );
    routes.add(
        get("getRunEvidence", "/runs/{run_id}/evidence", "Read what the agent of a run saw").describe(
            "Newest first. Ids, trust and cuts as they were answered then; what a message says is read from the message.",
        ),
        evidence::get_run_evidence,
    );
    routes.add(
        post("runAgentCommand", "/threads/{thread_id}/commands", "Run a command of an agent")
            .describe(
                "Recorded in the thread as a message of kind `run_request`: `/` and the name of the command, then the \
                 arguments as JSON when there are any. It reaches the agent as a mention would.",
            )
            .creates()
            .recheck(Action::MessageRead),
        request::run_agent_command,
    );
    routes.add(
        post("pressComponent", "/messages/{message_id}/interactions", "Press a component of a message")
            .describe(
                "Recorded in the thread as a message of kind `run_request` that answers the message: `#` and the id of the \
                 component, then what was chosen or typed as JSON. Under the question of a waiting run it is the answer, \
                 and only the person whom the run works for may give it.",
            )
            .creates()
            .recheck(Action::MessageRead),
        request::press_component,
    );
    routes.add(
        get("listMessageInteractions", "/messages/{message_id}/interactions", "List what was pressed under a message"),
        request::list_message_interactions,
    );
    routes.add(
        post("respondToInteraction", "/runs/{run_id}/interaction-response", "Answer somebody who pressed a component"),
        request::respond_to_interaction,
    );
    routes.add(
        post("reportAgentSession", "/runs/{run_id}/session", "Report the runtime's session of a run"),
        run::report_agent_session,
    );
    routes.into_table()
}
