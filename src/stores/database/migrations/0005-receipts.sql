-- Receipts: what was scored, from which facts, with which result; the index of scored sessions; and who was erased.
-- A namespace is a project or an organization, and the mode of the key (proj_1~test).

-- One partition a day, made ahead by the consumer that writes them; retention drops whole partitions. The receipt's id carries its time, so
-- that a look-up names one day.
CREATE TABLE receipts (
  receipt_id       text NOT NULL,
  scored_at        timestamptz NOT NULL,
  organization_id  text NOT NULL,
  -- null: the receipt of an organization's key that names no project.
  namespace        text,
  session_ref      text NOT NULL,
  -- Whose history the session belongs to, project-wide, and whether a respondent is among them.
  subjects         text[] NOT NULL,
  respondent_known boolean NOT NULL,
  -- Sealed. Begins with the version of its format.
  record           bytea NOT NULL,
  seal             bytea NOT NULL,
  PRIMARY KEY (receipt_id, scored_at)
) PARTITION BY RANGE (scored_at);
-- A record is packed already, and of a size that is best kept in its row (the partitions raise the limit for that).
ALTER TABLE receipts ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE INDEX receipts_by_session ON receipts (namespace, session_ref, scored_at);

-- Scored sessions by the id that the caller gave them: each with its latest receipt, so that one is found, and a project's are listed, without a
-- scan of receipts. Receipts of a session lie between first_scored_at and the later of scored_at and changed_at.
CREATE TABLE session_index (
  organization_id  text NOT NULL,
  namespace        text NOT NULL,
  session_ref      text NOT NULL,
  session_id       text NOT NULL,
  first_scored_at  timestamptz NOT NULL,
  scored_at        timestamptz NOT NULL,
  -- When the latest receipt was written that no call asked for, because its verdict changed; null: there is none.
  changed_at       timestamptz,
  receipt_id       text NOT NULL,
  score            smallint NOT NULL,
  recommendation   text NOT NULL,
  verdict_class    text NOT NULL,
  duplicate_band   text NOT NULL,
  study_id         text,
  source_id        text,
  supersedes       text,
  -- Code of the strongest finding against the session; null without one.
  top_reason       text,
  -- Whose history the session belongs to: an outcome finds it without a look at receipts.
  subjects         text[] NOT NULL,
  respondent_known boolean NOT NULL,
  PRIMARY KEY (namespace, session_ref)
);
CREATE INDEX session_index_by_receipt ON session_index (namespace, receipt_id);
CREATE INDEX session_index_by_study ON session_index (namespace, study_id, receipt_id) WHERE study_id IS NOT NULL;
CREATE INDEX session_index_by_source ON session_index (namespace, source_id, receipt_id) WHERE source_id IS NOT NULL;
CREATE INDEX session_index_by_time ON session_index USING brin (scored_at);

-- Erased respondents, by the keyed hash in their receipts: a receipt that was scored before and is recorded later, out of the log, the
-- spool or a dead letter, is erased as it comes. Kept for as long as receipts are.
CREATE TABLE erased_respondents (
  project_id  text NOT NULL,
  subject_ref text NOT NULL,
  erased_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, subject_ref)
);
CREATE INDEX erased_respondents_by_time ON erased_respondents (erased_at);

