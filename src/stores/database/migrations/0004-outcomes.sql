-- Outcome events, what they say of each session, and the history of each subject that follows from it.

-- target tells retractions of different events apart; it is empty for every other event.
CREATE TABLE outcomes (
  project_id     text NOT NULL,
  session_ref    text NOT NULL,
  type           text NOT NULL,
  occurred_at    timestamptz NOT NULL,
  target         text NOT NULL DEFAULT '',
  reason_class   text,
  respondent_ref text,
  received_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, session_ref, type, occurred_at, target)
);

-- Sessions whose adjudication has to be worked out again; written in the transaction of what changed it.
CREATE TABLE adjudication_work (
  work_id     bigserial PRIMARY KEY,
  project_id  text NOT NULL,
  session_ref text NOT NULL
);

-- What stands in the history for a session, and for whom: taken away again when it changes.
CREATE TABLE adjudications (
  project_id  text NOT NULL,
  session_ref text NOT NULL,
  fraud       boolean NOT NULL,
  clawback    boolean NOT NULL,
  at          timestamptz NOT NULL,
  subjects    text[] NOT NULL,
  PRIMARY KEY (project_id, session_ref)
);

-- Counts by day since 1970: { day: [adjudicated, fraud, clawbacks] }.
CREATE TABLE history (
  project_id  text NOT NULL,
  subject_ref text NOT NULL,
  version     bigint NOT NULL,
  -- The version that scoring was last told of.
  published   bigint NOT NULL DEFAULT 0,
  days        jsonb NOT NULL,
  PRIMARY KEY (project_id, subject_ref)
);
CREATE INDEX history_unpublished ON history (project_id, subject_ref) WHERE published < version;
