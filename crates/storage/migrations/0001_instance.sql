-- The instance, its keys and what is stored for repeated requests (owner: platform).

CREATE TABLE instance (
  id UUID PRIMARY KEY,
  name TEXT NOT NULL,
  set_up_at BIGINT,
  setup_code_hash BYTEA,
  setup_code_expires_at BIGINT,
  secret_check BYTEA NOT NULL,
  rights_version BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  only_row BIGINT NOT NULL CHECK (only_row = 1)
);
CREATE UNIQUE INDEX instance_only_row ON instance (only_row);

CREATE TABLE rights_changes (
  entry SERIAL_KEY,
  version BIGINT NOT NULL,
  principal_id UUID,
  at BIGINT NOT NULL
);
CREATE INDEX rights_changes_version ON rights_changes (version);

CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('invocation', 'audit')),
  public_key BYTEA NOT NULL,
  sealed_private_key BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  retired_at BIGINT
);
CREATE UNIQUE INDEX signing_keys_live ON signing_keys (purpose) WHERE retired_at IS NULL;

CREATE TABLE idempotency_keys (
  slot BYTEA PRIMARY KEY,
  request_hash BYTEA NOT NULL,
  claim_id UUID NOT NULL,
  lease_until BIGINT NOT NULL,
  took_effect BOOLEAN NOT NULL,
  status BIGINT,
  sealed_answer BYTEA,
  resource_id UUID,
  expires_at BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_resource ON idempotency_keys (resource_id) WHERE resource_id IS NOT NULL;

CREATE TABLE events (
  entry SERIAL_KEY,
  position BIGINT,
  kind TEXT NOT NULL,
  at BIGINT NOT NULL,
  audience_kind TEXT NOT NULL CHECK (audience_kind IN ('instance', 'channel', 'principal')),
  audience_id UUID,
  space_id UUID,
  channel_id UUID,
  thread_id UUID,
  message_id UUID,
  run_id UUID,
  subject_id UUID
);
CREATE UNIQUE INDEX events_position ON events (position);
CREATE INDEX events_unsequenced ON events (entry) WHERE position IS NULL;
CREATE INDEX events_audience ON events (audience_kind, audience_id, position);
CREATE INDEX events_space ON events (space_id, position) WHERE audience_kind = 'channel';

CREATE TABLE event_sequence (
  only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
  position BIGINT NOT NULL
);
INSERT INTO event_sequence (only_row, position) VALUES (1, 0);

CREATE TABLE audit_events (
  entry SERIAL_KEY,
  id UUID NOT NULL,
  position BIGINT,
  at BIGINT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id UUID,
  action TEXT NOT NULL,
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  reason TEXT,
  resource_kind TEXT,
  resource_id UUID,
  run_id UUID,
  acting_for_id UUID,
  details TEXT NOT NULL,
  count BIGINT NOT NULL CHECK (count > 0),
  previous_hash BYTEA,
  hash BYTEA
);
CREATE UNIQUE INDEX audit_events_id ON audit_events (id);
CREATE UNIQUE INDEX audit_events_position ON audit_events (position);
CREATE INDEX audit_events_unsealed ON audit_events (entry) WHERE position IS NULL;
CREATE INDEX audit_events_actor ON audit_events (actor_id, entry);
CREATE INDEX audit_events_run ON audit_events (run_id, entry) WHERE run_id IS NOT NULL;

CREATE TABLE audit_pending (
  aggregate_key BYTEA PRIMARY KEY,
  window_ends_at BIGINT NOT NULL,
  entry_json TEXT NOT NULL,
  count BIGINT NOT NULL CHECK (count >= 0)
);
CREATE INDEX audit_pending_window ON audit_pending (window_ends_at);

CREATE TABLE audit_head (
  only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
  position BIGINT NOT NULL,
  hash BYTEA
);
INSERT INTO audit_head (only_row, position) VALUES (1, 0);

CREATE TABLE audit_checkpoints (
  position BIGINT PRIMARY KEY,
  hash BYTEA NOT NULL,
  count BIGINT NOT NULL,
  at BIGINT NOT NULL,
  kid TEXT NOT NULL,
  signature BYTEA NOT NULL
);
