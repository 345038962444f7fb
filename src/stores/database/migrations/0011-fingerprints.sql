-- Fingerprints: respondent, face and device of every completed session, which distinguish one human from another. One of a session that passed or is
-- under review is a participation. Test and demo sessions leave none.

CREATE TABLE fingerprints (
  -- The id in the index of faces.
  fingerprint_no   bigserial PRIMARY KEY,
  fingerprint_id   text NOT NULL UNIQUE,
  organization_id  text NOT NULL REFERENCES organizations,
  project_id       text NOT NULL REFERENCES projects,
  session_id       text NOT NULL,
  -- First session of the chain of retries: sessions of one chain are not duplicates of each other.
  root_session_id  text NOT NULL,
  respondent_id    text,
  -- Whether a backend or a hosted link named the respondent, and not the page alone.
  respondent_trusted boolean NOT NULL DEFAULT false,
  study_id         text,
  data_collector   text,
  status           text NOT NULL CHECK (status IN ('pass', 'fail', 'review')),
  completed_at     timestamptz NOT NULL,
  -- All three null if no face was captured. The embedding is sealed, bound to this row.
  model            text,
  dimension        integer CHECK (dimension > 0),
  sealed           bytea,
  -- claimed: the page alone says that the camera saw this face. seen: the service judged frames of it.
  evidence         text CHECK (evidence IN ('claimed', 'seen')),
  -- Keyed hashes: of the device's own token, of its components, and the bands that similar devices share.
  device_ref       text,
  device_sketch    jsonb,
  device_bands     text[] NOT NULL DEFAULT '{}',
  -- The country of the address, and a keyed hash of the camera's name: tries of one chain are compared by these.
  country          text,
  camera_ref       text,
  UNIQUE (project_id, session_id),
  CHECK ((model IS NULL) = (sealed IS NULL) AND (dimension IS NULL) = (sealed IS NULL) AND (evidence IS NULL) = (sealed IS NULL))
);
ALTER TABLE fingerprints ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX fingerprints_by_respondent ON fingerprints (project_id, respondent_id) WHERE respondent_id IS NOT NULL;
CREATE INDEX fingerprints_by_trusted_respondent ON fingerprints (project_id, respondent_id, completed_at) WHERE respondent_trusted;
CREATE INDEX fingerprints_by_chain ON fingerprints (root_session_id);
CREATE INDEX fingerprints_by_device ON fingerprints (device_ref) WHERE device_ref IS NOT NULL;

-- Changes of faces, for the index of every instance: read like the feed of changes, from the oldest transaction that was still open at the
-- last read. A comparison also looks here for faces that its index does not have yet.
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

-- A row for each band of a fingerprint that counts as a participation: similar devices are found by equality. Overlap of arrays cannot use an index under
-- row security (the operator is not leakproof), and every comparison would go through all fingerprints of its project.
CREATE TABLE fingerprint_bands (
  organization_id text NOT NULL,
  -- MD5 of project and band, one after the other.
  band_hash       uuid NOT NULL,
  fingerprint_no  bigint NOT NULL,
  PRIMARY KEY (band_hash, fingerprint_no)
);

CREATE FUNCTION keep_fingerprint_bands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_bands (organization_id, band_hash, fingerprint_no)
  SELECT NEW.organization_id, md5(NEW.project_id || band)::uuid, NEW.fingerprint_no FROM unnest(NEW.device_bands) AS band
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprint_bands_kept AFTER INSERT ON fingerprints
  FOR EACH ROW WHEN (NEW.status IN ('pass', 'review') AND NEW.device_bands <> '{}') EXECUTE FUNCTION keep_fingerprint_bands();

CREATE FUNCTION drop_fingerprint_bands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM fingerprint_bands WHERE band_hash IN (SELECT md5(OLD.project_id || band)::uuid FROM unnest(OLD.device_bands) AS band) AND fingerprint_no = OLD.fingerprint_no;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprint_bands_dropped AFTER DELETE ON fingerprints
  FOR EACH ROW WHEN (OLD.device_bands <> '{}') EXECUTE FUNCTION drop_fingerprint_bands();

-- Faces of the last 24 hours that count as a participation: one face of many respondents is found by equal bands. One row for a face and an index for
-- each band take a third of the room of a row for each band. Bands and person are keyed hashes, so that nothing of the face follows from them. The
-- person is the respondent, or the chain of retries of a session without one. The rank says how hard the face was to forge (fingerprint-store.ts).
CREATE TABLE recent_faces (
  fingerprint_no  bigint PRIMARY KEY REFERENCES fingerprints ON DELETE CASCADE,
  organization_id text NOT NULL,
  person          text NOT NULL,
  evidence_rank   smallint NOT NULL,
  completed_at    timestamptz NOT NULL,
  bands           bigint[] NOT NULL CHECK (cardinality(bands) = 20)
);
CREATE INDEX recent_faces_by_age ON recent_faces (completed_at);
DO $$
BEGIN
  FOR band IN 1..20 LOOP
    EXECUTE format('CREATE INDEX recent_faces_by_band_%s ON recent_faces ((bands[%s]), fingerprint_no)', band, band);
  END LOOP;
END $$;

CALL isolate_organizations('fingerprints', 'fingerprint_changes', 'fingerprint_bands', 'recent_faces');
