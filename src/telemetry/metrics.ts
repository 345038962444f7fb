/** Every metric of the service, in one registry that the caller makes. docs/reference/metrics.md lists them; a test ties the two. */
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { createFailurePrimer, dashboardMetrics, primeSeries, createMakers, type Makers } from './dashboard-metrics.js';
import { shareMetrics } from './share-metrics.js';

/** How often the delay of the event loop is taken. It costs a timer: at the library’s 10 ms, most of what wakes an idle process. */
const loopDelayEveryMs = 100;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const makers = createMakers(registry);
  const { histogram, counter, gauge } = makers;

  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopDelayEveryMs });
  const httpRequests = histogram('vh_http_request_seconds', 'Request duration by route and status.', [
    'route',
    'status',
  ]);
  const metrics = {
    registry,
    /** Called before each scrape, for values that are read rather than counted. */
    beforeScrape: [] as (() => void)[],
    httpRequests,
    /** Called with the route of each answer, before it is counted. */
    primeFailures: createFailurePrimer(httpRequests),
    forwardingIgnored: counter(
      'vh_forwarding_ignored_total',
      'Requests with an ignored X-Forwarded-For or Forwarded header, by reason: untrusted (sender not in VH_TRUSTED_PROXIES), malformed, contradictory.',
      ['reason'],
    ),
    requestsShed: counter('vh_requests_shed_total', 'Requests refused because the process was overloaded.'),
    scoreStage: histogram(
      'vh_score_stage_seconds',
      'Duration of one stage of a score: gather, count, judge, receipt.',
      ['stage'],
    ),
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
      'Tasks run on the main thread, because too few waited for a hand-over.',
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
      'Seconds since the last sync of keys, projects and organizations; under one second in a healthy process.',
    ),
    storeUp: gauge('vh_store_up', '1 while a store answers and takes writes, else 0.', ['store']),
    storeFailures: counter('vh_store_failures_total', 'Calls that a store did not answer.', ['store']),
    ...shareMetrics(makers),
    ...dashboardMetrics(makers),
  };
  primeSeries(metrics);
  return metrics;
}

/** Counts verifications. */
function verificationMetrics({ counter, histogram }: Makers) {
  return {
    sessionsCreated: counter('vh_sessions_created_total', 'Verification sessions created, by mode: live or demo.', [
      'mode',
    ]),
    sessionProofs: counter(
      'vh_session_proofs_total',
      'Proofs of work for addresses with many sessions, by result: asked, solved, or refused (wrong, expired or reused).',
      ['result'],
    ),
    verifications: counter('vh_verifications_total', 'Verifications completed, by status and mode.', [
      'status',
      'mode',
    ]),
    verifyStage: histogram(
      'vh_verify_stage_seconds',
      'Duration of one stage of a verification: pictures, compare, verdict, record.',
      ['stage'],
    ),
    pictureJudgements: counter(
      'vh_picture_judgements_total',
      'Captures with pictures to check, by result: judged, or refused (queue full, deadline passed, thread died).',
      ['result'],
    ),
    tokenVerifications: counter('vh_token_verifications_total', 'Tokens validated, by result: ok or the error.', [
      'result',
    ]),
    accessTokens: counter(
      'vh_access_tokens_total',
      'Token endpoint responses by result: issued, an OAuth error, or failed (limit or store unavailable).',
      ['result'],
    ),
    wrongClientSecrets: counter('vh_wrong_client_secrets_total', 'Calls with a wrong or missing client secret.'),
  };
}

/** Measures records on their way from a score to the database. */
function logMetrics({ counter, gauge, gaugeOnceSet }: Makers) {
  return {
    consumerTickAge: gauge(
      'vh_consumer_tick_age_seconds',
      'Seconds since a consumer last read a batch or found none.',
      ['group'],
    ),
    deadLetters: counter('vh_dead_letters_total', 'Log records that a consumer set aside, including failed replays.', [
      'group',
    ]),
    deadLettersKept: gauge('vh_dead_letters', 'Dead letters that wait for a replay.', ['group']),
    deadLettersOldest: gauge('vh_dead_letters_oldest_seconds', 'Age of the oldest dead letter; 0 if there is none.', [
      'group',
    ]),
    spoolBytes: gauge('vh_spool_bytes', 'Bytes of receipts in the local spool while the event log is unavailable.'),
    spoolEntries: counter(
      'vh_spool_entries_total',
      'Receipts written to the spool (spooled) or from it to the event log (replayed).',
      ['event'],
    ),
    retentionWaits: gauge(
      'vh_retention_waits',
      '1 while expired records wait for an operator to approve their deletion, by kind of record.',
      ['what'],
    ),
    diskFree: gaugeOnceSet(
      'vh_disk_free_bytes',
      'Free bytes of the disk of VH_DATA_DIR, of a process that writes to it.',
    ),
    spoolKept: gauge(
      'vh_spool_kept_files',
      'Files next to the spool with damaged or refused records, which wait for an operator.',
    ),
    spoolKeptOldest: gauge(
      'vh_spool_kept_oldest_seconds',
      'Age of the oldest file next to the spool; 0 if there is none.',
    ),
  };
}

