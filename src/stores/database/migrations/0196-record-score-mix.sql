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
