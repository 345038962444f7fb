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
  -- Its batch in the chain, and the salt of its digest there. The salt goes with the row: nobody can confirm a guess at what the digest stood for.
  batch_seq        bigint NOT NULL,
  salt             bytea NOT NULL,
  PRIMARY KEY (receipt_id, scored_at)
) PARTITION BY RANGE (scored_at);
-- A record is packed already, and of a size that is best kept in its row (the partitions raise the limit for that).
ALTER TABLE receipts ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE INDEX receipts_by_session ON receipts (namespace, session_ref, scored_at);

-- The end of each namespace's chain of receipts: how many were recorded, and their hash (docs/internals/adr/0021). Whoever adds to a chain locks its row.
CREATE TABLE receipt_chains (
  namespace   text PRIMARY KEY,
  seq         bigint NOT NULL DEFAULT 0,
  hash        bytea NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT '-infinity',
  -- The sequence number that the latest signed head covers, and the day that it ends.
  signed_seq  bigint NOT NULL DEFAULT 0,
  signed_day  date NOT NULL DEFAULT '-infinity'
);

-- The receipts of one batch and chain, in order. Digests outlive what they stand for, so that the chain stays verifiable.
CREATE TABLE receipt_batches (
  namespace   text NOT NULL,
  -- Sequence number of the first, and the hash before it.
  seq         bigint NOT NULL,
  previous    bytea NOT NULL,
  -- Never earlier than that of the batch before.
  recorded_at timestamptz NOT NULL,
  -- 16 bytes each, those of the receipt's id; zeros: the receipt was erased.
  ids         bytea NOT NULL,
  -- 32 bytes each.
  digests     bytea NOT NULL,
  PRIMARY KEY (namespace, seq)
);
ALTER TABLE receipt_batches ALTER COLUMN ids SET STORAGE EXTERNAL, ALTER COLUMN digests SET STORAGE EXTERNAL;
CREATE INDEX receipt_batches_by_time ON receipt_batches USING brin (recorded_at);

-- Signed ends of chains: one for each day (UTC) on which a chain grew.
CREATE TABLE receipt_heads (
  namespace text NOT NULL,
  day       date NOT NULL,
  seq       bigint NOT NULL,
  hash      bytea NOT NULL,
  signed_at timestamptz NOT NULL DEFAULT now(),
  jws       text NOT NULL,
  PRIMARY KEY (namespace, day)
);

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
CALL reserve_for_background_work('receipts', 'receipt_chains', 'receipt_batches', 'receipt_heads');

-- The writes of the consumer of receipts are functions: a connection plans their statements once, also behind a pooler that keeps no prepared ones
-- (docs/internals/adr/0003). Rows come as columns. Plans are kept from when the tables are empty, so where a function looks rows up they are held to
-- the indexes; otherwise a table that has grown would be read whole.

