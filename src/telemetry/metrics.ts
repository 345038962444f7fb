/** Every metric of the service, in one registry that the caller makes. docs/metrics.md lists them; a test ties the two. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { dashboardMetrics, primeSeries, createMakers, type Makers } from './dashboard-metrics.js';
import { shareMetrics } from './share-metrics.js';

/** How often the delay of the event loop is taken. It costs a timer: at the library’s 10 ms, most of what wakes an idle process. */
const loopDelayEveryMs = 100;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const makers = createMakers(registry);
  const { histogram, counter, gauge } = makers;

  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopDelayEveryMs });
  const metrics = {
    registry,
    /** Called before each scrape, for values that are read rather than counted. */
    beforeScrape: [] as (() => void)[],
    httpRequests: histogram(
      'vh_http_request_seconds',
      'Time from a request’s headers to the end of its answer, by route and status.',
      ['route', 'status'],
    ),
    forwardingIgnored: counter(
      'vh_forwarding_ignored_total',
      'Requests whose X-Forwarded-For or Forwarded was not believed, by reason: untrusted (VH_TRUSTED_PROXIES does not name the sender), malformed, contradictory.',
      ['reason'],
    ),
    requestsShed: counter('vh_requests_shed_total', 'Requests refused because the process was overloaded.'),
    scoreStage: histogram('vh_score_stage_seconds', 'Time of one stage of a score: gather, count, judge, receipt.', [
      'stage',
    ]),
    scores: counter('vh_scores_total', 'Scores answered, by recommendation.', ['recommendation']),
    scoreReplays: counter('vh_score_replays_total', 'Identical retries that were answered with the first receipt.'),
    degraded: counter('vh_degraded_signals_total', 'Degraded signals in answered scores.', ['signal']),
    probes: counter('vh_probes_total', 'Probes received, by result.', ['result']),
    poolQueue: gauge('vh_pool_queue', 'Scoring tasks that wait for a thread.'),
    poolBusy: gauge('vh_pool_busy', 'Batches that threads work on.'),
    poolRejected: counter(
      'vh_pool_rejected_total',
      'Tasks refused because the queue was full, a thread died or the deadline passed.',
      ['reason'],
    ),
    poolHere: counter(
      'vh_pool_done_here_total',
      'Tasks done on the calling thread, because those that waited were not worth a hand-over.',
    ),
    poolBatch: new Histogram({
      name: 'vh_pool_batch_tasks',
      help: 'Tasks in one hand-over to a thread.',
      buckets: [1, 2, 4, 8, 16, 32],
      registers: [registry],
    }),
    receiptsRecorded: counter('vh_receipts_recorded_total', 'Receipts written to the database by the consumers.'),
    outcomes: counter('vh_outcome_events_total', 'Outcome events received, by result.', ['result']),
    ...lossMetrics(makers),
    ...verificationMetrics(makers),
    ...faceMetrics(makers),
    ...studyMetrics(makers),
    ...logMetrics(makers),
    ...eventMetrics(makers),
    changeFeedAge: gauge(
      'vh_change_feed_age_seconds',
      'Time since this process knew of every change to keys, projects and organizations; under a second where the database answers.',
    ),
    storeUp: gauge('vh_store_up', '1 while a store answers and takes writes, else 0.', ['store']),
    storeFailures: counter('vh_store_failures_total', 'Calls that a store did not answer.', ['store']),
    ...shareMetrics(makers),
    ...dashboardMetrics(makers),
  };
  primeSeries(metrics);
  return metrics;
}

/** What verification counts. */
function verificationMetrics({ counter, histogram }: Makers) {
  return {
    sessionsCreated: counter('vh_sessions_created_total', 'Verification sessions created, by mode: live or demo.', [
      'mode',
    ]),
    sessionProofs: counter(
      'vh_session_proofs_total',
      'Proofs of work of addresses that make many sessions, by result: asked, solved, or refused (wrong, expired, or spent before).',
      ['result'],
    ),
    verifications: counter('vh_verifications_total', 'Verifications completed, by status and mode.', [
      'status',
      'mode',
    ]),
    verifyStage: histogram(
      'vh_verify_stage_seconds',
      'Time of one stage of a verification: pictures, compare, verdict, record.',
      ['stage'],
    ),
    pictureJudgements: counter(
      'vh_picture_judgements_total',
      'Captures whose pictures were to be judged, by result: judged, or refused (the queue was full, the deadline passed, a thread died).',
      ['result'],
    ),
    tokenVerifications: counter(
      'vh_token_verifications_total',
      'verificationTokens validated, by result: ok or the error.',
      ['result'],
    ),
    accessTokens: counter(
      'vh_access_tokens_total',
      'Answers of the token endpoint, by result: issued, the OAuth error, or failed (a limit, a store that is away).',
      ['result'],
    ),
    wrongClientSecrets: counter('vh_wrong_client_secrets_total', 'Calls with a wrong or missing client secret.'),
  };
}

