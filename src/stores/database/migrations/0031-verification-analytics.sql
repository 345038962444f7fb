-- What analytics counts of completed verifications. Written by a consumer, so that reading never scans sessions.

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

ALTER TABLE verification_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE verification_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON verification_hours USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE verification_kinds ENABLE ROW LEVEL SECURITY;
ALTER TABLE verification_kinds FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON verification_kinds USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON verification_hours, verification_kinds TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