CREATE FUNCTION extend_chain(hash bytea, digests bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR place IN 0 .. length(digests) / 32 - 1 LOOP
    hash := sha256(hash || substr(digests, place * 32 + 1, 32));
  END LOOP;
  RETURN hash;
END $$;

-- Records receipts and adds them to the chains of their namespaces. Chains are locked in one order, before any receipt is looked at: a receipt that another writer
-- of its chain recorded is known then, and is not added again. Marks: 16 bytes of salt and 32 of the digest for each receipt. The last of a commit to be called, so that chains are locked for no longer than this.
CREATE FUNCTION record_receipts(
  ids text[], times_ms double precision[], organizations text[], namespaces text[], session_refs text[], subject_lists text[], known boolean[],
  records bytea[], seals bytea[], chain_names text[], marks bytea
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO receipt_chains (namespace, hash)
  SELECT DISTINCT name COLLATE "C", sha256(convert_to('verifyhuman receipts ' || name, 'UTF8')) FROM unnest(chain_names) AS name ORDER BY 1
  ON CONFLICT DO NOTHING;
  PERFORM FROM receipt_chains WHERE namespace = ANY (chain_names) ORDER BY namespace COLLATE "C" FOR UPDATE;

  WITH ends AS MATERIALIZED (
    SELECT namespace AS chain, seq, hash, recorded_at FROM receipt_chains WHERE namespace = ANY (chain_names)
  ), given AS MATERIALIZED (
    SELECT DISTINCT ON (id) *
      FROM unnest(ids, times_ms, organizations, namespaces, session_refs, subject_lists, known, records, seals, chain_names) WITH ORDINALITY
        AS given (id, at, organization, namespace, session, subjects, is_known, record, seal, chain, place)
     ORDER BY id
  ), fresh AS (
    INSERT INTO receipts (receipt_id, scored_at, organization_id, namespace, session_ref, subjects, respondent_known, record, seal, batch_seq, salt)
    SELECT id, to_timestamp(at / 1000), organization, namespace, session, string_to_array(subjects, ','), is_known, record, seal, seq + 1, substr(marks, place::int * 48 - 47, 16)
      FROM given JOIN ends USING (chain)
    ON CONFLICT DO NOTHING RETURNING receipt_id
  ), batches AS (
    SELECT chain, string_agg(decode(substr(id, 6), 'hex'), '' ORDER BY place) AS ids, string_agg(substr(marks, place::int * 48 - 31, 32), '' ORDER BY place) AS digests
      FROM fresh JOIN given ON id = receipt_id GROUP BY chain
  ), added AS (
    INSERT INTO receipt_batches AS b (namespace, seq, previous, recorded_at, ids, digests)
    SELECT chain, seq + 1, hash, greatest(recorded_at, clock_timestamp()), batches.ids, batches.digests FROM batches JOIN ends USING (chain)
    RETURNING b.*
  )
  UPDATE receipt_chains c
     SET seq = c.seq + length(added.digests) / 32, hash = extend_chain(added.previous, added.digests), recorded_at = added.recorded_at
    FROM added WHERE c.namespace = ANY (chain_names) AND c.namespace = added.namespace;
END $$;

-- Forgets in their chains the ids of receipts that were erased; one after the other, in one order.
CREATE FUNCTION forget_in_chains(erased_ids text[], chain_names text[], batch_seqs bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  erased record;
BEGIN
  FOR erased IN SELECT chain, seq, decode(substr(id, 6), 'hex') AS bits FROM unnest(erased_ids, chain_names, batch_seqs) AS given (id, chain, seq) ORDER BY chain COLLATE "C", seq LOOP
    UPDATE receipt_batches SET ids = forget_id(ids, erased.bits) WHERE namespace = erased.chain AND seq = erased.seq;
  END LOOP;
END $$;

-- Ids of 16 bytes each, of which the given one becomes zeros.
CREATE FUNCTION forget_id(ids bytea, bits bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR place IN 0 .. length(ids) / 16 - 1 LOOP
    IF substr(ids, place * 16 + 1, 16) = bits THEN RETURN overlay(ids PLACING decode(repeat('00', 16), 'hex') FROM place * 16 + 1 FOR 16); END IF;
  END LOOP;
  RETURN ids;
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
  late        bigint[];
  gone_ids    text[];
  gone_chains text[];
  gone_seqs   bigint[];
BEGIN
  INSERT INTO adjudication_work (namespace, session_ref)
  SELECT DISTINCT o.namespace, o.session_ref FROM unnest(namespaces, session_refs) AS scored (namespace, session)
    JOIN outcomes o ON o.namespace = scored.namespace AND o.session_ref = scored.session;

  SELECT array_agg(place) INTO late FROM unnest(projects, respondents, times_ms) WITH ORDINALITY AS scored (project, respondent, at, place)
    JOIN erased_respondents e ON e.project_id = scored.project AND e.subject_ref = scored.respondent AND to_timestamp(scored.at / 1000) <= e.erased_at;
  IF late IS NOT NULL THEN
    DELETE FROM watched_verdicts USING unnest(late) AS place
     WHERE namespace = namespaces[place::int] AND session_ref = session_refs[place::int];
    -- In the order in which they are indexed, so that writers never wait in a circle.
    PERFORM FROM session_index WHERE (namespace, session_ref) IN (SELECT namespaces[place::int], session_refs[place::int] FROM unnest(late) AS place)
      ORDER BY namespace, session_ref FOR UPDATE;
    DELETE FROM session_index USING unnest(late) AS place
     WHERE namespace = namespaces[place::int] AND session_ref = session_refs[place::int];
    WITH gone AS (
      DELETE FROM receipts r USING unnest(late) AS place
       WHERE r.receipt_id = ids[place::int] AND r.scored_at = to_timestamp(times_ms[place::int] / 1000) RETURNING r.*
    ) SELECT array_agg(gone.receipt_id), array_agg(gone.namespace), array_agg(gone.batch_seq) INTO gone_ids, gone_chains, gone_seqs FROM gone;
    PERFORM forget_in_chains(gone_ids, gone_chains, gone_seqs);
  END IF;
  RETURN ARRAY(SELECT ids[place::int] FROM unnest(late) AS place);
END $$;
