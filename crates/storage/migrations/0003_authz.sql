-- Grants (owner: authz). Exactly one subject; the space of a channel target is kept beside it,
-- because a channel never leaves its space and a snapshot needs to know it.

CREATE TABLE grants (
  id UUID PRIMARY KEY,
  principal_id UUID,
  group_id UUID,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('instance', 'space', 'channel')),
  space_id UUID,
  channel_id UUID,
  level TEXT NOT NULL CHECK (level IN ('none', 'read', 'write', 'trigger')),
  capabilities BIGINT NOT NULL,
  expires_at BIGINT,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT,
  revoked_by UUID,
  CHECK ((principal_id IS NULL) <> (group_id IS NULL)),
  CHECK ((target_kind = 'instance' AND space_id IS NULL AND channel_id IS NULL)
      OR (target_kind = 'space' AND space_id IS NOT NULL AND channel_id IS NULL)
      OR (target_kind = 'channel' AND space_id IS NOT NULL AND channel_id IS NOT NULL))
);
CREATE INDEX grants_principal ON grants (principal_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_group ON grants (group_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_on_instance ON grants (id) WHERE target_kind = 'instance' AND revoked_at IS NULL;
CREATE INDEX grants_on_space ON grants (space_id, id) WHERE target_kind = 'space' AND revoked_at IS NULL;
CREATE INDEX grants_on_channel ON grants (channel_id, id) WHERE target_kind = 'channel' AND revoked_at IS NULL;
