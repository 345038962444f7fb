-- Which flags a session has raised, so that each is raised once, whatever instance sees it again.
CREATE TABLE session_flags (
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  -- A keyed hash: the id itself is the caller's.
  session_ref     text NOT NULL,
  -- Kind and type of the flag, and the question that it is about, hashed.
  flag_ref        text NOT NULL,
  flagged_at      timestamptz NOT NULL,
  PRIMARY KEY (project_id, session_ref, flag_ref)
);
CREATE INDEX session_flags_by_time ON session_flags USING brin (flagged_at);

ALTER TABLE session_flags ENABLE ROW LEVEL SECURITY;
ALTER TABLE session_flags FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON session_flags USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));

DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON session_flags TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
