-- OAuth clients of organizations, and the assertions that they have used.

-- Either the SHA-256 of a secret or public keys. A rotation raises the version: tokens of a lower one are invalid.
CREATE TABLE oauth_clients (
  client_id       text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  name            text NOT NULL,
  scopes          text[] NOT NULL,
  secret_hash     bytea,
  jwks            jsonb,
  version         integer NOT NULL DEFAULT 1 CHECK (version > 0),
  created_at      timestamptz NOT NULL DEFAULT now(),
  rotated_at      timestamptz,
  revoked_at      timestamptz,
  CHECK ((secret_hash IS NULL) <> (jwks IS NULL))
);
CREATE INDEX oauth_clients_by_organization ON oauth_clients (organization_id, client_id);

-- An assertion is good once, at whichever instance. The id is a caller's text, hence stored as its SHA-256.
CREATE TABLE oauth_assertions (
  client_id       text NOT NULL REFERENCES oauth_clients,
  organization_id text NOT NULL REFERENCES organizations,
  jti_hash        bytea NOT NULL,
  expires_at      timestamptz NOT NULL,
  PRIMARY KEY (client_id, jti_hash)
);
CREATE INDEX oauth_assertions_by_expiry ON oauth_assertions (expires_at);

-- Instances treat a changed client as a changed key.
CREATE FUNCTION note_oauth_client_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('key', coalesce(NEW.client_id, OLD.client_id));
  RETURN NULL;
END $$;
CREATE TRIGGER oauth_clients_changed AFTER INSERT OR UPDATE OR DELETE ON oauth_clients
  FOR EACH ROW EXECUTE FUNCTION note_oauth_client_change();

CALL isolate_organizations('oauth_clients', 'oauth_assertions');
