-- Search over messages and what an import remembers (owner: messaging).

-- Which words stand in which message, folded to one spelling by the program, so that both engines
-- find the same. The channel is that of the message's thread; a move writes it anew. It is there so
-- that what the caller cannot see is passed over without reading anything of it.
CREATE TABLE search_terms (
  term TEXT NOT NULL,
  message_id UUID NOT NULL,
  channel_id UUID NOT NULL,
  PRIMARY KEY (term, message_id, channel_id)
) KEY_ORDERED;

-- The words of a message in their order, each between spaces: for phrases, and to know what to take
-- out of the index when the message changes.
CREATE TABLE search_documents (
  message_id UUID PRIMARY KEY REFERENCES messages (id),
  folded TEXT NOT NULL
);

-- What was taken over into a channel, by its key in the system that it came from.
CREATE TABLE imported_messages (
  channel_id UUID NOT NULL REFERENCES channels (id),
  source_key TEXT NOT NULL,
  message_id UUID NOT NULL REFERENCES messages (id),
  PRIMARY KEY (channel_id, source_key)
);
