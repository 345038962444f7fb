-- Events of sessions that the log has not taken yet. A row is written in the transaction of the change that it tells of, and
-- removed once the log has it. due_at: not before then does the sweeper look after it, by the database's clock.
CREATE TABLE outbox (
  event_id        text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  log_key         text NOT NULL,
  body            text NOT NULL,
  written_at      timestamptz NOT NULL DEFAULT now(),
  due_at          timestamptz NOT NULL
);
CREATE INDEX outbox_by_due ON outbox (due_at);
-- A row lives for milliseconds: compressing it would cost more than it saves.
ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON outbox USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
