-- Who is calling (owner: identity).

CREATE TABLE principals (
  id UUID PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'app')),
  handle TEXT NOT NULL,
  handle_skeleton TEXT NOT NULL,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'disabled', 'deleted')),
  requires_binding BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX principals_handle ON principals (handle);
CREATE UNIQUE INDEX principals_handle_skeleton ON principals (handle_skeleton);

CREATE TABLE people (
  principal_id UUID PRIMARY KEY REFERENCES principals (id),
  email TEXT NOT NULL,
  password_hash TEXT
);
CREATE UNIQUE INDEX people_email ON people (email);

CREATE TABLE owners (
  principal_id UUID PRIMARY KEY REFERENCES principals (id),
  added_at BIGINT NOT NULL
);

CREATE TABLE groups (
  id UUID PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  version BIGINT NOT NULL
);
CREATE UNIQUE INDEX groups_name_key ON groups (name_key);

CREATE TABLE group_members (
  group_id UUID NOT NULL REFERENCES groups (id),
  principal_id UUID NOT NULL REFERENCES principals (id),
  added_at BIGINT NOT NULL,
  PRIMARY KEY (group_id, principal_id)
);
CREATE INDEX group_members_principal ON group_members (principal_id);

CREATE TABLE invites (
  id UUID PRIMARY KEY,
  principal_id UUID NOT NULL REFERENCES principals (id),
  code_hash BYTEA NOT NULL,
  created_by UUID NOT NULL REFERENCES principals (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  accepted_at BIGINT
);
CREATE UNIQUE INDEX invites_code_hash ON invites (code_hash);
CREATE INDEX invites_principal ON invites (principal_id);

CREATE TABLE sessions (
  id UUID PRIMARY KEY,
  principal_id UUID NOT NULL REFERENCES principals (id),
  token_hash BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  confirmed_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE INDEX sessions_principal ON sessions (principal_id, id) WHERE ended_at IS NULL;

CREATE TABLE api_tokens (
  id UUID PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('personal', 'agent', 'app')),
  principal_id UUID NOT NULL REFERENCES principals (id),
  name TEXT NOT NULL,
  token_hash BYTEA NOT NULL,
  created_by UUID NOT NULL REFERENCES principals (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_day BIGINT
);
CREATE UNIQUE INDEX api_tokens_token_hash ON api_tokens (token_hash);
CREATE INDEX api_tokens_principal ON api_tokens (principal_id, id);
