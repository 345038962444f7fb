-- Fingerprints: the face and the device of every completed session, by which one human is told from another. Test and demo sessions leave none.

CREATE TABLE fingerprints (
  -- What the index knows a fingerprint by.
  fingerprint_no   bigserial PRIMARY KEY,
  fingerprint_id   text NOT NULL UNIQUE,
  organization_id  text NOT NULL REFERENCES organizations,
  project_id       text NOT NULL REFERENCES projects,
  session_id       text NOT NULL,
  -- First session of the chain of retries: a chain is nobody's duplicate but its own.
  root_session_id  text NOT NULL,
  respondent_id    text,
  data_collector   text,
  status           text NOT NULL CHECK (status IN ('pass', 'fail', 'review')),
  completed_at     timestamptz NOT NULL,
  -- All three null where no face was captured. The embedding is sealed, bound to this row.
  model            text,
  dimension        integer CHECK (dimension > 0),
  sealed           bytea,
  -- Keyed hashes: of the device's own token, of its components, and the bands under which similar devices meet.
  device_ref       text,
  device_sketch    jsonb,
  device_bands     text[] NOT NULL DEFAULT '{}',
  UNIQUE (project_id, session_id),
  CHECK ((model IS NULL) = (sealed IS NULL) AND (dimension IS NULL) = (sealed IS NULL))
);
ALTER TABLE fingerprints ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX fingerprints_by_respondent ON fingerprints (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX fingerprints_by_device ON fingerprints (device_ref) WHERE device_ref IS NOT NULL;
CREATE INDEX fingerprints_by_band ON fingerprints USING gin (device_bands);

-- What changed among the faces, for the index of every instance: read as the feed of changes is, from the oldest transaction that was
-- still open at the last look. Also what a comparison looks through for faces that its index does not know yet.
CREATE TABLE fingerprint_changes (
  change_no       bigserial PRIMARY KEY,
  transaction     xid8 NOT NULL DEFAULT pg_current_xact_id(),
  changed_at      timestamptz NOT NULL DEFAULT now(),
  organization_id text NOT NULL,
  project_id      text NOT NULL,
  fingerprint_no  bigint NOT NULL
);
CREATE INDEX fingerprint_changes_by_transaction ON fingerprint_changes (transaction, project_id);

CREATE FUNCTION note_fingerprint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.sealed, OLD.sealed) IS NOT NULL THEN
    INSERT INTO fingerprint_changes (organization_id, project_id, fingerprint_no)
    VALUES (coalesce(NEW.organization_id, OLD.organization_id), coalesce(NEW.project_id, OLD.project_id), coalesce(NEW.fingerprint_no, OLD.fingerprint_no));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprints_changed AFTER INSERT OR UPDATE OR DELETE ON fingerprints
  FOR EACH ROW EXECUTE FUNCTION note_fingerprint_change();

ALTER TABLE fingerprints ENABLE ROW LEVEL SECURITY;
ALTER TABLE fingerprints FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON fingerprints USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));
ALTER TABLE fingerprint_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE fingerprint_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON fingerprint_changes USING (coalesce(current_setting('vh.organization_id', true), '') IN ('', organization_id));

DO $$
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON fingerprints, fingerprint_changes TO verifyhuman_tenant;
  GRANT USAGE ON SEQUENCE fingerprints_fingerprint_no_seq, fingerprint_changes_change_no_seq TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