/** Measures events on their way from a session to its customer. */
function eventMetrics({ counter, gauge, gaugeOnceSet }: Makers) {
  return {
    outboxOldest: gaugeOnceSet(
      'vh_outbox_oldest_seconds',
      'Age of the oldest session event that is not published yet; 0 if none waits.',
    ),
    outboxEvents: counter(
      'vh_outbox_events_total',
      'Session events written to the event log: immediately (published) or later by the sweeper (swept).',
      ['event'],
    ),
    monitoringFlags: counter('vh_monitoring_flags_total', 'Session flags by event and type.', ['event', 'type']),
    monitoringMissed: counter(
      'vh_monitoring_missed_total',
      'Stored probe messages that could not be checked for flags.',
    ),
    verdictsChanged: counter(
      'vh_verdicts_changed_total',
      'Verdicts that changed after they were given, by the new recommendation.',
      ['to'],
    ),
    webhookAttempts: counter(
      'vh_webhook_attempts_total',
      'Webhook delivery attempts by outcome: succeeded, failed (will retry), exhausted.',
      ['outcome'],
    ),
    webhookInFlight: gauge('vh_webhook_in_flight', 'Webhook requests in flight.'),
    webhookOldestDue: gaugeOnceSet(
      'vh_webhook_oldest_due_seconds',
      'Age of the oldest due delivery, without parked and disabled endpoints.',
    ),
    webhookParked: gaugeOnceSet(
      'vh_webhook_parked_endpoints',
      'Webhooks whose deliveries wait because they keep failing.',
    ),
  };
}

/** Counts delayed, lost and restored data. */
function lossMetrics({ counter, gauge }: Makers) {
  return {
    rebuilds: counter(
      'vh_rebuilds_total',
      'Counter recoveries by result: done, taken (by another process), interrupted (counters lost again), behind (consumers lagged over 30 s), failed.',
      ['result'],
    ),
    logLag: gauge(
      'vh_log_lag_entries',
      'Entries of the event log that a consumer group has not read yet; 0 if it keeps up.',
      ['group'],
    ),
    logLost: counter(
      'vh_log_lost_entries_total',
      'Entries of the event log that expired before a consumer group read them. Must stay 0.',
      ['group'],
    ),
    logReplicasMissing: gauge(
      'vh_log_replicas_missing',
      'Missing replicas of topics that were created while brokers were down; they are added gradually.',
    ),
    restoredSessions: counter('vh_restored_sessions_total', 'Sessions counted again by counter recoveries.'),
  };
}

/** Counts events of studies. */
function studyMetrics({ counter }: Makers) {
  return {
    studyEntries: counter(
      'vh_study_entries_total',
      'Entry link visits by result: passed (to verification or survey), or the page shown.',
      ['result'],
    ),
    studyReturns: counter('vh_study_returns_total', 'Returns from surveys, by the page shown.', ['result']),
    reservationsReleased: counter(
      'vh_quota_reservations_released_total',
      'Quota reservations of studies released because they expired.',
    ),
  };
}

/** Measures the comparison of faces. */
function faceMetrics({ counter, gauge, histogram }: Makers) {
  return {
    faceComparisons: counter(
      'vh_face_comparisons_total',
      'Face comparisons by result: unique, returning, duplicate, not_compared, or the reason refused or unknown_model.',
      ['result'],
    ),
    faceReuse: counter(
      'vh_face_reuse_total',
      'Faces compared with the last 24 hours of an organization, by result: new, reused, not_compared, or crowded (the oldest similar faces were skipped).',
      ['result'],
    ),
    faceSearch: histogram('vh_face_search_seconds', 'Duration of one face index search, including the wait.'),
    faceIndexReady: gauge(
      'vh_face_index_ready',
      '1 if the face index of this process is filled or no face model is configured; 0 while it fills.',
    ),
    faceIndexSize: gauge('vh_face_index_templates', 'Faces in this process’s index.'),
    faceIndexBytes: gauge('vh_face_index_bytes', 'Memory of the face index.'),
    faceIndexAge: gauge('vh_face_index_age_seconds', 'Seconds since the face index last read changes.'),
    embeddingsUnreadable: counter(
      'vh_embeddings_unreadable_total',
      'Stored embeddings that could not be decrypted and were skipped.',
    ),
  };
}
