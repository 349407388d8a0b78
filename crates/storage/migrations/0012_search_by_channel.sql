-- Search by channel (owner: messaging): whoever sees some channels looks into those alone, so that what
-- is hidden costs nothing and cannot be told from its time.
CREATE INDEX search_terms_channel ON search_terms (channel_id, term, message_id);
