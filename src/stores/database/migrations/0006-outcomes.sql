-- Outcome events, the adjudication of each session that follows from them, and the history of each subject.
-- A namespace is a project or an organization, and the mode of the key (proj_1~test).

-- An event may be sent again with another class or respondent: each statement is a row, and the latest counts.
CREATE TABLE outcomes (
  namespace      text NOT NULL,
  session_ref    text NOT NULL,
  type           text NOT NULL,
  occurred_at    timestamptz NOT NULL,
  -- The event that a retraction takes back; empty for every other event.
  target         text NOT NULL DEFAULT '',
  reason_class   text,
  respondent_ref text,
  -- The caller's own id of the event: sent again with other content, it replaces the earlier content.
  event_id       text,
  received_at    timestamptz NOT NULL DEFAULT now(),
  statement_no   bigserial,
  statement      text GENERATED ALWAYS AS (coalesce(reason_class, '') || '/' || coalesce(respondent_ref, '')) STORED,
  PRIMARY KEY (namespace, session_ref, type, occurred_at, target, statement)
);
CREATE UNIQUE INDEX outcomes_by_event ON outcomes (namespace, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX outcomes_by_receipt_time ON outcomes (received_at);

-- Whose history a session belongs to, kept from the first outcome on: its receipt may be gone when the next one comes.
CREATE TABLE outcome_subjects (
  namespace        text NOT NULL,
  session_ref      text NOT NULL,
  subjects         text[] NOT NULL,
  respondent_known boolean NOT NULL,
  PRIMARY KEY (namespace, session_ref)
);

-- Sessions whose adjudication has to be computed again; written in the transaction of the change. Taken in turn from every namespace.
CREATE TABLE adjudication_work (
  work_id     bigserial PRIMARY KEY,
  namespace   text NOT NULL,
  session_ref text NOT NULL,
  ordered_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX adjudication_work_by_namespace ON adjudication_work (namespace, work_id);

-- The count of a session in the history, and its subjects: subtracted again when it changes.
CREATE TABLE adjudications (
  namespace      text NOT NULL,
  session_ref    text NOT NULL,
  fraud          boolean NOT NULL,
  clawback       boolean NOT NULL,
  at             timestamptz NOT NULL,
  subjects       text[] NOT NULL,
  -- Some of its events are past their lifetime: those that remain do not take it back.
  events_dropped boolean NOT NULL DEFAULT false,
  PRIMARY KEY (namespace, session_ref)
);
CREATE INDEX adjudications_by_time ON adjudications (at);

CREATE TABLE history (
  namespace   text NOT NULL,
  subject_ref text NOT NULL,
  version     bigint NOT NULL,
  -- The last version that the counters store has.
  published   bigint NOT NULL DEFAULT 0,
  -- Counts by day since 1970: { day: [adjudicated, fraud, clawbacks] }.
  days        jsonb NOT NULL,
  -- When the record first differed from the published version.
  changed_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace, subject_ref)
);
CREATE INDEX history_unpublished ON history (namespace, subject_ref) WHERE published < version;

CALL reserve_for_background_work('outcomes', 'outcome_subjects', 'adjudications', 'history');
