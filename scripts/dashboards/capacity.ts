import type { Board } from './panel.js';
import { largest, of, quantileBy, rate, rateBy, share } from './queries.js';

const http = 'vh_http_request_seconds_count';

export const capacity: Board = {
  name: 'capacity',
  title: 'capacity and neighbours',
  rows: {
    Processes: [
      {
        title: 'Processes, by version',
        about: 'Two versions at once: an upgrade is under way.',
        unit: 'short',
        series: [{ query: `count by (version) (${of('vh_build_info')})`, legend: '{{version}}' }],
      },
      {
        title: 'Cores in use',
        about: 'By process, threads included.',
        unit: 'short',
        series: [
          {
            query: `sum by (instance) (rate(${of('process_cpu_seconds_total')}[$__rate_interval]))`,
            legend: '{{instance}}',
          },
        ],
      },
      {
        title: 'Memory',
        about: 'By process.',
        unit: 'bytes',
        series: [{ query: `sum by (instance) (${of('process_resident_memory_bytes')})`, legend: '{{instance}}' }],
      },
      {
        title: 'Delay of the event loop',
        about: 'The 99th percentile of a tenth of a second and more. Above 0.2: something holds the thread.',
        unit: 's',
        amber: 0.2,
        series: largest('nodejs_eventloop_lag_p99_seconds', 'instance'),
      },
      {
        title: 'Scores that wait for a thread',
        about: 'By process. Growing: more cores or more instances.',
        unit: 'short',
        series: largest('vh_pool_queue', 'instance'),
      },
      {
        title: 'Age of countries and networks',
        about: 'Fetch new files once a week.',
        unit: 's',
        amber: 1_209_600,
        series: [{ query: `max by (setting) (${of('vh_geography_age_seconds')}) or vector(0)`, legend: '{{setting}}' }],
      },
    ],
    Calls: [
      {
        title: 'Busiest routes, calls a second',
        about: 'The ten with most calls.',
        unit: 'reqps',
        series: [{ query: `topk(10, ${rate(http, 'route')})`, legend: '{{route}}' }],
      },
      {
        title: 'Calls answered with 5xx',
        about: 'Of all. Above the line a pager goes off.',
        unit: 'percentunit',
        red: 0.02,
        series: [{ query: `(${share(rate(http, '', 'status=~"5.."'), rate(http))}) or vector(0)`, legend: '5xx' }],
      },
      {
        title: 'Slowest routes, 99 of 100 below',
        about: 'The ten slowest.',
        unit: 's',
        series: quantileBy(0.99, 'vh_http_request_seconds', 'route').map(({ query, legend }) => ({
          query: `topk(10, ${query})`,
          legend,
        })),
      },
      {
        title: 'Refused by limits, by key',
        about: 'Who runs into limits: the limits of the key, or its caller. none: public pages.',
        unit: 'reqps',
        series: [{ query: `topk(10, ${rate('vh_rate_limited_total', 'key')})`, legend: '{{key}}' }],
      },
      {
        title: 'Forwarding headers not believed',
        about: 'untrusted: VH_TRUSTED_PROXIES does not name a proxy, and every respondent has its address.',
        unit: 'reqps',
        series: [{ query: `${rate('vh_forwarding_ignored_total', 'reason')} or vector(0)`, legend: '{{reason}}' }],
      },
    ],
    'Organizations share': [
      {
        title: 'Places in use, by operation',
        about: 'Mean number of calls that hold a place. /organizations/top on the operator’s port names who.',
        unit: 'short',
        draw: 'area',
        series: rateBy('vh_share_held_seconds_sum', 'operation'),
      },
      {
        title: 'Wait for a place, 99 of 100 below',
        about: 'By operation.',
        unit: 's',
        series: quantileBy(0.99, 'vh_share_wait_seconds', 'operation'),
      },
      {
        title: 'Refused a place, by operation',
        about: 'They waited for too long and got 429.',
        unit: 'reqps',
        series: rateBy('vh_share_refused_total', 'operation'),
      },
    ],
  },
};
