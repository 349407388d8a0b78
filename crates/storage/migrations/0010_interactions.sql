-- Commands of agents (owner: agents), components under their messages (owner: messaging), and what
-- people asked for with them (owner: runs).

CREATE TABLE agent_commands (
  agent_id UUID NOT NULL REFERENCES principals (id),
  name TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  definition TEXT NOT NULL,
  PRIMARY KEY (agent_id, name)
);

CREATE TABLE message_components (
  message_id UUID NOT NULL REFERENCES messages (id),
  component_id TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  definition TEXT NOT NULL,
  repeatable BOOLEAN NOT NULL,
  used_at BIGINT,
  PRIMARY KEY (message_id, component_id)
);

CREATE TABLE run_requests (
  message_id UUID PRIMARY KEY REFERENCES messages (id),
  agent_id UUID NOT NULL REFERENCES principals (id),
  person_id UUID NOT NULL REFERENCES principals (id),
  kind TEXT NOT NULL CHECK (kind IN ('command', 'interaction')),
  name TEXT NOT NULL,
  target_message_id UUID,
  created_at BIGINT NOT NULL,
  response_md TEXT,
  response_private BOOLEAN,
  responded_at BIGINT,
  CHECK ((kind = 'interaction') = (target_message_id IS NOT NULL)),
  CHECK ((response_md IS NULL) = (response_private IS NULL)),
  CHECK ((response_md IS NULL) = (responded_at IS NULL))
);
CREATE INDEX run_requests_target ON run_requests (target_message_id, message_id);

CREATE TABLE run_questions (
  run_id UUID NOT NULL REFERENCES runs (id),
  ordinal BIGINT NOT NULL,
  message_id UUID,
  expires_at BIGINT,
  expired_at BIGINT,
  PRIMARY KEY (run_id, ordinal)
);
CREATE INDEX run_questions_message ON run_questions (message_id);
CREATE INDEX run_questions_expiry ON run_questions (expires_at);
