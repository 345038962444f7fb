/**
 * Whether what the probe claims can be true: statistics that events can have, times that passed on the server’s clock as well, a browser as the
 * sender, input of its own. Whoever forges a probe has to keep to all of it, and is trusted no further than that.
 */
import type { ProbeBody, Sample } from '../../src/contract/probe.js';
import { createRaise, keepWorst, rulesOf, type Rules, type Signal } from './model.js';
import { isContinued, readUsage } from './usage.js';
import { newestOf, type Page, type Visit } from './visit.js';

const forged = rulesOf('behavior', 'correlate', 'forgery');
const sender = rulesOf('device', 'correlate', 'forgery');

export const claimRules = {
  input_repeated: forged(
    'medium',
    3.6,
    'The same input appeared in {value} other {session|sessions} of the project within two days.',
  ),
  statistics_impossible: forged('medium', 3.4, 'The probe reports impossible figures ({value}).'),
  counts_reversed: forged('medium', 2, 'A later probe message has lower counts than an earlier one.'),
  times_impossible: sender('medium', 3.2, 'The probe reports impossible times ({value}).'),
  probe_late: sender('low', 1, 'The probe’s clock differs from the server time by {value} {day|days}.'),
  sender_changed: sender('medium', 2, 'Messages of one page came from different browsers.'),
  sender_no_browser: sender('medium', 2, 'The probe came without the headers that every browser sends.'),
} satisfies Rules;

export const claimThresholds = {
  /** Weight of input seen in one other session. */
  repeatedOnce: 2.8,
  /** The tolerance for rounding to thousandths, and as a share of a sample’s range. */
  rounding: 0.01,
  roundingShare: 1e-4,
  /** Events and messages are timed by clocks that a browser reads one after the other. */
  slackMs: 1_000,
  /** A message may wait this long to be delivered. */
  deliveryMs: 60_000,
  clockBack: 1.2,
  clockDaysMax: 1,
  /** Input of up to this time needs no second message, and so much of a longer one’s time is to have passed here. */
  unwitnessedMs: 10_000,
  witnessedShare: 0.5,
  dayMs: 86_400_000,
  samples: [
    'interval',
    'turn',
    'coalesced',
    'clickDwell',
    'clickSettle',
    'clickCentre',
    'keyDwell',
    'keyFlight',
    'touchForce',
    'touchRadius',
    'motion',
  ],
  /** The first is never more than the second. */
  atMost: [
    ['fineTimes', 'moves'],
    ['subpixel', 'moves'],
    ['clickBare', 'clicks'],
    ['keyNoCode', 'keys'],
    ['keyFineTimes', 'keys'],
    ['keyNoShift', 'keys'],
    ['wheelTicks', 'wheels'],
    ['wheelLies', 'wheels'],
  ],
  /** A sample has no more values than there were events. */
  sizedAtMost: [
    ['interval', 'moves'],
    ['turn', 'moves'],
    ['coalesced', 'moves'],
    ['keyDwell', 'keys'],
    ['keyFlight', 'keys'],
    ['touchForce', 'touches'],
    ['touchRadius', 'touches'],
  ],
} as const;

const thresholds = claimThresholds;
const raise = createRaise(claimRules);

/** Evidence against the probe of a session, over all of its pages. */
export function weighForgery({ pages }: Visit): Signal[] {
  const signals = keepWorst(pages.map(weighClaims));
  if (pages.some((page) => takesBack(newestOf(page, pages), page))) raise(signals, 'counts_reversed');
  return signals;
}

/** Evidence in the messages of one page against it. */
export function weighClaims(page: Page): Signal[] {
  const signals: Signal[] = [];
  const { body, transport, update } = page;
  const repeats = Math.max(transport.repeats ?? 0, update?.transport.repeats ?? 0);
  if (repeats > 0) raise(signals, 'input_repeated', repeats > 1 ? undefined : thresholds.repeatedOnce, repeats);
  const impossible = findImpossible(body);
  if (impossible !== null) raise(signals, 'statistics_impossible', undefined, impossible);
  weighTimes(page, signals);
  if (
    update &&
    (differ(transport.userAgent, update.transport.userAgent) ||
      differ(transport.acceptLanguage, update.transport.acceptLanguage))
  )
    raise(signals, 'sender_changed');
  // Every browser names the origin of what a page posts, and the languages of its user.
  if (transport.origin === null && (transport.acceptLanguage ?? '*') === '*') raise(signals, 'sender_no_browser');
  return signals;
}

