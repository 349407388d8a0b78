-- Where things are said (owner: chat).

CREATE TABLE spaces (
  id UUID PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  operator_agent_id UUID,
  archived_at BIGINT,
  created_at BIGINT NOT NULL,
  version BIGINT NOT NULL
);
CREATE UNIQUE INDEX spaces_name_key ON spaces (name_key);

CREATE TABLE channels (
  id UUID PRIMARY KEY,
  space_id UUID REFERENCES spaces (id),
  kind TEXT NOT NULL CHECK (kind IN ('text', 'forum', 'dm')),
  name TEXT,
  name_key TEXT,
  operator_agent_id UUID,
  respond_to TEXT NOT NULL CHECK (respond_to IN ('mention', 'every_message', 'off')),
  respond_in_threads BOOLEAN NOT NULL,
  allow_mentioned_agents BOOLEAN NOT NULL,
  auto_thread BOOLEAN NOT NULL,
  history_backfill_limit BIGINT NOT NULL CHECK (history_backfill_limit >= 0),
  egress TEXT NOT NULL CHECK (egress IN ('allow', 'confirm', 'deny')),
  prompt TEXT,
  skills TEXT,
  dm_key BYTEA,
  archived_at BIGINT,
  created_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  CHECK ((kind = 'dm') = (space_id IS NULL)),
  CHECK ((kind = 'dm') = (name IS NULL)),
  CHECK ((kind = 'dm') = (dm_key IS NOT NULL))
);
CREATE UNIQUE INDEX channels_space_name ON channels (space_id, name_key);
CREATE UNIQUE INDEX channels_dm_key ON channels (dm_key);
CREATE INDEX channels_space ON channels (space_id, id);

CREATE TABLE dm_participants (
  channel_id UUID NOT NULL REFERENCES channels (id),
  principal_id UUID NOT NULL,
  PRIMARY KEY (channel_id, principal_id)
);
CREATE INDEX dm_participants_principal ON dm_participants (principal_id, channel_id);

CREATE TABLE threads (
  id UUID PRIMARY KEY,
  channel_id UUID NOT NULL REFERENCES channels (id),
  kind TEXT NOT NULL CHECK (kind IN ('main', 'thread', 'post')),
  parent_message_id UUID,
  title TEXT,
  operator_agent_id UUID,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  closed_at BIGINT,
  next_seq BIGINT NOT NULL CHECK (next_seq >= 1),
  version BIGINT NOT NULL
);
CREATE UNIQUE INDEX threads_one_main ON threads (channel_id) WHERE kind = 'main';
CREATE UNIQUE INDEX threads_one_parent ON threads (parent_message_id);
CREATE INDEX threads_channel ON threads (channel_id, id);
