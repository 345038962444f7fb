-- Where similar devices meet: a row for each band of a fingerprint that counts as a participation. Overlap of arrays cannot use an index where row security
-- holds (the operator is not leakproof), and every comparison would go through all fingerprints of its project; equality can.
CREATE TABLE fingerprint_bands (
  organization_id text NOT NULL,
  -- MD5 of project and band, one after the other.
  meeting         uuid NOT NULL,
  fingerprint_no  bigint NOT NULL,
  PRIMARY KEY (meeting, fingerprint_no)
);

-- By triggers, so that an older version beside this one keeps them too.
CREATE FUNCTION keep_fingerprint_bands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_bands (organization_id, meeting, fingerprint_no)
  SELECT NEW.organization_id, md5(NEW.project_id || band)::uuid, NEW.fingerprint_no FROM unnest(NEW.device_bands) AS band
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprints_meet AFTER INSERT ON fingerprints
  FOR EACH ROW WHEN (NEW.status IN ('pass', 'review') AND NEW.device_bands <> '{}') EXECUTE FUNCTION keep_fingerprint_bands();

CREATE FUNCTION drop_fingerprint_bands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM fingerprint_bands WHERE meeting IN (SELECT md5(OLD.project_id || band)::uuid FROM unnest(OLD.device_bands) AS band) AND fingerprint_no = OLD.fingerprint_no;
  RETURN NULL;
END $$;
CREATE TRIGGER fingerprints_part AFTER DELETE ON fingerprints
  FOR EACH ROW WHEN (OLD.device_bands <> '{}') EXECUTE FUNCTION drop_fingerprint_bands();

ALTER TABLE fingerprint_bands ENABLE ROW LEVEL SECURITY;
ALTER TABLE fingerprint_bands FORCE ROW LEVEL SECURITY;
CREATE POLICY one_organization ON fingerprint_bands USING (coalesce(current_setting('vh.organization_id', true), '') = organization_id
  OR (coalesce(current_setting('vh.organization_id', true), '') = '' AND current_user <> 'verifyhuman_tenant'));

DO $$
BEGIN
  GRANT SELECT, INSERT, DELETE ON fingerprint_bands TO verifyhuman_tenant;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;
