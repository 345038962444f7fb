import type { Board } from './panel.js';
import { largest, of, orNone, quantileBy, rate, rateBy, rateByOrNone } from './queries.js';

export const stores: Board = {
  name: 'stores',
  title: 'stores and log',
  rows: {
    Stores: [
      {
        title: 'Unavailable stores',
        about:
          'Processes that a store does not answer, or where it takes no writes. counters: Redis. log: Kafka. /readyz names the cause.',
        unit: 'short',
        red: 1,
        series: [{ query: `sum by (store) (1 - ${of('vh_store_up')})`, legend: '{{store}}' }],
      },
      {
        title: 'PostgreSQL, p99',
        about:
          'By pool and kind of call, with the wait for a connection. Slow while connections wait: too few of them. Slow while none waits: PostgreSQL, its disk or cores.',
        unit: 's',
        series: quantileBy(0.99, 'vh_database_seconds', 'pool, kind'),
      },
      {
        title: 'Redis and the event log in a score, p99',
        about:
          'count: the call of Redis. receipt: the append to the event log, or to the spool if the log is slow. The one that rises delays each score: check its machine and network.',
        unit: 's',
        series: quantileBy(0.99, 'vh_score_stage_seconds', 'stage', 'stage=~"count|receipt"'),
      },
      {
        title: 'Connections to PostgreSQL',
        about: 'waiting above 0 for long: PostgreSQL is slow, or VH_DATABASE_CONNECTIONS is too small.',
        unit: 'short',
        series: [
          {
            query: orNone(`sum by (pool, state) (${of('vh_database_connections')})`, 'pool', 'embedded database'),
            legend: '{{pool}} {{state}}',
          },
        ],
      },
      {
        title: 'Failed calls to Redis and PostgreSQL a second',
        about:
          'Calls that a store refused or did not answer in time. counters: Redis, above 0.4 s. For the event log, see the spool.',
        unit: 'reqps',
        series: [
          ...rateBy('vh_store_failures_total', 'store'),
          { query: rate('vh_database_failures_total', 'pool'), legend: 'database, {{pool}}' },
        ],
      },
      {
        title: 'Age of cached keys and projects',
        about:
          'Under a second in a healthy process. Growing: the database does not answer, and revoked keys still work.',
        unit: 's',
        red: 5,
        series: largest('vh_change_feed_age_seconds', 'instance'),
      },
      {
        title: 'Counter recoveries a second, by result',
        about: 'After Redis lost data, each project is restored from the database. behind: add consumers.',
        unit: 'ops',
        series: [
          ...rateByOrNone('vh_rebuilds_total', 'result'),
          { query: rate('vh_restored_sessions_total'), legend: 'sessions' },
        ],
      },
    ],
    'From a score to the database': [
      {
        title: 'Scored and recorded a second',
        about: 'The lines match while the consumers keep up. recorded at 0: no consumers process works.',
        unit: 'reqps',
        series: [
          { query: rate('vh_scores_total'), legend: 'scored' },
          { query: rate('vh_receipts_recorded_total'), legend: 'recorded' },
        ],
      },
      {
        title: 'Entries of the event log not yet read',
        about: 'By consumer group. Growing: start another consumers process. Empty, or a line that ends: none runs.',
        unit: 'short',
        red: 100_000,
        series: largest('vh_log_lag_entries', 'group'),
      },
      {
        title: 'Time since a consumer took records',
        about: 'Above a minute the consumer hangs or waits for a store. A line that ends: its process is down.',
        unit: 's',
        red: 60,
        series: largest('vh_consumer_tick_age_seconds', 'group'),
      },
      {
        title: 'Spool in use',
        about:
          'Share of VH_SPOOL_BYTES_MAX. It fills while the event log is unavailable or slow. Scores get 503 if it is full. Repair the event log. Empty: an embedded log needs no spool.',
        unit: 'percentunit',
        red: 0.5,
        series: [
          {
            query: `max by (instance) (${of('vh_spool_bytes')} / ${of('vh_spool_bytes_max')})`,
            legend: '{{instance}}',
          },
        ],
      },
      {
        title: 'Free disk of the data directory',
        about:
          'Of VH_DATA_DIR, by process. If it is full, the spool and the embedded stores take nothing, and scores get 503. Below the line, VerifyHumanDiskFills fires.',
        unit: 'bytes',
        redBelow: 1_073_741_824,
        series: [{ query: `min by (instance) (${of('vh_disk_free_bytes')})`, legend: '{{instance}}' }],
      },
      {
        title: 'Receipts through the spool a second',
        about: 'spooled: the event log took more than 0.5 s. If the disk takes more than 1 s too, the score gets 503.',
        unit: 'reqps',
        series: rateBy('vh_spool_entries_total', 'event'),
      },
      {
        title: 'Time until the spool is full',
        about:
          'At the rate of the last 10 minutes. Repair the event log before that. A day, named so, while no spool grows.',
        unit: 's',
        series: [
          {
            query: `(${of('vh_spool_bytes_max')} - ${of('vh_spool_bytes')}) / (deriv(${of('vh_spool_bytes')}[10m]) > 0) and ${of('vh_spool_bytes')} > 0 or on() label_replace(vector(86400), "instance", "no spool grows", "", "")`,
            legend: '{{instance}}',
          },
        ],
      },
      {
        title: 'Age of outcomes that scoring does not see yet',
        about:
          'adjudications and history are steps on the way. Minutes at most. Above the line, VerifyHumanHistoryBehind fires.',
        unit: 's',
        red: 300,
        series: largest('vh_backlog_oldest_seconds', 'kind', 'kind=~"adjudications|history"'),
      },
      {
        title: 'Outcomes that match no session',
        about: 'A customer sends other ids than it scores with. Ask which sessionId it sends.',
        unit: 'short',
        red: 100,
        series: largest('vh_backlog', 'kind', 'kind="outcomes"'),
      },
    ],
    'Waits for an operator': [
      {
        title: 'Dead letters',
        about: 'Records that a consumer could not take. npm run admin -- dead-letters shows the reason.',
        unit: 'short',
        red: 1,
        series: largest('vh_dead_letters', 'group'),
      },
      {
        title: 'Log entries lost in the last hour',
        about:
          'They expired before they were read. Always 0 in a healthy installation. VerifyHumanLogLost says what to do.',
        unit: 'short',
        red: 1,
        series: [{ query: `sum by (group) (increase(${of('vh_log_lost_entries_total')}[1h]))`, legend: '{{group}}' }],
      },
      {
        title: 'Deletions that wait for approval',
        about: '1: records were due for deletion more than a week ago. Check the clock of the database, then approve.',
        unit: 'short',
        red: 1,
        series: largest('vh_retention_waits', 'what'),
      },
      {
        title: 'Files kept next to the spool',
        about: 'Receipts that were damaged or refused. The process log names the file.',
        unit: 'short',
        red: 1,
        series: [{ query: `sum by (instance) (${of('vh_spool_kept_files')})`, legend: '{{instance}}' }],
      },
    ],
  },
};
