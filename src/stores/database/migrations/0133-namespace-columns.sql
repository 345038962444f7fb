-- project_id of these tables holds a namespace: a project or an organization, and the world of the key (docs/adr/0015).
DO $$
DECLARE named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['receipts', 'session_index', 'outcomes', 'outcome_subjects', 'adjudication_work', 'adjudications', 'history', 'label_work', 'scored_sessions', 'score_mix'] LOOP
    EXECUTE format('COMMENT ON COLUMN %I.project_id IS %L', named, 'A namespace: project or organization, and the world of the key (proj_1~test).');
  END LOOP;
END $$;