-- Sessions of projects that want to hear of changed verdicts (config.verdictChangedDays): which receipt they know, and when to look again.
CREATE TABLE watched_verdicts (
  organization_id text NOT NULL,
  namespace       text NOT NULL,
  session_ref     text NOT NULL,
  -- The receipt whose verdict is known, and the latest that a call got. Where the latter is later, the call said something new.
  known_id        text NOT NULL,
  called_id       text NOT NULL,
  -- An outcome about either leads to another look.
  respondent_ref  text,
  device_ref      text,
  -- Time of the first score.
  scored_at       timestamptz NOT NULL,
  -- null: nothing has changed.
  due_at          timestamptz,
  -- The day of the last look (UTC), and how many there were on it.
  checked_on      date,
  checks          integer NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, session_ref)
);
CREATE INDEX watched_verdicts_by_respondent ON watched_verdicts (namespace, respondent_ref, scored_at) WHERE respondent_ref IS NOT NULL;
CREATE INDEX watched_verdicts_by_device ON watched_verdicts (namespace, device_ref, scored_at) WHERE device_ref IS NOT NULL;
CREATE INDEX watched_verdicts_due ON watched_verdicts (namespace, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX watched_verdicts_by_time ON watched_verdicts USING brin (scored_at);

CALL isolate_organizations('session_index', 'watched_verdicts');
CALL reserve_for_background_work('receipts');

-- The writes of the consumer of receipts are functions: a connection plans their statements once, also behind a pooler that keeps no prepared ones
-- (docs/internals/adr/0003). Rows come as columns. Plans are kept from when the tables are empty, so where a function looks rows up they are held to
-- the indexes; otherwise a table that has grown would be read whole.

CREATE FUNCTION record_receipts(
  ids text[], times_ms double precision[], organizations text[], namespaces text[], session_refs text[], subject_lists text[], known boolean[],
  records bytea[], seals bytea[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO receipts (receipt_id, scored_at, organization_id, namespace, session_ref, subjects, respondent_known, record, seal)
  SELECT id, to_timestamp(at / 1000), organization, namespace, session, string_to_array(subjects, ','), is_known, record, seal
    FROM unnest(ids, times_ms, organizations, namespaces, session_refs, subject_lists, known, records, seals)
      AS given (id, at, organization, namespace, session, subjects, is_known, record, seal)
  ON CONFLICT DO NOTHING;
END $$;

-- Sessions in one order, so that writers wait for each other and never in a circle. The latest of several receipts of a session counts.
CREATE FUNCTION index_sessions(
  organizations text[], namespaces text[], session_refs text[], session_ids text[], ids text[], times_ms double precision[], scores integer[], recommendations text[],
  classes text[], bands text[], studies text[], sources text[], superseded text[], reasons text[], subject_lists text[], known boolean[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO session_index AS was (organization_id, namespace, session_ref, session_id, first_scored_at, receipt_id, scored_at, score, recommendation, verdict_class,
                                    duplicate_band, study_id, source_id, supersedes, top_reason, subjects, respondent_known)
  SELECT DISTINCT ON (namespace, session) organization, namespace, session, session_id, to_timestamp(min(at) OVER (PARTITION BY namespace, session) / 1000), id,
         to_timestamp(at / 1000), score, recommendation, class, band, study, source, supersedes, reason, string_to_array(subjects, ','), is_known
    FROM unnest(organizations, namespaces, session_refs, session_ids, ids, times_ms, scores, recommendations, classes, bands, studies, sources, superseded, reasons, subject_lists, known)
      AS given (organization, namespace, session, session_id, id, at, score, recommendation, class, band, study, source, supersedes, reason, subjects, is_known)
   ORDER BY namespace, session, id COLLATE "C" DESC
  ON CONFLICT (namespace, session_ref) DO UPDATE SET
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
    top_reason       = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.top_reason ELSE was.top_reason END,
    subjects         = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.subjects ELSE was.subjects END,
    respondent_known = CASE WHEN excluded.receipt_id > was.receipt_id THEN excluded.respondent_known ELSE was.respondent_known END;
END $$;

-- Watches live sessions of the projects that want it; a later call's receipt is due for a look. Namespaces of other modes are no project's id.
CREATE FUNCTION watch_verdicts(
  organizations text[], namespaces text[], session_refs text[], ids text[], times_ms double precision[], respondents text[], devices text[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT unnest(namespaces)) AS named (project) JOIN projects p ON p.project_id = named.project
                  WHERE (p.fields #>> '{config,verdictChangedDays}')::integer > 0) THEN RETURN; END IF;
  INSERT INTO watched_verdicts (organization_id, namespace, session_ref, known_id, called_id, respondent_ref, device_ref, scored_at)
  SELECT DISTINCT ON (namespace, session) organization, namespace, session, id, id, respondent, device, to_timestamp(at / 1000)
    FROM unnest(organizations, namespaces, session_refs, ids, times_ms, respondents, devices)
      AS given (organization, namespace, session, id, at, respondent, device)
    JOIN projects p ON p.project_id = namespace
   WHERE (p.fields #>> '{config,verdictChangedDays}')::integer > 0
   ORDER BY namespace, session, id COLLATE "C"
  ON CONFLICT DO NOTHING;
  UPDATE watched_verdicts w SET called_id = latest.id, respondent_ref = latest.respondent, device_ref = latest.device, due_at = coalesce(w.due_at, now())
    FROM (SELECT DISTINCT ON (namespace, session) namespace, session, id, respondent, device
            FROM unnest(namespaces, session_refs, ids, respondents, devices) AS given (namespace, session, id, respondent, device)
           ORDER BY namespace, session, id COLLATE "C" DESC) AS latest
   WHERE w.namespace = latest.namespace AND w.session_ref = latest.session AND w.called_id COLLATE "C" < latest.id;
END $$;

-- Applies effects that are visible only after receipts are committed: outcomes that came before their score count in the history now, and scores of
-- respondents that were erased after them are deleted; their ids are the result. Namespaces are those of the rows, projects those that respondents were erased from.
CREATE FUNCTION settle_receipts(
  ids text[], times_ms double precision[], namespaces text[], session_refs text[], projects text[], respondents text[]
) RETURNS text[] LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  late bigint[];
BEGIN
  INSERT INTO adjudication_work (namespace, session_ref)
  SELECT DISTINCT o.namespace, o.session_ref FROM unnest(namespaces, session_refs) AS scored (namespace, session)
    JOIN outcomes o ON o.namespace = scored.namespace AND o.session_ref = scored.session;

  SELECT array_agg(place) INTO late FROM unnest(projects, respondents, times_ms) WITH ORDINALITY AS scored (project, respondent, at, place)
    JOIN erased_respondents e ON e.project_id = scored.project AND e.subject_ref = scored.respondent AND to_timestamp(scored.at / 1000) <= e.erased_at;
  IF late IS NOT NULL THEN
    DELETE FROM receipts USING unnest(late) AS place
     WHERE receipt_id = ids[place::int] AND scored_at = to_timestamp(times_ms[place::int] / 1000);
    DELETE FROM watched_verdicts USING unnest(late) AS place
     WHERE namespace = namespaces[place::int] AND session_ref = session_refs[place::int];
    DELETE FROM session_index USING unnest(late) AS place
     WHERE namespace = namespaces[place::int] AND session_ref = session_refs[place::int];
  END IF;
  RETURN ARRAY(SELECT ids[place::int] FROM unnest(late) AS place);
END $$;
