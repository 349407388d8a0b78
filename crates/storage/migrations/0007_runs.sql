-- The work of agents (owner: runs). The place of a triggering message stands on the run, because it
-- never changes and the plan of a session (RC-4) needs it without reading messages.

CREATE TABLE runs (
  id UUID PRIMARY KEY,
  thread_id UUID NOT NULL REFERENCES threads (id),
  agent_id UUID NOT NULL REFERENCES principals (id),
  agent_session_id UUID REFERENCES agent_sessions (id),
  trigger_kind TEXT NOT NULL CHECK (trigger_kind IN ('message', 'command', 'interaction')),
  triggering_message_id UUID,
  trigger_thread_id UUID,
  trigger_seq BIGINT,
  triggered_by UUID NOT NULL REFERENCES principals (id),
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting_input', 'completed', 'failed', 'cancelled')),
  queued_at BIGINT NOT NULL,
  delivered_at BIGINT,
  started_at BIGINT,
  ended_at BIGINT,
  end_reason TEXT,
  error_class TEXT,
  cancel_requested_at BIGINT,
  cancel_reason TEXT,
  lease_expires_at BIGINT,
  status_line TEXT,
  progress BIGINT CHECK (progress BETWEEN 0 AND 100),
  draft_md TEXT,
  question_md TEXT,
  input_message_id UUID,
  version BIGINT NOT NULL,
  CHECK ((triggering_message_id IS NULL) = (trigger_thread_id IS NULL)),
  CHECK ((triggering_message_id IS NULL) = (trigger_seq IS NULL)),
  CHECK ((cancel_requested_at IS NULL) = (cancel_reason IS NULL)),
  CHECK ((ended_at IS NULL) = (state IN ('queued', 'running', 'waiting_input'))),
  CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CHECK ((lease_expires_at IS NULL) = (state <> 'running'))
);
CREATE UNIQUE INDEX runs_one_active ON runs (thread_id, agent_id) WHERE state IN ('queued', 'running', 'waiting_input');
CREATE UNIQUE INDEX runs_one_trigger ON runs (agent_id, triggering_message_id);
CREATE INDEX runs_thread ON runs (thread_id, id);
CREATE INDEX runs_session ON runs (agent_session_id, queued_at);
CREATE INDEX runs_active_person ON runs (triggered_by) WHERE state IN ('queued', 'running', 'waiting_input');
CREATE INDEX runs_active_agent ON runs (agent_id) WHERE state IN ('queued', 'running', 'waiting_input');
CREATE INDEX runs_queued ON runs (queued_at) WHERE state = 'queued';
CREATE INDEX runs_leased ON runs (lease_expires_at) WHERE state = 'running';
CREATE INDEX runs_cancelling ON runs (cancel_requested_at) WHERE state IN ('running', 'waiting_input');

CREATE TABLE run_followups (
  run_id UUID NOT NULL REFERENCES runs (id),
  message_id UUID NOT NULL,
  thread_seq BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'absorbed', 'moved')),
  created_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, message_id)
);
CREATE INDEX run_followups_message ON run_followups (message_id);

CREATE TABLE run_waiting (
  agent_id UUID NOT NULL,
  message_id UUID NOT NULL,
  thread_id UUID NOT NULL,
  thread_seq BIGINT NOT NULL,
  author_id UUID NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (agent_id, message_id)
);
CREATE INDEX run_waiting_thread ON run_waiting (thread_id, agent_id, thread_seq);

CREATE TABLE run_evidence (
  run_id UUID NOT NULL REFERENCES runs (id),
  ordinal BIGINT NOT NULL,
  at BIGINT NOT NULL,
  elements TEXT NOT NULL,
  PRIMARY KEY (run_id, ordinal)
);

CREATE TABLE run_reads (
  run_id UUID NOT NULL REFERENCES runs (id),
  channel_id UUID NOT NULL,
  first_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, channel_id)
);
