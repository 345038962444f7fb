-- What keeps the score mix, as functions (docs/adr/0025). Writers of one project take turns, so that a session is never counted twice; the same
-- done again comes to nothing, because each change starts from what the session's row says. Counts are changed in one order.

CREATE FUNCTION take_score_mix_turns(namespaces text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  namespace text;
BEGIN
  FOR namespace IN SELECT DISTINCT named COLLATE "C" FROM unnest(namespaces) AS named ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('score mix ' || namespace, 0));
  END LOOP;
END $$;

-- Counts sessions by their newest receipt; an older one changes nothing.
CREATE FUNCTION record_score_mix(
  namespaces text[], session_refs text[], ids text[], times_ms double precision[], sources text[], cells text[], recommendations text[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM take_score_mix_turns(namespaces);
  WITH newest AS (
    SELECT DISTINCT ON (namespace, session) namespace, session, id, to_timestamp(at / 1000) AS at, source, cell, recommendation
      FROM unnest(namespaces, session_refs, ids, times_ms, sources, cells, recommendations) AS given (namespace, session, id, at, source, cell, recommendation)
     ORDER BY namespace, session, id COLLATE "C" DESC
  ), fresh AS MATERIALIZED (
    SELECT newest.*, was.receipt_id IS NOT NULL AS is_known, was.scored_at AS was_at, was.source_id AS was_source, was.cell AS was_cell,
           was.recommendation AS was_recommendation, coalesce(was.label, 'none') AS label, coalesce(was.label_day, '-infinity') AS label_day
      FROM newest LEFT JOIN scored_sessions was ON was.project_id = newest.namespace AND was.session_ref = newest.session
     WHERE was.receipt_id IS NULL OR was.receipt_id COLLATE "C" < newest.id
  ), written AS (
    INSERT INTO scored_sessions (project_id, session_ref, receipt_id, scored_at, source_id, cell, recommendation)
    SELECT namespace, session, id, at, source, cell, recommendation FROM fresh
    ON CONFLICT (project_id, session_ref) DO UPDATE SET receipt_id = excluded.receipt_id, scored_at = excluded.scored_at,
      source_id = excluded.source_id, cell = excluded.cell, recommendation = excluded.recommendation
  )
  INSERT INTO score_mix AS mix (project_id, day, source_id, cell, recommendation, label, label_day, sessions)
  SELECT namespace, (at AT TIME ZONE 'UTC')::date, source, cell, recommendation, label, label_day, sum(change)
    FROM (SELECT namespace, at, source, cell, recommendation, label, label_day, 1 AS change FROM fresh
          UNION ALL SELECT namespace, was_at, was_source, was_cell, was_recommendation, label, label_day, -1 FROM fresh WHERE is_known) AS changes
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (project_id, day, source_id, cell, recommendation, label, label_day) DO UPDATE SET sessions = mix.sessions + excluded.sessions;
END $$;

-- Gives sessions the label that their outcomes say by now. Sessions without a receipt are passed over: recording one looks here again.
CREATE FUNCTION relabel_score_mix(namespaces text[], session_refs text[])
RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM take_score_mix_turns(namespaces);
  WITH changed AS MATERIALIZED (
    SELECT was.project_id, was.session_ref, (was.scored_at AT TIME ZONE 'UTC')::date AS day, was.source_id, was.cell, was.recommendation,
           was.label AS was_label, was.label_day AS was_label_day, said.label, said.label_day
      FROM (SELECT DISTINCT namespace, session FROM unnest(namespaces, session_refs) AS given (namespace, session)) AS named
      JOIN scored_sessions was ON was.project_id = named.namespace AND was.session_ref = named.session
      LEFT JOIN adjudications a ON a.project_id = named.namespace AND a.session_ref = named.session
      CROSS JOIN LATERAL (SELECT CASE WHEN a.fraud IS NULL THEN 'none' WHEN a.fraud THEN 'fraud' ELSE 'complete' END,
                                 coalesce((a.at AT TIME ZONE 'UTC')::date, '-infinity')) AS said (label, label_day)
     WHERE (was.label, was.label_day) IS DISTINCT FROM (said.label, said.label_day)
  ), written AS (
    UPDATE scored_sessions s SET label = changed.label, label_day = changed.label_day
      FROM changed WHERE s.project_id = changed.project_id AND s.session_ref = changed.session_ref
  )
  INSERT INTO score_mix AS mix (project_id, day, source_id, cell, recommendation, label, label_day, sessions)
  SELECT project_id, day, source_id, cell, recommendation, label, label_day, sum(change)
    FROM (SELECT project_id, day, source_id, cell, recommendation, label, label_day, 1 AS change FROM changed
          UNION ALL SELECT project_id, day, source_id, cell, recommendation, was_label, was_label_day, -1 FROM changed) AS changes
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (project_id, day, source_id, cell, recommendation, label, label_day) DO UPDATE SET sessions = mix.sessions + excluded.sessions;
END $$;
