-- What thresholds are judged by: each session by its last receipt, and the same counted by source, day, what decides it, and label.

CREATE TABLE scored_sessions (
  project_id     text NOT NULL,
  session_ref    text NOT NULL,
  -- Its last receipt, and when that was.
  receipt_id     text NOT NULL,
  scored_at      timestamptz NOT NULL,
  -- Empty where the caller named none.
  source_id      text NOT NULL,
  -- What decides its recommendation under any edges, in short form.
  cell           text NOT NULL,
  recommendation text NOT NULL,
  -- What outcomes say of it, and on which day that happened (-infinity for none).
  label          text NOT NULL DEFAULT 'none' CHECK (label IN ('none', 'fraud', 'complete')),
  label_day      date NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (project_id, session_ref)
);
CREATE INDEX scored_sessions_by_cell ON scored_sessions (project_id, cell, recommendation, scored_at);
CREATE INDEX scored_sessions_by_time ON scored_sessions USING brin (scored_at);

CREATE TABLE score_mix (
  project_id     text NOT NULL,
  day            date NOT NULL,
  source_id      text NOT NULL,
  cell           text NOT NULL,
  recommendation text NOT NULL,
  label          text NOT NULL,
  label_day      date NOT NULL,
  sessions       bigint NOT NULL,
  PRIMARY KEY (project_id, day, source_id, cell, recommendation, label, label_day)
);

-- Sessions whose label has to be looked at again; written in the transaction that changed what their outcomes say.
CREATE TABLE label_work (
  work_id     bigserial PRIMARY KEY,
  project_id  text NOT NULL,
  session_ref text NOT NULL
);
