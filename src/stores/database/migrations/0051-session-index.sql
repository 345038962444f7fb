-- Scored sessions by the id that the caller gave them: each with its latest receipt, so that one is found, and a project's are listed, without a
-- walk over receipts. Receipts of a session lie between first_scored_at and scored_at.

CREATE TABLE session_index (
  organization_id text NOT NULL,
  -- The namespace: a project in the world of live, test or demo keys.
  project_id      text NOT NULL,
  session_ref     text NOT NULL,
  session_id      text NOT NULL,
  first_scored_at timestamptz NOT NULL,
  scored_at       timestamptz NOT NULL,
  receipt_id      text NOT NULL,
  score           smallint NOT NULL,
  recommendation  text NOT NULL,
  verdict_class   text NOT NULL,
  duplicate_band  text NOT NULL,
  study_id        text,
  source_id       text,
  supersedes      text,
  PRIMARY KEY (project_id, session_ref)
);
CREATE INDEX session_index_by_receipt ON session_index (project_id, receipt_id);
CREATE INDEX session_index_by_study ON session_index (project_id, study_id, receipt_id) WHERE study_id IS NOT NULL;
CREATE INDEX session_index_by_source ON session_index (project_id, source_id, receipt_id) WHERE source_id IS NOT NULL;
CREATE INDEX session_index_by_time ON session_index USING brin (scored_at);

ALTER TABLE session_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE session_index FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON session_index USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON session_index TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
