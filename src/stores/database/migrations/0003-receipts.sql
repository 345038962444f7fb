-- Receipts: what was scored, from which facts, with which result. One partition a day, made by the consumer that
-- first needs it; retention drops whole partitions. The receipt's id carries its time, so that a look-up names one day.

CREATE TABLE receipts (
  receipt_id      text NOT NULL,
  scored_at       timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id      text,
  lineage         text NOT NULL,
  session_ref     text NOT NULL,
  score           smallint NOT NULL,
  recommendation  text NOT NULL,
  -- Whose history the session belongs to, project-wide, and whether a respondent is among them.
  subjects        text[] NOT NULL,
  respondent_known boolean NOT NULL,
  record          bytea NOT NULL,
  seal            bytea NOT NULL,
  PRIMARY KEY (receipt_id, scored_at)
) PARTITION BY RANGE (scored_at);
-- A record is packed already, and of a size that is best kept in its row (the partitions raise the limit for that).
ALTER TABLE receipts ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE INDEX receipts_by_session ON receipts (project_id, session_ref, scored_at);
