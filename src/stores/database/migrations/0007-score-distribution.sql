-- Thresholds are judged by these: each session by its last receipt, and the same sessions counted by source, day, cell and label.

CREATE TABLE scored_sessions (
  namespace      text NOT NULL,
  session_ref    text NOT NULL,
  -- Its last receipt, and the time of that.
  receipt_id     text NOT NULL,
  scored_at      timestamptz NOT NULL,
  -- Empty if the caller named none.
  source_id      text NOT NULL,
  -- The facts that decide its recommendation under any thresholds, in short form.
  cell           text NOT NULL,
  recommendation text NOT NULL,
  -- Independence of the sample at that time, 0 to 100.
  independence   smallint NOT NULL,
  -- From its outcomes, and the day of them (-infinity for none).
  label          text NOT NULL DEFAULT 'none' CHECK (label IN ('none', 'fraud', 'complete')),
  label_day      date NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (namespace, session_ref)
);
CREATE INDEX scored_sessions_by_cell ON scored_sessions (namespace, cell, recommendation, scored_at);
CREATE INDEX scored_sessions_by_time ON scored_sessions USING brin (scored_at);

CREATE TABLE score_distribution (
  namespace      text NOT NULL,
  day            date NOT NULL,
  source_id      text NOT NULL,
  cell           text NOT NULL,
  recommendation text NOT NULL,
  label          text NOT NULL,
  label_day      date NOT NULL,
  sessions       bigint NOT NULL,
  -- The sum over these sessions.
  independence   bigint NOT NULL,
  PRIMARY KEY (namespace, day, source_id, cell, recommendation, label, label_day)
);

-- Sessions whose label or count has to be computed again; written in the transaction of the cause. Taken in turn from every namespace.
CREATE TABLE label_work (
  work_id     bigserial PRIMARY KEY,
  namespace   text NOT NULL,
  session_ref text NOT NULL
);
CREATE INDEX label_work_by_namespace ON label_work (namespace, work_id);

-- The writes of the distribution are functions (docs/internals/adr/0003). Writers of one namespace take turns, so that a session is never counted twice; to repeat
-- a call changes nothing, because each change starts from the session's row. Counts are changed in one order.

CREATE FUNCTION lock_score_distribution(namespaces text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  locked text;
BEGIN
  FOR locked IN SELECT DISTINCT named COLLATE "C" FROM unnest(namespaces) AS named ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('score distribution ' || locked, 0));
  END LOOP;
END $$;

