-- What the consumer of receipts writes, as functions: a connection plans their statements once, also behind a pooler that keeps no prepared ones
-- (docs/adr/0025). Rows come as columns. A change gets a new name: the version before calls these on.
--
-- Plans are kept from when the tables are empty, so they are held to the indexes; otherwise a table that has grown would be read whole.

-- Records and their seals are one byte string, cut up here: each record where it starts, its seal right after it.
CREATE FUNCTION record_receipts(
  ids text[], times_ms double precision[], organizations text[], namespaces text[], lineages text[], session_refs text[], scores smallint[],
  recommendations text[], subject_lists text[], known boolean[], packed bytea, starts integer[], lengths integer[], seal_lengths integer[], tests boolean[], demos boolean[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO receipts (receipt_id, scored_at, organization_id, project_id, lineage, session_ref, score, recommendation, subjects, respondent_known, record, seal, is_test, is_demo)
  SELECT id, to_timestamp(at / 1000), organization, namespace, lineage, session, score, recommendation, string_to_array(subjects, ','), is_known,
         substring(packed FROM start FOR length), substring(packed FROM start + length FOR seal_length), test, demo
    FROM unnest(ids, times_ms, organizations, namespaces, lineages, session_refs, scores, recommendations, subject_lists, known, starts, lengths, seal_lengths, tests, demos)
      AS given (id, at, organization, namespace, lineage, session, score, recommendation, subjects, is_known, start, length, seal_length, test, demo)
  ON CONFLICT DO NOTHING;
END $$;

-- Sessions in one order, so that writers wait for each other and never in a circle. Of several receipts of a session the latest counts.
CREATE FUNCTION index_sessions(
  organizations text[], namespaces text[], session_refs text[], session_ids text[], ids text[], times_ms double precision[], scores smallint[], recommendations text[],
  classes text[], bands text[], studies text[], sources text[], superseded text[], subject_lists text[], known boolean[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO session_index AS was (organization_id, project_id, session_ref, session_id, first_scored_at, receipt_id, scored_at, score, recommendation, verdict_class,
                                    duplicate_band, study_id, source_id, supersedes, subjects, respondent_known)
  SELECT DISTINCT ON (namespace, session) organization, namespace, session, session_id, to_timestamp(min(at) OVER (PARTITION BY namespace, session) / 1000), id,
         to_timestamp(at / 1000), score, recommendation, class, band, study, source, supersedes, string_to_array(subjects, ','), is_known
    FROM unnest(organizations, namespaces, session_refs, session_ids, ids, times_ms, scores, recommendations, classes, bands, studies, sources, superseded, subject_lists, known)
      AS given (organization, namespace, session, session_id, id, at, score, recommendation, class, band, study, source, supersedes, subjects, is_known)
   ORDER BY namespace, session, id COLLATE "C" DESC
  ON CONFLICT (project_id, session_ref) DO UPDATE SET
    first_scored_at  = least(was.first_scored_at, excluded.first_scored_at),
    receipt_id       = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.receipt_id ELSE was.receipt_id END,
    scored_at        = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.scored_at ELSE was.scored_at END,
    score            = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.score ELSE was.score END,
    recommendation   = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.recommendation ELSE was.recommendation END,
    verdict_class    = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.verdict_class ELSE was.verdict_class END,
    duplicate_band   = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.duplicate_band ELSE was.duplicate_band END,
    study_id         = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.study_id ELSE was.study_id END,
    source_id        = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.source_id ELSE was.source_id END,
    supersedes       = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.supersedes ELSE was.supersedes END,
    subjects         = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.subjects ELSE was.subjects END,
    respondent_known = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.respondent_known ELSE was.respondent_known END;
END $$;

-- What is seen only after receipts are committed: outcomes that came before their score can be carried into the history now, and
-- scores of respondents that were erased after them go. Namespaces are those of the rows, projects those that respondents were erased from.
CREATE FUNCTION settle_receipts(
  ids text[], times_ms double precision[], namespaces text[], session_refs text[], projects text[], respondents text[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  late bigint[];
BEGIN
  INSERT INTO adjudication_work (project_id, session_ref)
  SELECT DISTINCT o.project_id, o.session_ref FROM unnest(namespaces, session_refs) AS scored (namespace, session)
    JOIN outcomes o ON o.project_id = scored.namespace AND o.session_ref = scored.session;

  SELECT array_agg(place) INTO late FROM unnest(projects, respondents, times_ms) WITH ORDINALITY AS scored (project, respondent, at, place)
    JOIN erased_respondents e ON e.project_id = scored.project AND e.subject_ref = scored.respondent AND to_timestamp(scored.at / 1000) <= e.erased_at;
  IF late IS NOT NULL THEN
    DELETE FROM receipts USING unnest(late) AS place
     WHERE receipt_id = ids[place::int] AND scored_at = to_timestamp(times_ms[place::int] / 1000);
    DELETE FROM session_index USING unnest(late) AS place
     WHERE project_id = namespaces[place::int] AND session_ref = session_refs[place::int];
  END IF;
END $$;