/** Whether the time in which a hand was seen has passed here as well; true where messages were not timed. */
export function isWitnessed({ body, transport, update }: Page): boolean {
  const claimedMs = body.beh?.ms ?? 0;
  const { receivedAtMs } = transport;
  if (receivedAtMs === undefined || claimedMs <= thresholds.unwitnessedMs) return true;
  return (update?.transport.receivedAtMs ?? receivedAtMs) - receivedAtMs >= claimedMs * thresholds.witnessedShare;
}

/** Each message counts from its page load on. */
const takesBack = (newest: Page | undefined, earlier: Page): boolean =>
  newest !== undefined && !isContinued(readUsage(earlier.body).input, readUsage(newest.body).input);

const differ = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;

/** The name of a figure that no events have. */
function findImpossible({ beh }: ProbeBody): string | null {
  if (beh == null) return null;
  for (const name of thresholds.samples) if (beh[name] != null && !isPossible(beh[name])) return name;
  for (const [part, whole] of thresholds.atMost) if ((beh[part] ?? 0) > (beh[whole] ?? Infinity)) return part;
  for (const [sample, whole] of thresholds.sizedAtMost)
    if ((beh[sample]?.[0] ?? 0) > (beh[whole] ?? Infinity)) return sample;
  if (beh.pastes === 0 && (beh.pasteChars ?? 0) > 0) return 'pasteChars';
  if (beh.straight != null && (beh.straight < 0 || beh.straight > 1 + thresholds.rounding)) return 'straight';
  return null;
}

/** One value is the least, one the largest: that bounds the mean and the deviation of all. */
function isPossible([count, mean, deviation, min, max]: Sample): boolean {
  if (count === 0) return true;
  const range = max - min;
  const near = thresholds.rounding + thresholds.roundingShare * range;
  return (
    Number.isInteger(count) &&
    count > 0 &&
    range >= 0 &&
    mean >= min + range / count - near &&
    mean <= max - range / count + near &&
    deviation <= range / 2 + near &&
    deviation >= range / Math.sqrt(2 * count) - near
  );
}

function weighTimes({ body, transport: { receivedAtMs }, update }: Page, signals: Signal[]): void {
  const late =
    receivedAtMs === undefined ? 0 : Math.abs(receivedAtMs - body.at + (update?.clockMs ?? 0)) / thresholds.dayMs;
  if (late > thresholds.clockDaysMax) raise(signals, 'probe_late', undefined, Math.round(late));
  const impossible = findImpossibleTime(body);
  if (impossible !== null) return raise(signals, 'times_impossible', undefined, impossible);
  if (update === undefined) return;
  const passedMs = (update.transport.receivedAtMs ?? Infinity) - (receivedAtMs ?? 0);
  if (update.pageMs < 0) raise(signals, 'times_impossible', undefined, 'a page that grew younger');
  else if (update.pageMs > passedMs + thresholds.deliveryMs)
    raise(signals, 'times_impossible', undefined, 'longer than between its messages');
  else if (update.clockMs < update.pageMs - thresholds.deliveryMs)
    raise(signals, 'times_impossible', thresholds.clockBack, 'a clock that went back');
}

/** Times longer than the page’s age, or events longer than the time in which they were observed. */
function findImpossibleTime({ up, beh, page, q }: ProbeBody): string | null {
  const mostMs = up + thresholds.slackMs;
  if ((beh?.ms ?? 0) > mostMs || (page?.hiddenMs ?? 0) > mostMs) return 'longer than the page';
  if (q?.some(({ timeOnQuestionMs }) => timeOnQuestionMs > mostMs)) return 'a question longer than the page';
  const observedMs = (beh?.ms ?? Infinity) + thresholds.slackMs;
  const sumOf = (sample: Sample | null | undefined): number => (sample == null ? 0 : sample[0] * sample[1]);
  return sumOf(beh?.interval) > observedMs || sumOf(beh?.clickDwell) > observedMs
    ? 'events longer than their sum'
    : null;
}
