/** PromQL that several panels need. Every query is limited to the processes chosen above the board. */
import type { Series } from './panel.js';

const every = '$__rate_interval';
const chosen = 'instance=~"$instance"';

/** The selector of a metric, with more matchers. */
export const of = (metric: string, matchers = ''): string =>
  `${metric}{${chosen}${matchers === '' ? '' : `, ${matchers}`}}`;

/** Rises a second, by label. */
export const rate = (metric: string, by = '', matchers = ''): string =>
  `sum${grouped(by)} (rate(${of(metric, matchers)}[${every}]))`;

/** One line for each value of a label. */
export const rateBy = (metric: string, by: string, matchers = ''): readonly Series[] => [
  { query: rate(metric, by, matchers), legend: legendOf(by) },
];

/** The same for a metric whose series begin with their first count. Until then a line at 0 says so, and it ends with the first series. */
export const rateByOrNone = (metric: string, by: string, prefix = ''): readonly Series[] => [
  { query: orNone(rate(metric, by), by, 'none yet'), legend: prefix + legendOf(by) },
];

/** A query, or a line at 0 with a name while the query finds nothing. */
export const orNone = (query: string, label: string, name: string): string =>
  `${query} or on() label_replace(vector(0), "${label}", "${name}", "", "")`;

/** The largest of what several processes show of one thing, or of each value of a label. */
export const largest = (metric: string, by = '', matchers = ''): readonly Series[] => [
  { query: `max${grouped(by)} (${of(metric, matchers)})`, legend: by === '' ? 'oldest' : legendOf(by) },
];

/** Three quantiles of a histogram. */
export const quantiles = (metric: string, matchers = ''): readonly Series[] =>
  [0.5, 0.95, 0.99].map((share) => ({
    query: quantile(share, metric, '', matchers),
    legend: `p${String(share * 100)}`,
  }));

/** One quantile for each value of a label. */
export const quantileBy = (share: number, metric: string, by: string, matchers = ''): readonly Series[] => [
  { query: quantile(share, metric, by, matchers), legend: legendOf(by) },
];

/** The part of `whole` that one of its label’s values has, over a window. */
export const share = (part: string, whole: string): string => `${part} / (${whole} > 0)`;

const quantile = (share: number, metric: string, by: string, matchers: string): string =>
  `histogram_quantile(${String(share)}, sum by (${['le', by].filter(Boolean).join(', ')}) (rate(${of(`${metric}_bucket`, matchers)}[${every}])))`;

const grouped = (by: string): string => (by === '' ? '' : ` by (${by})`);
const legendOf = (by: string): string =>
  by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' ');
