import type { Board } from './panel.js';
import { largest, of, orNone, quantileBy, rate, rateBy, rateByOrNone, share } from './queries.js';

const http = 'vh_http_request_seconds_count';
/** Each sampled delay includes the time since the last sample. */
const loopSampleSeconds = 0.1;
/** VerifyHumanSharesRefused allows 20 in 10 minutes. */
const sharesRefusedMax = 20 / 600;

export const capacity: Board = {
  name: 'capacity',
  title: 'capacity and neighbours',
  rows: {
    Processes: [
      {
        title: 'Processes, by version',
        about: 'Two versions at once: an upgrade is in progress. Fewer processes than you started: one is down.',
        unit: 'short',
        series: [{ query: `count by (version) (${of('vh_build_info')})`, legend: '{{version}}' }],
      },
      {
        title: 'Cores in use',
        about: 'By process, with its threads. Compare with the cores of the machine.',
        unit: 'short',
        series: [
          {
            query: `sum by (instance) (rate(${of('process_cpu_seconds_total')}[$__rate_interval]))`,
            legend: '{{instance}}',
          },
        ],
      },
      {
        title: 'Memory of a process',
        about: 'About 400 MB for the role api. Growing for days: restart the process and report it.',
        unit: 'bytes',
        series: [{ query: `sum by (instance) (${of('process_resident_memory_bytes')})`, legend: '{{instance}}' }],
      },
      {
        title: 'Delay of the event loop, p99',
        about: 'How long calls wait for the main thread. Above the line: too few cores, or a long computation.',
        unit: 's',
        amber: 0.1,
        series: [
          {
            query: `clamp_min(max by (instance) (${of('nodejs_eventloop_lag_p99_seconds')}) - ${String(loopSampleSeconds)}, 0)`,
            legend: '{{instance}}',
          },
        ],
      },
      {
        title: 'Scores a second, by process',
        about:
          'A process answers about 700 with low latency, and 1,000 at ease. Add api processes before the daily peak reaches a line.',
        unit: 'reqps',
        amber: 700,
        red: 1_000,
        series: rateBy('vh_scores_total', 'instance'),
      },
      {
        title: 'Scores that wait for a thread',
        about: 'By process. Growing: add cores or api processes. At VH_POOL_QUEUE, scores get 503.',
        unit: 'short',
        series: largest('vh_pool_queue', 'instance'),
      },
      {
        title: 'Age of countries and networks',
        about: 'Fetch new files once a week. No file is set: country and network are not measured.',
        unit: 's',
        amber: 1_209_600,
        series: [
          {
            query: orNone(`max by (setting) (${of('vh_geography_age_seconds')})`, 'setting', 'no file is set'),
            legend: '{{setting}}',
          },
        ],
      },
    ],
    Calls: [
      {
        title: 'Busiest routes, calls a second',
        about: 'The ten with most calls. A new one on top: see the busiest projects, or the calls over a limit by key.',
        unit: 'reqps',
        series: [{ query: `topk(10, ${rate(http, 'route')})`, legend: '{{route}}' }],
      },
      {
        title: 'Calls answered with 5xx',
        about:
          'Share of all calls. Above the line for 5 minutes, VerifyHumanCallsFail pages. The next panel names the route.',
        unit: 'percentunit',
        red: 0.02,
        series: [{ query: `(${share(rate(http, '', 'status=~"5.."'), rate(http))}) or vector(0)`, legend: '5xx' }],
      },
      {
        title: 'Calls refused or failed a second',
        about:
          'By route and status. 401: an unknown, revoked or expired key. 403: a scope. 429: a limit, see the key. 503: overload or a store. 500: a bug, in the process log.',
        unit: 'reqps',
        series: [
          {
            query: `topk(10, ${rate(http, 'route, status', 'status=~"401|403|429|5.."')} > 0) or on() label_replace(vector(0), "route", "none", "", "")`,
            legend: '{{route}} {{status}}',
          },
        ],
      },
      {
        title: 'Slowest routes, p99',
        about:
          'The ten slowest. Buckets end at 5 s: a line there means 5 s or more. Lists and reports wait for PostgreSQL: compare with its panel. All at once: the event loop.',
        unit: 's',
        series: quantileBy(0.99, 'vh_http_request_seconds', 'route').map(({ query, legend }) => ({
          query: `topk(10, ${query})`,
          legend,
        })),
      },
      {
        title: 'Calls over a limit a second, by key',
        about: 'Calls with 429, by the id of the key. Raise its limit or ask its owner. none: public pages.',
        unit: 'reqps',
        series: [{ query: `topk(10, ${rate('vh_rate_limited_total', 'key')})`, legend: '{{key}}' }],
      },
      {
        title: 'Ignored forwarding headers a second',
        about: 'untrusted: VH_TRUSTED_PROXIES lacks a proxy, so all respondents share its address. Add it.',
        unit: 'reqps',
        series: rateByOrNone('vh_forwarding_ignored_total', 'reason'),
      },
    ],
    'Shared by organizations': [
      {
        title: 'Shared slots in use, by operation',
        about: 'Mean number of calls that hold a slot. /organizations/top on the ADMIN_PORT names the organizations.',
        unit: 'short',
        draw: 'area',
        series: rateBy('vh_share_held_seconds_sum', 'operation'),
      },
      {
        title: 'Wait for a shared slot, p99',
        about: 'A wait ends after 5 s with 429 or 503. Mostly the calls of the organization that asks too often wait.',
        unit: 's',
        series: quantileBy(0.99, 'vh_share_wait_seconds', 'operation'),
      },
      {
        title: 'Calls refused a shared slot a second',
        about: 'They waited for 5 s and got 429 or 503. /organizations/top on the ADMIN_PORT names the organizations.',
        unit: 'reqps',
        red: sharesRefusedMax,
        series: rateBy('vh_share_refused_total', 'operation'),
      },
    ],
  },
};
