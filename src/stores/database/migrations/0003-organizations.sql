-- Organizations, their projects and API keys, the feed of changes that every instance reads, signing secrets, and the audit trail.

CREATE TABLE organizations (
  organization_id text PRIMARY KEY,
  name            text NOT NULL,
  tier            text NOT NULL CHECK (tier IN ('free', 'starter', 'professional', 'enterprise')),
  lite_enabled    boolean NOT NULL DEFAULT false,
  settings        jsonb NOT NULL DEFAULT '{}',
  -- null: the default of its tier.
  monthly_quota   bigint CHECK (monthly_quota >= 0),
  trial_ends_at   timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE projects (
  project_id      text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  probe_key       text NOT NULL UNIQUE,
  fields          jsonb NOT NULL,
  -- Provisioning is idempotent on it. A column of its own, because row security lets an index be searched by plain columns only.
  external_id     text GENERATED ALWAYS AS (fields ->> 'externalId') STORED,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_by_organization ON projects (organization_id, project_id);
CREATE UNIQUE INDEX projects_by_external_id ON projects (organization_id, external_id);

-- Only the SHA-256 of a secret is stored.
CREATE TABLE api_keys (
  key_id              text PRIMARY KEY,
  -- The first key of a chain of rotations.
  lineage             text NOT NULL,
  organization_id     text NOT NULL REFERENCES organizations,
  project_id          text REFERENCES projects,
  name                text NOT NULL,
  secret_hash         bytea NOT NULL UNIQUE,
  prefix              text NOT NULL,
  scopes              text[] NOT NULL,
  per_minute          integer NOT NULL,
  per_day             bigint NOT NULL,
  is_test             boolean NOT NULL DEFAULT false,
  is_demo             boolean NOT NULL DEFAULT false,
  diagnostics_enabled boolean NOT NULL DEFAULT false,
  -- Made by provisioning; at most one such key of a project is active.
  issued              boolean NOT NULL DEFAULT false,
  created_at          timestamptz NOT NULL DEFAULT now(),
  expires_at          timestamptz,
  revoked_at          timestamptz
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, key_id);
CREATE INDEX api_keys_by_project ON api_keys (project_id, key_id);
CREATE UNIQUE INDEX api_keys_issued_once ON api_keys (project_id) WHERE issued AND revoked_at IS NULL;

-- A table of its own, so that recording a use does not report the key as changed.
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

-- The master keys that this database has been written under, oldest first. The check value derives from the key and reveals nothing of it.
CREATE TABLE master_keys (
  generation  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  check_value text NOT NULL UNIQUE,
  admitted_at timestamptz NOT NULL DEFAULT now()
);

-- Sessions of the console that were signed out before they expired; a later one deletes those that would have.
CREATE TABLE ended_console_sessions (
  session_id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ended_console_sessions_by_expiry ON ended_console_sessions (expires_at);

-- The feed of changes. Written by triggers, so that no writer can forget it. Readers remember the oldest transaction that was still open
-- when they last read (horizon) and read from there on: a change that commits late is not missed.
CREATE TABLE changes (
  change_id   bigserial PRIMARY KEY,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  changed_at  timestamptz NOT NULL DEFAULT now(),
  kind        text NOT NULL,
  subject     text NOT NULL
);
CREATE INDEX changes_by_transaction ON changes (transaction);

CREATE FUNCTION note_organization_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('organization', coalesce(NEW.organization_id, OLD.organization_id));
  RETURN NULL;
END $$;
CREATE TRIGGER organizations_changed AFTER INSERT OR UPDATE OR DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION note_organization_change();

CREATE FUNCTION note_project_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('project', coalesce(NEW.project_id, OLD.project_id));
  RETURN NULL;
END $$;
CREATE TRIGGER projects_changed AFTER INSERT OR UPDATE OR DELETE ON projects
  FOR EACH ROW EXECUTE FUNCTION note_project_change();
CREATE TRIGGER signing_secrets_changed AFTER INSERT OR UPDATE OR DELETE ON signing_secrets
  FOR EACH ROW EXECUTE FUNCTION note_project_change();

CREATE FUNCTION note_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('key', encode(coalesce(NEW.secret_hash, OLD.secret_hash), 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_changed AFTER INSERT OR UPDATE OR DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION note_key_change();

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
CREATE INDEX audit_entries_by_time ON audit_entries (at);

CALL isolate_organizations('organizations', 'projects', 'api_keys', 'signing_secrets', 'audit_entries');
CALL grant_to_tenants('api_key_uses', 'changes');
