-- The outbox of session events, and webhooks: registrations, the events sent, one delivery for each event and webhook, and every attempt of it.

-- Events that the log has not accepted yet. A row is written in the transaction of the change that it reports, and removed once the log has it.
CREATE TABLE outbox (
  event_id        text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  log_key         text NOT NULL,
  body            text NOT NULL,
  written_at      timestamptz NOT NULL DEFAULT now(),
  -- The sweeper ignores it until then, by the database's clock.
  due_at          timestamptz NOT NULL,
  -- Deliveries were made from here, because its way through the log takes too long.
  fanned_out      boolean NOT NULL DEFAULT false
);
CREATE INDEX outbox_by_due ON outbox (due_at);
-- A row lives for milliseconds: compressing it would cost more than it saves.
ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE webhooks (
  webhook_id      text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  -- null: the row is the supplier's of this id, for its postbacks.
  project_id      text REFERENCES projects,
  -- Test: made with a test key, which reaches it; gets no live event. Such keys reach no other.
  mode            text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test')),
  url             text NOT NULL,
  events          text[] NOT NULL,
  payload_version text NOT NULL CHECK (payload_version IN ('v1', 'v2')),
  description     text,
  enabled         boolean NOT NULL,
  -- Events of test and demo sessions are sent, too.
  include_test    boolean NOT NULL,
  -- Secrets are sealed under a key that derives from the master key. The previous one signs the additional header until it ends.
  sealed          bytea NOT NULL,
  previous_sealed bytea,
  previous_until  timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Set while the breaker holds its deliveries back: since when, until the next try, how often in a row, and why.
  parked_at       timestamptz,
  parked_until    timestamptz,
  parked_count    integer NOT NULL DEFAULT 0,
  parked_reason   text
);
CREATE INDEX webhooks_by_project ON webhooks (project_id, webhook_id);
CREATE INDEX webhooks_parked ON webhooks (webhook_id) WHERE parked_at IS NOT NULL;

CREATE TABLE webhook_events (
  event_id        text PRIMARY KEY,
  organization_id text NOT NULL,
  project_id      text NOT NULL,
  session_id      text NOT NULL,
  body            text NOT NULL
);
CREATE INDEX webhook_events_by_session ON webhook_events (project_id, session_id);

-- A delivery's id follows from its event and webhook, so that an event that comes twice makes one delivery. Ids sort by the event's time.
--
--   PENDING, not leased: goes out once it is due.   PENDING, leased: a sender has it, and due_at is when the lease ends.
--
-- No foreign keys: a webhook that is deleted leaves its rows to the retention, which removes them a batch at a time.
CREATE TABLE deliveries (
  webhook_id      text NOT NULL,
  delivery_id     text NOT NULL,
  organization_id text NOT NULL,
  event_id        text NOT NULL,
  event_type      text NOT NULL,
  session_id      text NOT NULL,
  state           text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'SUCCEEDED', 'EXHAUSTED')),
  -- The attempt that is pending, or was the last.
  attempt         integer NOT NULL DEFAULT 1,
  -- The first attempt since the delivery was made or restarted: attempts are counted from it.
  attempts_from   integer NOT NULL DEFAULT 1,
  lane            text NOT NULL DEFAULT 'first' CHECK (lane IN ('first', 'retry')),
  due_at          timestamptz NOT NULL DEFAULT now(),
  leased          boolean NOT NULL DEFAULT false,
  -- Grows with every lease: a result is written only with the latest.
  token           integer NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (webhook_id, delivery_id)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
-- Finds which webhooks have work and, for each, what is due first, however much of it others have.
CREATE INDEX deliveries_pending ON deliveries (lane, webhook_id, due_at) WHERE state = 'PENDING';
CREATE INDEX deliveries_exhausted ON deliveries (webhook_id, delivery_id) WHERE state = 'EXHAUSTED';

CREATE TABLE delivery_attempts (
  webhook_id      text NOT NULL,
  delivery_id     text NOT NULL,
  attempt         integer NOT NULL,
  organization_id text NOT NULL,
  state           text NOT NULL CHECK (state IN ('SUCCEEDED', 'FAILED', 'EXHAUSTED')),
  status_code     integer,
  response_body   text,
  duration_ms     integer NOT NULL,
  error           text,
  started_at      timestamptz NOT NULL,
  PRIMARY KEY (webhook_id, delivery_id, attempt)
);

-- Erased sessions: later events of them are not written for webhooks. A digest of project and session, since the id is the caller's and
-- was erased with the rest. Kept for as long as erased_respondents.
CREATE TABLE erased_sessions (
  organization_id text NOT NULL REFERENCES organizations,
  mark            bytea PRIMARY KEY,
  erased_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX erased_sessions_by_time ON erased_sessions (erased_at);

CALL isolate_organizations('outbox', 'webhooks', 'webhook_events', 'deliveries', 'delivery_attempts', 'erased_sessions');
