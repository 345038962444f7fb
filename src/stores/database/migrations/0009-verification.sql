-- Verification sessions and the links to the hosted page, the usage that a quota limits, the keys of vh_token, capture reuse, and flags of monitoring.

-- A session is completed once, by the first caller who does; until then, and before it expires, it is created.
CREATE TABLE verification_sessions (
  session_id         text PRIMARY KEY,
  organization_id    text NOT NULL REFERENCES organizations,
  project_id         text NOT NULL REFERENCES projects,
  secret_hash        bytea NOT NULL,
  -- Live sessions count; those of test and demo keys are apart.
  mode               text NOT NULL CHECK (mode IN ('live', 'test', 'demo')),
  -- Whether the key that created it lets callers ask for diagnostics; never for a session that a page created.
  diagnostics        boolean NOT NULL,
  study_id           text,
  respondent_id      text,
  -- Whether a backend or a hosted link named the respondent, and not the page alone.
  respondent_trusted boolean NOT NULL DEFAULT false,
  -- True in a study of the audience API, which deduplicates by itself.
  within_study       boolean NOT NULL DEFAULT false,
  link_id            text,
  -- The rule of its link on devices that took part; null: that of the project.
  device_rule        text,
  data_collector     text,
  metadata           jsonb NOT NULL,
  widget_mode        text NOT NULL,
  -- The session's own demands, whatever the project demands meanwhile.
  minimum_assurance  text NOT NULL,
  evidence_frames    text NOT NULL,
  nonce              text NOT NULL,
  -- How many challenges it asks for, and the page's calls for them with their answers, in order.
  challenge_count    smallint NOT NULL,
  challenge_calls    jsonb NOT NULL,
  -- The score that asked for it: its receipt, its session, and how much is to be proven; null: none did.
  step_up            jsonb,
  consent            jsonb,
  -- The token of the proof of work that paid for it; null: it was free.
  proof              text,
  -- The chain of retries: its first session, and how many retries led here.
  root_session_id    text NOT NULL,
  retry_count        integer NOT NULL CHECK (retry_count >= 0),
  created_at         timestamptz NOT NULL,
  expires_at         timestamptz NOT NULL,
  -- SHA-256 of the envelope that did not pass on passive signals and kept the session open for a camera check; null: none did.
  escalation_hash    bytea,
  -- Device, behaviour and network of that envelope, until the session completes or expires: a later one is judged by them, too.
  passive_signals    json,
  -- All null until completed.
  completed_at       timestamptz,
  status             text CHECK (status IN ('pass', 'fail', 'review')),
  token_id           text,
  -- The response and the verdict, as src/verification/sessions/session-store.ts writes them.
  result             jsonb,
  -- SHA-256 of what its tokens were first used for, as a backend named it.
  use_hash           bytea,
  -- SHA-256 of the one-time code of the last redirect.
  redirect_code_hash bytea,
  redirect_until     timestamptz,
  CHECK ((completed_at IS NULL) = (status IS NULL))
);
CREATE INDEX verification_sessions_by_chain ON verification_sessions (root_session_id);
-- A chain ends with the first of its sessions that does not fail; of two at the same moment the second breaks this.
CREATE UNIQUE INDEX verification_sessions_one_pass ON verification_sessions (root_session_id) WHERE status IN ('pass', 'review');
-- A score is stepped up once, however many sessions were made for its receipt.
CREATE UNIQUE INDEX verification_sessions_one_step_up ON verification_sessions (project_id, (step_up ->> 'receiptId')) WHERE step_up IS NOT NULL AND status = 'pass';
-- A proof pays for one session.
CREATE UNIQUE INDEX verification_sessions_one_proof ON verification_sessions (proof) WHERE proof IS NOT NULL;
CREATE INDEX verification_sessions_by_respondent ON verification_sessions (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX verification_sessions_by_score ON verification_sessions (project_id, (step_up ->> 'sessionId')) WHERE step_up IS NOT NULL;
CREATE INDEX verification_sessions_by_creation ON verification_sessions (created_at);
-- Results that name a session whose respondent is erased.
CREATE INDEX verification_sessions_by_match ON verification_sessions ((result #>> '{verdict,duplicateMatch,sessionId}'))
  WHERE result #>> '{verdict,duplicateMatch,sessionId}' IS NOT NULL;
CREATE INDEX verification_sessions_by_prior ON verification_sessions ((result #>> '{verdict,priorParticipation,sessionId}'))
  WHERE result #>> '{verdict,priorParticipation,sessionId}' IS NOT NULL;
CREATE INDEX verification_sessions_by_unfinished_check ON verification_sessions (expires_at) WHERE passive_signals IS NOT NULL;

-- Instances keep what came of sessions for as long as their tokens verify, an hour at most; what retention deletes is older.
CREATE FUNCTION note_session_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (kind, subject) VALUES ('session', OLD.session_id);
  RETURN NULL;
END $$;
CREATE TRIGGER verification_sessions_erased AFTER DELETE ON verification_sessions
  FOR EACH ROW WHEN (OLD.completed_at > now() - interval '2 hours') EXECUTE FUNCTION note_session_erasure();

-- Links to the hosted verification page. A link is alive until it expires, is deleted, or has reached its maximum of uses.
CREATE TABLE hosted_links (
  link_id         text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  -- The mode of its sessions.
  mode            text NOT NULL CHECK (mode IN ('live', 'test', 'demo')),
  -- Every session of the link carries these values; null: none.
  study_id        text,
  respondent_id   text,
  data_collector  text,
  -- Replaces the project's rule on devices that took part.
  device          text CHECK (device IN ('note', 'fail')),
  -- Replaces what the project demands of a pass.
  minimum_assurance text CHECK (minimum_assurance IN ('device_only', 'biometric')),
  metadata        jsonb NOT NULL,
  return_url      text,
  -- The service made it for a page of its own: the project's list of origins does not apply.
  return_own      boolean NOT NULL,
  -- More than a page named the respondent.
  respondent_trusted boolean NOT NULL,
  -- Passes, one a chain of retries at most, and the sessions that were started. No maximum of passes: null.
  uses            integer NOT NULL DEFAULT 0 CHECK (uses >= 0),
  sessions        bigint NOT NULL DEFAULT 0 CHECK (sessions >= 0),
  uses_max        integer CHECK (uses_max > 0),
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  deleted_at      timestamptz
);
CREATE INDEX hosted_links_by_project ON hosted_links (project_id, link_id) WHERE deleted_at IS NULL;
CREATE INDEX hosted_links_by_respondent ON hosted_links (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX hosted_links_by_end ON hosted_links (least(expires_at, deleted_at));

-- Recognises a capture that another session sends again; it belongs to the session that sent it first.
CREATE TABLE capture_marks (
  organization_id text NOT NULL REFERENCES organizations,
  mode            text NOT NULL,
  mark            text NOT NULL,
  session_id      text NOT NULL REFERENCES verification_sessions ON DELETE CASCADE,
  PRIMARY KEY (organization_id, mode, mark)
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

-- Flags of a session: each is raised once, whichever instance sees it again.
CREATE TABLE session_flags (
  organization_id text NOT NULL REFERENCES organizations,
  project_id      text NOT NULL REFERENCES projects,
  -- A keyed hash: the id itself is the caller's.
  session_ref     text NOT NULL,
  mode            text NOT NULL,
  -- Kind and type of the flag, and the question that it is about, hashed.
  flag_ref        text NOT NULL,
  event_id        text NOT NULL,
  event_type      text NOT NULL,
  -- The event as webhooks get it, in JSON.
  event           text NOT NULL,
  flagged_at      timestamptz NOT NULL,
  PRIMARY KEY (project_id, session_ref, flag_ref)
);
CREATE INDEX session_flags_by_event ON session_flags (project_id, mode, event_id);
CREATE INDEX session_flags_by_time ON session_flags USING brin (flagged_at);

CALL isolate_organizations('verification_sessions', 'hosted_links', 'capture_marks', 'verification_usage', 'session_flags');
