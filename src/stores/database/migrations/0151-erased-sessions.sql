-- Sessions that were erased: what the log still brings of them is not written for webhooks. A digest of project and session, since the id is the caller's and
-- was erased with the rest. Kept for as long as the marks of erased respondents.
CREATE TABLE erased_sessions (
  organization_id text NOT NULL REFERENCES organizations,
  mark            bytea PRIMARY KEY,
  erased_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX erased_sessions_by_time ON erased_sessions (erased_at);

ALTER TABLE erased_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE erased_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON erased_sessions USING (coalesce(current_setting('vh.organization_id', true), '') = organization_id OR (coalesce(current_setting('vh.organization_id', true), '') = '' AND current_user <> 'verifyhuman_tenant'));
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON erased_sessions TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
