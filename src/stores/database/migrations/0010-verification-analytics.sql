-- Counts of completed verifications for analytics. Written by a consumer, so that a read never scans sessions.

CREATE TABLE verification_hours (
  organization_id  text NOT NULL REFERENCES organizations,
  project_id       text NOT NULL REFERENCES projects,
  is_demo          boolean NOT NULL,
  hour             timestamptz NOT NULL,
  passed           bigint NOT NULL,
  failed           bigint NOT NULL,
  liveness_sum     double precision NOT NULL,
  liveness_count   bigint NOT NULL,
  uniqueness_sum   double precision NOT NULL,
  uniqueness_count bigint NOT NULL,
  duration_sum     double precision NOT NULL,
  duration_count   bigint NOT NULL,
  PRIMARY KEY (project_id, is_demo, hour)
);

-- By day: why sessions failed, on which devices and browsers they ran.
CREATE TABLE verification_kinds (
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  is_demo         boolean NOT NULL,
  day             date NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('failure_reason', 'device', 'browser')),
  value           text NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (project_id, is_demo, day, kind, value)
);

-- Events that were counted, so that one that comes twice counts once; kept for longer than the log keeps them.
CREATE TABLE counted_events (
  event_id   text PRIMARY KEY,
  counted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX counted_events_by_time ON counted_events (counted_at);

CALL isolate_organizations('verification_hours', 'verification_kinds');
