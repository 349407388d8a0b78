-- What clients that follow live need (owner: delivery), and how far the event log was cut off (owner:
-- platform).

-- Everything up to this position was removed from the event log.
CREATE TABLE event_floor (
  only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
  position BIGINT NOT NULL
);
INSERT INTO event_floor (only_row, position) VALUES (1, 0);

-- Who is connected, by node. A node renews its rows; those of a node that died lapse by themselves.
CREATE TABLE presence (
  principal_id UUID NOT NULL REFERENCES principals (id),
  node_id UUID NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('online', 'away')),
  connected_until BIGINT NOT NULL,
  PRIMARY KEY (principal_id, node_id)
);
CREATE INDEX presence_lapse ON presence (connected_until);
CREATE INDEX presence_node ON presence (node_id);
