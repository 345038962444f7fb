-- Whose history a scored session belongs to, as its latest receipt says: an outcome finds it without a look at receipts, whose partitions are
-- one for each day. Null in rows of receipts that were recorded before.
ALTER TABLE session_index ADD COLUMN subjects text[];
ALTER TABLE session_index ADD COLUMN respondent_known boolean;

-- Work is taken in turn from every project that has some.
CREATE INDEX adjudication_work_by_project ON adjudication_work (project_id, work_id);

-- Some of the events that this rests on are past their lifetime: what is left of them does not take it back.
ALTER TABLE adjudications ADD COLUMN events_dropped boolean NOT NULL DEFAULT false;
