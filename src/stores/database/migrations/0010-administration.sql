-- Administration: quotas and trials, provisioning by external id, signing secrets, properties and uses of keys, the audit trail.

ALTER TABLE organizations
  -- null: what the organization has without a setting of its own.
  ADD COLUMN monthly_quota bigint CHECK (monthly_quota >= 0),
  ADD COLUMN trial_ends_at timestamptz;

-- Provisioning is idempotent on it. A column of its own, because row security lets an index be searched by plain columns only.
ALTER TABLE projects ADD COLUMN external_id text GENERATED ALWAYS AS (fields ->> 'externalId') STORED;
CREATE UNIQUE INDEX projects_by_external_id ON projects (organization_id, external_id);

-- issued: made by provisioning; at most one such key of a project is active.
ALTER TABLE api_keys
  ADD COLUMN is_demo             boolean NOT NULL DEFAULT false,
  ADD COLUMN diagnostics_enabled boolean NOT NULL DEFAULT false,
  ADD COLUMN issued              boolean NOT NULL DEFAULT false;
CREATE INDEX api_keys_by_project ON api_keys (project_id, key_id);
CREATE UNIQUE INDEX api_keys_issued_once ON api_keys (project_id) WHERE issued AND revoked_at IS NULL;

-- Apart from the keys, so that noting a use tells no instance that the key changed.
CREATE TABLE api_key_uses (
  key_id       text PRIMARY KEY,
  last_used_at timestamptz NOT NULL
);

-- A project's secrets for its verification tokens, sealed under a key that derives from the master key.
CREATE TABLE signing_secrets (
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  version         integer NOT NULL CHECK (version > 0),
  sealed          bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Tokens that it signed verify until they expire, counted from here.
  replaced_at     timestamptz,
  -- Nothing that it signed verifies any more.
  revoked_at      timestamptz,
  PRIMARY KEY (project_id, version)
);

CREATE TABLE audit_entries (
  entry_id        text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  at              timestamptz NOT NULL DEFAULT now(),
  actor_kind      text NOT NULL,
  actor_id        text NOT NULL,
  actor_role      text,
  action          text NOT NULL,
  subject_kind    text NOT NULL,
  subject_id      text NOT NULL,
  detail          jsonb NOT NULL,
  request_id      text
);
CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, entry_id);

-- The second wall between organizations. In a transaction that names its organization (vh.organization_id) the rows of others do
-- not exist, whatever its statements say. Owners of the tables are held to it as well; a superuser steps down to the role
-- below first. Where that role cannot be made, the service runs as an ordinary owner and needs none.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON organizations USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE projects FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON projects USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON api_keys USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE signing_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE signing_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON signing_secrets USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON audit_entries USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'verifyhuman_tenant') THEN
    CREATE ROLE verifyhuman_tenant NOLOGIN;
  END IF;
  EXECUTE format('GRANT verifyhuman_tenant TO %I', current_user);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no role verifyhuman_tenant: %', SQLERRM;
END $$;
DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON organizations, projects, api_keys, signing_secrets, audit_entries, api_key_uses, changes TO verifyhuman_tenant;
  GRANT USAGE ON SEQUENCE changes_change_id_seq TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
