import type { Board } from './panel.js';
import { largest, of, quantileBy, rate, rateBy } from './queries.js';

export const stores: Board = {
  name: 'stores',
  title: 'stores and log',
  rows: {
    Stores: [
      {
        title: 'Answers',
        about: '0: a process has no answer from this store. /readyz names its address and the cause.',
        unit: 'short',
        series: [{ query: `min by (store) (${of('vh_store_up')})`, legend: '{{store}}' }],
      },
      {
        title: 'PostgreSQL, 99 of 100 below',
        about: 'By pool and kind of call, waiting for a connection included.',
        unit: 's',
        series: quantileBy(0.99, 'vh_database_seconds', 'pool, kind'),
      },
      {
        title: 'Connections to PostgreSQL',
        about:
          'waiting above 0 for long: PostgreSQL is slow, or VH_DATABASE_CONNECTIONS is too small. 0 on the embedded database.',
        unit: 'short',
        series: [
          {
            query: `sum by (pool, state) (${of('vh_database_connections')}) or vector(0)`,
            legend: '{{pool}} {{state}}',
          },
        ],
      },
      {
        title: 'Failed calls a second',
        about: 'Calls that a store refused or did not answer in time.',
        unit: 'reqps',
        series: [
          ...rateBy('vh_store_failures_total', 'store'),
          { query: rate('vh_database_failures_total', 'pool'), legend: 'database, {{pool}}' },
        ],
      },
      {
        title: 'Age of what a process knows of keys and projects',
        about: 'Under a second in a sound installation. Growing: the database.',
        unit: 's',
        red: 5,
        series: largest('vh_change_feed_age_seconds', 'instance'),
      },
      {
        title: 'Projects counted again a second, by result',
        about: 'After Redis lost its data, each project comes back from the database.',
        unit: 'ops',
        series: [
          { query: `${rate('vh_rebuilds_total', 'result')} or vector(0)`, legend: '{{result}}' },
          { query: rate('vh_restored_sessions_total'), legend: 'sessions' },
        ],
      },
    ],
    'From a score to the database': [
      {
        title: 'Scored and recorded a second',
        about: 'The lines lie on each other while the consumers keep up.',
        unit: 'reqps',
        series: [
          { query: rate('vh_scores_total'), legend: 'scored' },
          { query: rate('vh_receipts_recorded_total'), legend: 'recorded' },
        ],
      },
      {
        title: 'Entries of the event log not yet read',
        about: 'By group of consumers. Growing: start another consumer.',
        unit: 'short',
        red: 100_000,
        series: largest('vh_log_lag_entries', 'group'),
      },
      {
        title: 'Time since a consumer took records',
        about: 'Above a minute the consumer hangs or waits for the database.',
        unit: 's',
        red: 60,
        series: largest('vh_consumer_tick_age_seconds', 'group'),
      },
      {
        title: 'Spool in use',
        about:
          'Share of VH_SPOOL_BYTES_MAX. It fills while the event log is unavailable. Scores get 503 if it is full.',
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
        title: 'Age of what waits in the database',
        about: 'adjudications and history: outcomes on their way to scoring. Minutes at most.',
        unit: 's',
        red: 300,
        series: largest('vh_backlog_oldest_seconds', 'kind', 'kind=~"adjudications|history"'),
      },
      {
        title: 'Outcomes that match no session',
        about: 'A customer sends other ids than it scores with.',
        unit: 'short',
        red: 100,
        series: largest('vh_backlog', 'kind', 'kind="outcomes"'),
      },
    ],
    'Waits for an operator': [
      {
        title: 'Records set aside',
        about: 'A consumer could not take them. npm run admin -- dead-letters shows the reason.',
        unit: 'short',
        red: 1,
        series: largest('vh_dead_letters', 'group'),
      },
      {
        title: 'Entries lost',
        about: 'Deleted at the end of their retention before they were read. 0 in a sound installation.',
        unit: 'short',
        red: 1,
        series: [{ query: `sum by (group) (${of('vh_log_lost_entries_total')})`, legend: '{{group}}' }],
      },
      {
        title: 'Kept until allowed',
        about: '1: far more is past its lifetime than a stop leaves. Check the database’s clock.',
        unit: 'short',
        red: 1,
        series: largest('vh_retention_waits', 'what'),
      },
      {
        title: 'Files kept next to the spool',
        about: 'Receipts that were damaged or refused. The log of the process names the file.',
        unit: 'short',
        red: 1,
        series: [{ query: `sum by (instance) (${of('vh_spool_kept_files')})`, legend: '{{instance}}' }],
      },
    ],
  },
};
