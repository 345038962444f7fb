-- Links to the hosted verification page. A link is alive until it expires, is deleted, or was used as often as it may be.

CREATE TABLE hosted_links (
  link_id         text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  -- Sessions of it belong to the world of test keys.
  is_demo         boolean NOT NULL,
  -- What every session of the link carries; null: left to the page.
  study_id        text,
  respondent_id   text,
  metadata        jsonb NOT NULL,
  return_url      text,
  -- The service itself made it for a page of its own: the address is not held to the project's list of origins.
  return_own      boolean NOT NULL,
  -- First tries that were verified; retries of them count as one with them. No maximum: null.
  uses            integer NOT NULL DEFAULT 0 CHECK (uses >= 0),
  uses_max        integer CHECK (uses_max > 0),
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  deleted_at      timestamptz
);
CREATE INDEX hosted_links_by_project ON hosted_links (project_id, link_id) WHERE deleted_at IS NULL;
CREATE INDEX hosted_links_by_respondent ON hosted_links (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX hosted_links_by_end ON hosted_links (least(expires_at, deleted_at));

ALTER TABLE hosted_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE hosted_links FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON hosted_links USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));

DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON hosted_links TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
