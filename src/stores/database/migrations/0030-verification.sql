-- Verification sessions, the usage that a quota is held to, the keys of vh_token, and what captures were seen.

-- A session is completed once, by whoever gets there first; until then, and before it expires, it is created.
CREATE TABLE verification_sessions (
  session_id         text PRIMARY KEY,
  organization_id    text NOT NULL REFERENCES organizations,
  project_id         text NOT NULL REFERENCES projects,
  secret_hash        bytea NOT NULL,
  is_demo            boolean NOT NULL,
  -- Whether the key that created it lets callers ask for diagnostics; never for a session that a page created.
  diagnostics        boolean NOT NULL,
  study_id           text,
  respondent_id      text,
  link_id            text,
  data_collector     text,
  metadata           jsonb NOT NULL,
  widget_mode        text NOT NULL,
  nonce              text NOT NULL,
  challenges         jsonb NOT NULL,
  consent            jsonb,
  -- The chain of retries: its first session, and how many retries led here.
  root_session_id    text NOT NULL,
  retry_count        integer NOT NULL CHECK (retry_count >= 0),
  created_at         timestamptz NOT NULL,
  expires_at         timestamptz NOT NULL,
  -- All null until completed.
  completed_at       timestamptz,
  status             text CHECK (status IN ('pass', 'fail', 'review')),
  token_id           text,
  -- What was answered and decided, as src/verification/sessions/session-store.ts writes it.
  result             jsonb,
  device_class       text,
  browser            text,
  -- SHA-256 of the one-time code of the redirect that was handed out last.
  redirect_code_hash bytea,
  redirect_until     timestamptz,
  CHECK ((completed_at IS NULL) = (status IS NULL))
);
CREATE INDEX verification_sessions_by_chain ON verification_sessions (root_session_id);
CREATE INDEX verification_sessions_by_respondent ON verification_sessions (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX verification_sessions_by_creation ON verification_sessions (created_at);

-- What a capture is recognised by when another session sends it again; the session that sent it first has it.
CREATE TABLE capture_marks (
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  mark            text NOT NULL,
  session_id      text NOT NULL REFERENCES verification_sessions ON DELETE CASCADE,
  PRIMARY KEY (project_id, mark)
);
CREATE INDEX capture_marks_by_session ON capture_marks (session_id);

-- Completed verifications of a month of UTC.
CREATE TABLE verification_usage (
  organization_id text NOT NULL REFERENCES organizations,
  month           date NOT NULL,
  is_demo         boolean NOT NULL,
  used            bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (organization_id, month, is_demo)
);

-- Ed25519 keys of vh_token, one generation after the other; the private half sealed under a key that derives from the master key.
CREATE TABLE token_keys (
  generation integer PRIMARY KEY CHECK (generation > 0),
  sealed     bytea NOT NULL,
  created_at timestamptz NOT NULL,
  signs_from timestamptz NOT NULL
);

-- Every instance learns of a changed secret as of a changed project. Of the same kind, so that older instances understand it.
CREATE TRIGGER signing_secrets_changed AFTER INSERT OR UPDATE OR DELETE ON signing_secrets
  FOR EACH ROW EXECUTE FUNCTION note_project_change();

ALTER TABLE verification_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE verification_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON verification_sessions USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE capture_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE capture_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON capture_marks USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE verification_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE verification_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON verification_usage USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));

DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON verification_sessions, capture_marks, verification_usage TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