-- If the sessions of a batch cannot be counted, their recount is ordered in the commit that records them (docs/internals/adr/0003).
CREATE FUNCTION order_recount(namespaces text[], session_refs text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO label_work (namespace, session_ref) SELECT DISTINCT * FROM unnest(namespaces, session_refs);
$$;

-- Counts sessions by their newest receipt, under the current label of their outcomes; an older one changes nothing. A label that changes meanwhile
-- waits for its turn, and then finds the session.
CREATE FUNCTION count_scored_sessions(
  namespaces text[], session_refs text[], ids text[], times_ms double precision[], sources text[], cells text[], recommendations text[], independences double precision[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM lock_score_distribution(namespaces);
  WITH newest AS (
    SELECT DISTINCT ON (namespace, session) namespace, session, id, to_timestamp(at / 1000) AS at, source, cell, recommendation, independence::smallint
      FROM unnest(namespaces, session_refs, ids, times_ms, sources, cells, recommendations, independences)
        AS given (namespace, session, id, at, source, cell, recommendation, independence)
     ORDER BY namespace, session, id COLLATE "C" DESC
  ), fresh AS MATERIALIZED (
    SELECT newest.*, was.receipt_id IS NOT NULL AS is_known, was.scored_at AS was_at, was.source_id AS was_source, was.cell AS was_cell,
           was.recommendation AS was_recommendation, was.independence AS was_independence, was.label AS was_label, was.label_day AS was_label_day,
           CASE WHEN a.fraud IS NULL THEN 'none' WHEN a.fraud THEN 'fraud' ELSE 'complete' END AS label,
           coalesce((a.at AT TIME ZONE 'UTC')::date, '-infinity') AS label_day
      FROM newest LEFT JOIN scored_sessions was ON was.namespace = newest.namespace AND was.session_ref = newest.session
                  LEFT JOIN adjudications a ON a.namespace = newest.namespace AND a.session_ref = newest.session
     WHERE was.receipt_id IS NULL OR was.receipt_id COLLATE "C" < newest.id
  ), written AS (
    INSERT INTO scored_sessions (namespace, session_ref, receipt_id, scored_at, source_id, cell, recommendation, independence, label, label_day)
    SELECT namespace, session, id, at, source, cell, recommendation, independence, label, label_day FROM fresh
    ON CONFLICT (namespace, session_ref) DO UPDATE SET receipt_id = excluded.receipt_id, scored_at = excluded.scored_at,
      source_id = excluded.source_id, cell = excluded.cell, recommendation = excluded.recommendation, independence = excluded.independence,
      label = excluded.label, label_day = excluded.label_day
  )
  INSERT INTO score_distribution AS counted (namespace, day, source_id, cell, recommendation, label, label_day, sessions, independence)
  SELECT namespace, (at AT TIME ZONE 'UTC')::date, source, cell, recommendation, label, label_day, sum(change), sum(change * independence)
    FROM (SELECT namespace, at, source, cell, recommendation, independence, label, label_day, 1 AS change FROM fresh
          UNION ALL SELECT namespace, was_at, was_source, was_cell, was_recommendation, was_independence, was_label, was_label_day, -1 FROM fresh WHERE is_known) AS changes
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0 OR sum(change * independence) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (namespace, day, source_id, cell, recommendation, label, label_day) DO UPDATE
    SET sessions = counted.sessions + excluded.sessions, independence = counted.independence + excluded.independence;
END $$;

-- Gives sessions the current label of their outcomes. Sessions without a receipt are skipped: counting one looks here.
CREATE FUNCTION relabel_scored_sessions(namespaces text[], session_refs text[])
RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM lock_score_distribution(namespaces);
  WITH changed AS MATERIALIZED (
    SELECT was.namespace, was.session_ref, (was.scored_at AT TIME ZONE 'UTC')::date AS day, was.source_id, was.cell, was.recommendation, was.independence,
           was.label AS was_label, was.label_day AS was_label_day, current.label, current.label_day
      FROM (SELECT DISTINCT namespace, session FROM unnest(namespaces, session_refs) AS given (namespace, session)) AS named
      JOIN scored_sessions was ON was.namespace = named.namespace AND was.session_ref = named.session
      LEFT JOIN adjudications a ON a.namespace = named.namespace AND a.session_ref = named.session
      CROSS JOIN LATERAL (SELECT CASE WHEN a.fraud IS NULL THEN 'none' WHEN a.fraud THEN 'fraud' ELSE 'complete' END,
                                 coalesce((a.at AT TIME ZONE 'UTC')::date, '-infinity')) AS current (label, label_day)
     WHERE (was.label, was.label_day) IS DISTINCT FROM (current.label, current.label_day)
  ), written AS (
    UPDATE scored_sessions s SET label = changed.label, label_day = changed.label_day
      FROM changed WHERE s.namespace = changed.namespace AND s.session_ref = changed.session_ref
  )
  INSERT INTO score_distribution AS counted (namespace, day, source_id, cell, recommendation, label, label_day, sessions, independence)
  SELECT namespace, day, source_id, cell, recommendation, label, label_day, sum(change), sum(change * independence)
    FROM (SELECT namespace, day, source_id, cell, recommendation, independence, label, label_day, 1 AS change FROM changed
          UNION ALL SELECT namespace, day, source_id, cell, recommendation, independence, was_label, was_label_day, -1 FROM changed) AS changes
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0 OR sum(change * independence) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (namespace, day, source_id, cell, recommendation, label, label_day) DO UPDATE
    SET sessions = counted.sessions + excluded.sessions, independence = counted.independence + excluded.independence;
END $$;
