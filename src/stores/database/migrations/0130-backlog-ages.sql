-- Since when work waits, so that a metric tells how far behind it is. Rows of before count from this migration on.
ALTER TABLE adjudication_work ADD COLUMN ordered_at timestamptz NOT NULL DEFAULT now();
-- When the record first differed from what scoring was told.
ALTER TABLE history ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
