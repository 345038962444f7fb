import type { Board } from './panel.js';
import { of, quantileBy, quantiles, rate, rateBy, share } from './queries.js';

const score = 'route="/api/v1/lite/score"';
/** Scores a second by source, over half an hour. */
const bySource = (matchers = ''): string => `sum by (source) (rate(${of('vh_scores_by_source_total', matchers)}[30m]))`;
/** Fewer scores in half an hour say nothing about a source. */
const scoresMin = 20;
/** Sources of which nobody was blocked have no series of that, and count as 0. */
const blockedShare = `(${bySource('recommendation="block"')} or 0 * ${bySource()}) / (${bySource()} > ${String(scoresMin)} / 1800)`;
/** Refusals come within a millisecond and would hide slow scores. */
const answered = `${score}, status!~"[45].."`;
const projectOf = (query: string): string => `label_replace(${query}, "project", "$1", "source", "([^/]+)/.*")`;

export const scoring: Board = {
  name: 'scoring',
  title: 'scoring',
  rows: {
    Verdicts: [
      {
        title: 'Scores a second, by recommendation',
        about: 'If block or review jumps, check the sources next to it.',
        unit: 'reqps',
        draw: 'area',
        series: rateBy('vh_scores_total', 'recommendation'),
      },
      {
        title: 'Sources blocked most',
        about: `Share of block over half an hour, of project/source with more than ${String(scoresMin)} live scores. One alone: its traffic. All of them: a new model or a setting.`,
        unit: 'percentunit',
        series: [{ query: `topk(10, ${blockedShare})`, legend: '{{source}}' }],
      },
      {
        title: 'Degraded signals a second',
        about:
          'Scores that lacked something, by what. counters_unavailable: Redis. client_probe_missing: pages without the probe. geo_ and network_unavailable: no GEOIP files.',
        unit: 'reqps',
        series: rateBy('vh_degraded_signals_total', 'signal'),
      },
      {
        title: 'Scores without counts',
        about:
          'Share of scores that Redis did not count in time: they miss repeats and bursts. Above the line, VerifyHumanScoresWithoutCounts pages. Repair Redis.',
        unit: 'percentunit',
        red: 0.01,
        series: [
          {
            query: share(
              rate('vh_degraded_signals_total', '', 'signal="counters_unavailable"'),
              rate('vh_scores_total'),
            ),
            legend: 'without counts',
          },
        ],
      },
    ],
    Latency: [
      {
        title: 'POST /lite/score',
        about:
          'Without refused and failed calls. Above the line, VerifyHumanScoresSlow fires: find the stage, then the process.',
        unit: 's',
        red: 0.5,
        series: quantiles('vh_http_request_seconds', answered),
      },
      {
        title: 'Stages of a score, p99',
        about:
          'count waits for Redis, receipt for the event log or the disk of the spool, gather for PostgreSQL, judge for a thread.',
        unit: 's',
        series: quantileBy(0.99, 'vh_score_stage_seconds', 'stage'),
      },
      {
        title: 'POST /lite/score, p99 by process',
        about: 'One process alone is slow: its machine or its connections. All of them: a store or the load.',
        unit: 's',
        red: 0.5,
        series: quantileBy(0.99, 'vh_http_request_seconds', 'instance', answered),
      },
      {
        title: 'Scores refused a second',
        about:
          'All got 503. shed: the process was overloaded, before it read the key. full, deadline, thread: the pool of threads. Add api processes.',
        unit: 'reqps',
        series: [
          { query: rate('vh_requests_shed_total'), legend: 'shed' },
          ...rateBy('vh_pool_rejected_total', 'reason'),
        ],
      },
    ],
    'What comes in': [
      {
        title: 'Busiest projects, scores a second',
        about: 'The ten with most live scores. Calls refused before scoring are missing here: see refusals by key.',
        unit: 'reqps',
        draw: 'area',
        series: [
          {
            query: `topk(10, sum by (project) (${projectOf(`rate(${of('vh_scores_by_source_total')}[$__rate_interval])`)}))`,
            legend: '{{project}}',
          },
        ],
      },
      {
        title: 'Busiest sources, scores a second',
        about:
          'The ten with most live scores in 5 minutes, as project/source. other: all after the first 200 of a process.',
        unit: 'reqps',
        draw: 'area',
        series: [
          {
            query: `topk(10, sum by (source) (rate(${of('vh_scores_by_source_total')}[5m])))`,
            legend: '{{source}}',
          },
        ],
      },
      {
        title: 'Probes a second, by result',
        about: 'unknown_key: a page with a wrong key. nonce_reused: a probe sent twice.',
        unit: 'reqps',
        series: rateBy('vh_probes_total', 'result'),
      },
      {
        title: 'Outcomes a second, by result',
        about: 'unmatched: sessions that were never scored; the customer sends other ids than it scores with.',
        unit: 'reqps',
        series: rateBy('vh_outcome_events_total', 'result'),
      },
      {
        title: 'Identical retries a second',
        about: 'Calls answered with the first receipt. Many: the caller times out before the answer comes.',
        unit: 'reqps',
        series: [{ query: rate('vh_score_replays_total'), legend: 'retries' }],
      },
    ],
  },
};
