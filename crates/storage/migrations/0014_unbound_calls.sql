-- Calls of an agent without the invocation token while it worked on the run (owner: runs).
ALTER TABLE runs ADD COLUMN unbound_calls BIGINT NOT NULL DEFAULT 0;
