-- Who was erased, and when, by the keyed hash that receipts know them by: a receipt that was scored before and is recorded later, out of the log, the
-- spool or a dead letter, is erased as it comes. Kept for as long as receipts are.
CREATE TABLE erased_respondents (
  project_id  text NOT NULL,
  subject_ref text NOT NULL,
  erased_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, subject_ref)
);
CREATE INDEX erased_respondents_by_time ON erased_respondents (erased_at);
