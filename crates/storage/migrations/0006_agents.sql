-- Who answers (owner: agents).

CREATE TABLE agents (
  principal_id UUID PRIMARY KEY REFERENCES principals (id),
  description TEXT NOT NULL,
  dm_policy TEXT NOT NULL CHECK (dm_policy IN ('nobody', 'triggerers', 'everyone')),
  created_by UUID NOT NULL,
  version BIGINT NOT NULL
);

CREATE TABLE apps (
  principal_id UUID PRIMARY KEY REFERENCES principals (id),
  description TEXT NOT NULL,
  created_by UUID NOT NULL,
  version BIGINT NOT NULL
);

CREATE TABLE agent_sessions (
  id UUID PRIMARY KEY,
  thread_id UUID NOT NULL REFERENCES threads (id),
  agent_id UUID NOT NULL REFERENCES principals (id),
  is_current BOOLEAN NOT NULL,
  started BOOLEAN NOT NULL,
  reference TEXT,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX agent_sessions_one_current ON agent_sessions (thread_id, agent_id) WHERE is_current;

-- Where an agent reads in the event log. A consumer begins at the end of the log when its agent is
-- made; `last_seen_at` stays empty until the agent shows up.
CREATE TABLE agent_consumers (
  agent_id UUID PRIMARY KEY REFERENCES principals (id),
  cursor BIGINT NOT NULL CHECK (cursor >= 0),
  last_seen_at BIGINT
);
