-- An event may be stated again with another class or respondent: each statement is a row, and the latest stands.
ALTER TABLE outcomes ADD COLUMN statement_no bigserial;
ALTER TABLE outcomes ADD COLUMN said text GENERATED ALWAYS AS (coalesce(reason_class, '') || '/' || coalesce(respondent_ref, '')) STORED;
ALTER TABLE outcomes DROP CONSTRAINT outcomes_pkey;
ALTER TABLE outcomes ADD PRIMARY KEY (project_id, session_ref, type, occurred_at, target, said);

-- Whose history a session belongs to, kept from the first outcome on: the receipt that told may be gone when the next one comes.
CREATE TABLE outcome_subjects (
  project_id       text NOT NULL,
  session_ref      text NOT NULL,
  subjects         text[] NOT NULL,
  respondent_known boolean NOT NULL,
  PRIMARY KEY (project_id, session_ref)
);
INSERT INTO outcome_subjects SELECT project_id, session_ref, subjects, true FROM adjudications;

-- What counts has changed (an absent class is neutral, quality outcomes leave no credit, acceptance is credited as its window passes):
-- every session with outcomes is judged anew, and every record told anew.
INSERT INTO adjudication_work (project_id, session_ref) SELECT DISTINCT project_id, session_ref FROM outcomes;
UPDATE history SET version = version + 1;
