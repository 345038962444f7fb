import type { Board } from './panel.js';
import { of, quantileBy, quantiles, rate, rateBy } from './queries.js';

const score = 'route="/api/v1/lite/score"';
/** Scores a second by source, over half an hour. */
const bySource = (matchers = ''): string => `sum by (source) (rate(${of('vh_scores_by_source_total', matchers)}[30m]))`;
/** Sources of which nobody was blocked have no series of that, and count as 0. */
const blockedShare = `(${bySource('recommendation="block"')} or 0 * ${bySource()}) / (${bySource()} > 0)`;

export const scoring: Board = {
  name: 'scoring',
  title: 'scoring',
  rows: {
    Verdicts: [
      {
        title: 'Scores a second, by recommendation',
        about: 'Recommendations over time. If block or review jumps, check the sources next to it.',
        unit: 'reqps',
        draw: 'area',
        series: rateBy('vh_scores_total', 'recommendation'),
      },
      {
        title: 'Sources blocked most',
        about:
          'Share of block over half an hour, of sources with live traffic. One source alone: its traffic. All of them: a new model or a setting.',
        unit: 'percentunit',
        series: [{ query: `topk(10, ${blockedShare})`, legend: '{{source}}' }],
      },
      {
        title: 'Degraded signals a second',
        about:
          'Scores that lacked something, by what. counters_unavailable: Redis. probe_missing: pages without the probe.',
        unit: 'reqps',
        series: rateBy('vh_degraded_signals_total', 'signal'),
      },
    ],
    Latency: [
      {
        title: 'POST /lite/score',
        about: 'From the headers to the end of the answer. Above the line: find the stage.',
        unit: 's',
        red: 0.5,
        series: quantiles('vh_http_request_seconds', score),
      },
      {
        title: 'Stages, 99 of 100 below',
        about: 'gather and count wait for stores, judge for a thread, receipt for the event log.',
        unit: 's',
        series: quantileBy(0.99, 'vh_score_stage_seconds', 'stage'),
      },
      {
        title: 'Refused a second',
        about: 'shed: the process was overloaded. The others: the pool of threads was full, late, or lost one.',
        unit: 'reqps',
        series: [
          { query: rate('vh_requests_shed_total'), legend: 'shed' },
          ...rateBy('vh_pool_rejected_total', 'reason'),
        ],
      },
    ],
    'What comes in': [
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