/** Of records on their way from a score to the database. */
function logMetrics({ counter, gauge }: Makers) {
  return {
    consumerTickAge: gauge(
      'vh_consumer_tick_age_seconds',
      'Time since a consumer last took a batch of records, or found none that waited.',
      ['group'],
    ),
    deadLetters: counter(
      'vh_dead_letters_total',
      'Records of the log that a consumer could not take and set aside, also once more when they were played again in vain.',
      ['group'],
    ),
    deadLettersKept: gauge('vh_dead_letters', 'Records that were set aside and not played again since.', ['group']),
    deadLettersOldest: gauge('vh_dead_letters_oldest_seconds', 'Age of the oldest of them; 0 where there is none.', [
      'group',
    ]),
    spoolBytes: gauge('vh_spool_bytes', 'Receipts that wait in the local spool for the log to come back, in bytes.'),
    spoolEntries: counter(
      'vh_spool_entries_total',
      'Receipts that went to the spool (spooled) and from it into the log (replayed).',
      ['event'],
    ),
    retentionWaits: gauge(
      'vh_retention_waits',
      '1 while records past their lifetime are kept until an operator allows their deletion, by what they are.',
      ['what'],
    ),
    spoolKept: gauge(
      'vh_spool_kept_files',
      'Files kept next to the spool: records that were damaged, or that the log refused, wait there for an operator.',
    ),
    spoolKeptOldest: gauge(
      'vh_spool_kept_oldest_seconds',
      'Time since the oldest file kept next to the spool was written; 0 if there is none.',
    ),
  };
}

/** Of events on their way from a session to its customer. */
function eventMetrics({ counter, gauge }: Makers) {
  return {
    outboxOldest: gauge(
      'vh_outbox_oldest_seconds',
      'Age of the oldest event of a session that the log or the webhooks have not taken yet; 0 where none waits.',
    ),
    outboxEvents: counter(
      'vh_outbox_events_total',
      'Events of sessions handed to the log: at once (published), or later or once more by the sweeper (swept).',
      ['event'],
    ),
    monitoringFlags: counter('vh_monitoring_flags_total', 'Flags raised of sessions, by event and type of the flag.', [
      'event',
      'type',
    ]),
    monitoringMissed: counter(
      'vh_monitoring_missed_total',
      'Messages of the probe that were kept and could not be looked at for flags.',
    ),
    webhookAttempts: counter(
      'vh_webhook_attempts_total',
      'Attempts to deliver to webhooks, by outcome: succeeded, failed (to be repeated), exhausted.',
      ['outcome'],
    ),
    webhookInFlight: gauge('vh_webhook_in_flight', 'Requests to webhooks that are under way.'),
    webhookOldestDue: gauge(
      'vh_webhook_oldest_due_seconds',
      'How long the oldest due delivery has been waiting, parked and disabled endpoints left aside.',
    ),
    webhookParked: gauge('vh_webhook_parked_endpoints', 'Webhooks whose deliveries wait because they keep failing.'),
  };
}

/** Of what falls behind or is lost, and comes back. */
function lossMetrics({ counter, gauge }: Makers) {
  return {
    rebuilds: counter(
      'vh_rebuilds_total',
      'Projects brought back into the counters from the database, by result: done, taken (another process is at it), interrupted (the store lost something again), behind (the consumers had not recorded what the log held within half a minute), failed.',
      ['result'],
    ),
    logLag: gauge(
      'vh_log_lag_entries',
      'Entries of the log that a consumer group has not read yet, as a process of the group saw it last; 0 where it keeps up.',
      ['group'],
    ),
    logLost: counter(
      'vh_log_lost_entries_total',
      'Entries of the log that were deleted at the end of their retention before a consumer group had read them. Never anything but 0 in a sound installation.',
      ['group'],
    ),
    logReplicasMissing: gauge(
      'vh_log_replicas_missing',
      'Replicas that topics made while Kafka’s brokers were away lack against the brokers that stand now; they are added by and by.',
    ),
    restoredSessions: counter('vh_restored_sessions_total', 'Sessions that were counted again in rebuilds.'),
  };
}

/** What fielding counts. */
function studyMetrics({ counter }: Makers) {
  return {
    studyEntries: counter(
      'vh_study_entries_total',
      'Visits of entry links, by what they were answered: passed (to the verification or the survey), or the page.',
      ['result'],
    ),
    studyReturns: counter('vh_study_returns_total', 'Returns from surveys, by the page that they were answered.', [
      'result',
    ]),
    reservationsReleased: counter(
      'vh_quota_reservations_released_total',
      'Quota reservations of studies released because they expired.',
    ),
  };
}

/** What the comparison of faces counts. */
function faceMetrics({ counter, gauge, histogram }: Makers) {
  return {
    faceComparisons: counter(
      'vh_face_comparisons_total',
      'Sessions whose face was to be compared, by result: unique, returning, duplicate, not_compared; refused and unknown_model say why one was not.',
      ['result'],
    ),
    faceReuse: counter(
      'vh_face_reuse_total',
      'Sessions by whether others of the organization passed with nearly their face within 24 hours: new, reused, not_compared. crowded: more faces were alike than are looked at, and the oldest were left out.',
      ['result'],
    ),
    faceSearch: histogram('vh_face_search_seconds', 'Time of one search of the index of faces, waiting included.'),
    faceIndexReady: gauge(
      'vh_face_index_ready',
      '1 once the index of faces of this process is filled, or where no face model is configured; 0 while it is being filled.',
    ),
    faceIndexSize: gauge('vh_face_index_templates', 'Faces in the index of this process.'),
    faceIndexBytes: gauge('vh_face_index_bytes', 'Memory of the index of faces.'),
    faceIndexAge: gauge(
      'vh_face_index_age_seconds',
      'Time since the index of faces last took over what others changed.',
    ),
    embeddingsUnreadable: counter(
      'vh_embeddings_unreadable_total',
      'Stored embeddings that did not open, and were left out of a comparison or of the index.',
    ),
  };
}
