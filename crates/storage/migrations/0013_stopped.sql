-- What the binding of a run to its person has stopped and that person was told of, one bit for each class
-- (owner: runs).
ALTER TABLE runs ADD COLUMN stopped_classes BIGINT NOT NULL DEFAULT 0;
