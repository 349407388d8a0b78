-- What is said (owner: messaging).

CREATE TABLE messages (
  id UUID PRIMARY KEY,
  thread_id UUID NOT NULL REFERENCES threads (id),
  thread_seq BIGINT NOT NULL CHECK (thread_seq >= 1),
  author_id UUID NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('human', 'agent', 'app', 'import', 'system')),
  kind TEXT NOT NULL CHECK (kind IN ('text', 'system', 'run_request')),
  content_md TEXT NOT NULL,
  reply_to_message_id UUID,
  system_code TEXT,
  client_message_id TEXT,
  client_request_hash BYTEA,
  imported_author TEXT,
  created_at BIGINT NOT NULL,
  edited_at BIGINT,
  deleted_at BIGINT,
  deleted_by UUID,
  version BIGINT NOT NULL,
  CHECK ((kind = 'system') = (system_code IS NOT NULL))
);
CREATE UNIQUE INDEX messages_thread_seq ON messages (thread_id, thread_seq);
CREATE UNIQUE INDEX messages_client_message_id ON messages (author_id, client_message_id);

CREATE TABLE message_revisions (
  message_id UUID NOT NULL REFERENCES messages (id),
  revision BIGINT NOT NULL CHECK (revision >= 1),
  content_md TEXT NOT NULL,
  edited_at BIGINT NOT NULL,
  PRIMARY KEY (message_id, revision)
);

CREATE TABLE mentions (
  message_id UUID NOT NULL REFERENCES messages (id),
  principal_id UUID NOT NULL,
  ordinal BIGINT NOT NULL,
  PRIMARY KEY (message_id, principal_id)
);
CREATE INDEX mentions_principal ON mentions (principal_id, message_id);

CREATE TABLE reactions (
  message_id UUID NOT NULL REFERENCES messages (id),
  principal_id UUID NOT NULL,
  emoji TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (message_id, principal_id, emoji)
);

CREATE TABLE read_states (
  principal_id UUID NOT NULL,
  thread_id UUID NOT NULL REFERENCES threads (id),
  last_read_seq BIGINT NOT NULL CHECK (last_read_seq >= 0),
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (principal_id, thread_id)
);
