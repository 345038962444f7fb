-- The score distribution is counted with the receipts (docs/adr/0017). If it cannot be, a recount of the sessions is ordered in the same commit.
CREATE FUNCTION order_recount(namespaces text[], session_refs text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO label_work (project_id, session_ref) SELECT DISTINCT * FROM unnest(namespaces, session_refs);
$$;

-- Counts sessions by their newest receipt, under the label that their outcomes say by now; an older one changes nothing. A label that is said meanwhile
-- waits for the turn, and then finds the session.
CREATE FUNCTION count_score_mix(
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
           was.recommendation AS was_recommendation, was.label AS was_label, was.label_day AS was_label_day,
           CASE WHEN a.fraud IS NULL THEN 'none' WHEN a.fraud THEN 'fraud' ELSE 'complete' END AS label,
           coalesce((a.at AT TIME ZONE 'UTC')::date, '-infinity') AS label_day
      FROM newest LEFT JOIN scored_sessions was ON was.project_id = newest.namespace AND was.session_ref = newest.session
                  LEFT JOIN adjudications a ON a.project_id = newest.namespace AND a.session_ref = newest.session
     WHERE was.receipt_id IS NULL OR was.receipt_id COLLATE "C" < newest.id
  ), written AS (
    INSERT INTO scored_sessions (project_id, session_ref, receipt_id, scored_at, source_id, cell, recommendation, label, label_day)
    SELECT namespace, session, id, at, source, cell, recommendation, label, label_day FROM fresh
    ON CONFLICT (project_id, session_ref) DO UPDATE SET receipt_id = excluded.receipt_id, scored_at = excluded.scored_at,
      source_id = excluded.source_id, cell = excluded.cell, recommendation = excluded.recommendation, label = excluded.label, label_day = excluded.label_day
  )
  INSERT INTO score_mix AS mix (project_id, day, source_id, cell, recommendation, label, label_day, sessions)
  SELECT namespace, (at AT TIME ZONE 'UTC')::date, source, cell, recommendation, label, label_day, sum(change)
    FROM (SELECT namespace, at, source, cell, recommendation, label, label_day, 1 AS change FROM fresh
          UNION ALL SELECT namespace, was_at, was_source, was_cell, was_recommendation, was_label, was_label_day, -1 FROM fresh WHERE is_known) AS changes
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (project_id, day, source_id, cell, recommendation, label, label_day) DO UPDATE SET sessions = mix.sessions + excluded.sessions;
END $$;
