/** Codes, times and numbers as people read them. */
import type { AttemptState } from '../../src/contract/webhook.js';

const capitals = new Set(['ip', 'asn', 'id', 'vpn', 'url']);

/** `address_not_public` reads "Address not public". */
export function readable(code: string): string {
  const text = code
    .split('_')
    .map((word) => (capitals.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** States of a delivery. Each of its attempts has one of its own. */
export const deliveryStateNames: Readonly<Record<AttemptState, string>> = {
  PENDING: 'Pending',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Retrying',
  EXHAUSTED: 'Gave up',
};

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const whole = new Intl.NumberFormat('en-GB');
const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** The zone of formatTime and formatDay, for the foot of each page. */
export const timeZoneText = `Times are in the time zone of this browser (${dateTime.resolvedOptions().timeZone}). Days are in UTC.`;
export const formatTime = (iso: string): string => dateTime.format(new Date(iso));
export const formatDay = (iso: string): string => day.format(new Date(iso));
export const formatCount = (count: number): string => whole.format(count);
/** 99.96% is not all. */
export const formatShare = (share: number): string => percent.format(share < 1 ? Math.min(share, 0.999) : share);
const ago = new Intl.RelativeTimeFormat('en-GB');
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** "6 minutes ago". */
export function formatAgo(iso: string, nowMs = Date.now()): string {
  const pastMs = nowMs - Date.parse(iso);
  const found = units.find(([, ms]) => pastMs >= ms);
  return found === undefined ? 'less than a minute ago' : ago.format(-Math.floor(pastMs / found[1]), found[0]);
}

/** "6 minutes". */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms >= each) ?? (['second', 1_000] as const);
  return plural(Math.floor(ms / unitMs), unit);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
