-- Organizations, their projects and API keys, and the feed by which every instance learns of changes to them.

CREATE TABLE organizations (
  organization_id text PRIMARY KEY,
  name            text NOT NULL,
  tier            text NOT NULL CHECK (tier IN ('free', 'starter', 'professional', 'enterprise')),
  lite_enabled    boolean NOT NULL DEFAULT false,
  settings        jsonb NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE projects (
  project_id      text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  probe_key       text NOT NULL UNIQUE,
  fields          jsonb NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_by_organization ON projects (organization_id, project_id);

-- A secret is kept as its SHA-256 only. lineage is the first key of a chain of rotations.
CREATE TABLE api_keys (
  key_id          text PRIMARY KEY,
  lineage         text NOT NULL,
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text REFERENCES projects,
  name            text NOT NULL,
  secret_hash     bytea NOT NULL UNIQUE,
  prefix          text NOT NULL,
  scopes          text[] NOT NULL,
  per_minute      integer NOT NULL,
  per_day         bigint NOT NULL,
  is_test         boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz,
  revoked_at      timestamptz
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, key_id);

-- Written by triggers, so that no writer can forget it. Readers remember the oldest transaction that was still open when
-- they last looked (horizon) and read from there on: a change that commits late is not missed.
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

CREATE FUNCTION note_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('key', encode(coalesce(NEW.secret_hash, OLD.secret_hash), 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER api_keys_changed AFTER INSERT OR UPDATE OR DELETE ON api_keys
  FOR EACH ROW EXECUTE FUNCTION note_key_change();
