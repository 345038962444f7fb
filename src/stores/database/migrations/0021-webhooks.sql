-- Webhooks: registrations, the events that they were sent, one delivery for each event and webhook, and every attempt of it.

CREATE TABLE webhooks (
  webhook_id      text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  url             text NOT NULL,
  events          text[] NOT NULL,
  payload_version text NOT NULL CHECK (payload_version IN ('v1', 'v2')),
  description     text,
  enabled         boolean NOT NULL,
  -- Secrets are sealed under a key that derives from the master key. The previous one signs the additional header until it ends.
  sealed          bytea NOT NULL,
  previous_sealed bytea,
  previous_until  timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Set while the breaker keeps its deliveries back: since when, until the next try, how often in a row, and why.
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

-- A delivery’s id follows from its event and webhook, so that an event that comes twice makes one delivery. Ids sort by the event’s time.
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
  -- The first attempt since the delivery was made or started again: attempts are counted from it.
  attempts_from   integer NOT NULL DEFAULT 1,
  lane            text NOT NULL DEFAULT 'first' CHECK (lane IN ('first', 'retry')),
  due_at          timestamptz NOT NULL DEFAULT now(),
  leased          boolean NOT NULL DEFAULT false,
  -- Grows with every lease: whoever writes a result shows that his is still the latest.
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

-- Events whose way through the log takes too long are fanned out from here.
ALTER TABLE outbox ADD COLUMN fanned_out boolean NOT NULL DEFAULT false;

UPDATE api_keys SET scopes = scopes || ARRAY['webhooks:write', 'webhooks:read']
 WHERE NOT is_demo AND 'keys:write' = ANY(scopes) AND NOT 'webhooks:write' = ANY(scopes);

ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON webhooks USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE webhook_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_events FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON webhook_events USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON deliveries USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE delivery_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON delivery_attempts USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, webhook_events, deliveries, delivery_attempts TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
