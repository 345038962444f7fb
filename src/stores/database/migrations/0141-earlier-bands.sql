-- Bands of the fingerprints from before the triggers of 0140, while completions go on. Of those that are erased meanwhile nothing stays.
INSERT INTO fingerprint_bands (organization_id, meeting, fingerprint_no)
SELECT f.organization_id, md5(f.project_id || band)::uuid, f.fingerprint_no
  FROM fingerprints f, unnest(f.device_bands) AS band WHERE f.status IN ('pass', 'review')
ON CONFLICT DO NOTHING;
DELETE FROM fingerprint_bands b WHERE NOT EXISTS (SELECT 1 FROM fingerprints f WHERE f.fingerprint_no = b.fingerprint_no);
