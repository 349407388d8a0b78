-- What only one person is told, what counting needs (owner: messaging), and where threads come from
-- (owner: chat).

-- A thread may move to another channel; the channel of its parent message stays what it was.
ALTER TABLE threads ADD COLUMN parent_channel_id UUID;
UPDATE threads SET parent_channel_id = channel_id WHERE parent_message_id IS NOT NULL;

CREATE TABLE notices (
  id UUID PRIMARY KEY,
  principal_id UUID NOT NULL,
  thread_id UUID NOT NULL REFERENCES threads (id),
  message_id UUID,
  agent_id UUID,
  run_id UUID,
  code TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX notices_principal ON notices (principal_id, id);
CREATE INDEX notices_message ON notices (message_id);

-- The place of a message never changes. With it beside the mention, the unread mentions of one thread
-- are counted without looking at any other.
CREATE TABLE mentions_placed (
  message_id UUID NOT NULL,
  principal_id UUID NOT NULL,
  ordinal BIGINT NOT NULL,
  thread_id UUID NOT NULL,
  thread_seq BIGINT NOT NULL
);
INSERT INTO mentions_placed (message_id, principal_id, ordinal, thread_id, thread_seq)
  SELECT x.message_id, x.principal_id, x.ordinal, m.thread_id, m.thread_seq
  FROM mentions x JOIN messages m ON m.id = x.message_id WHERE x.principal_id <> m.author_id;
DROP TABLE mentions;
CREATE TABLE mentions (
  message_id UUID NOT NULL REFERENCES messages (id),
  principal_id UUID NOT NULL,
  ordinal BIGINT NOT NULL,
  thread_id UUID NOT NULL REFERENCES threads (id),
  thread_seq BIGINT NOT NULL,
  PRIMARY KEY (message_id, principal_id)
);
INSERT INTO mentions (message_id, principal_id, ordinal, thread_id, thread_seq)
  SELECT message_id, principal_id, ordinal, thread_id, thread_seq FROM mentions_placed;
DROP TABLE mentions_placed;
CREATE INDEX mentions_principal ON mentions (principal_id, message_id);
CREATE INDEX mentions_unread ON mentions (principal_id, thread_id, thread_seq);
