/**
 * The arguments of the scripts that are called by name, in order, and how each is written; the loader inlines the positions, so that neither side counts them.
 * They are strings, '' for null. Pure.
 */
import { rateKeyOf } from '../bounds.js';
import type { MovementInput, RateLimit } from '../port.js';

export type Argument = string | number;

type Writers<T> = Readonly<Record<string, (of: T) => Argument>>;

interface Layout<Head, Item> {
  readonly heads: readonly string[];
  readonly eaches: readonly string[];
  /** The values in the order that the script expects. */
  write(head: Head, items?: readonly Item[]): Argument[];
}

/** The arguments of one script, by their names in it: `head` comes once; `each` once for every item after it. */
function layOut<Head, Item = never>(head: Writers<Head>, each: Writers<Item> = {}): Layout<Head, Item> {
  const [ofHead, ofItem] = [Object.values(head), Object.values(each)];
  return {
    heads: Object.keys(head),
    eaches: Object.keys(each),
    write: (values, items = []) => {
      const ordered: Argument[] = [];
      for (const write of ofHead) ordered.push(write(values));
      for (const item of items) for (const write of ofItem) ordered.push(write(item));
      return ordered;
    },
  };
}

/** In a window of the limit at a time. */
interface LimitAt {
  readonly limit: RateLimit;
  readonly atMs: number;
}

const limitAt: Writers<LimitAt> = {
  key: ({ limit, atMs }) => rateKeyOf(limit, atMs),
  limit: ({ limit }) => limit.limit,
  windowMs: ({ limit }) => limit.windowSeconds * 1_000,
};

const owned = { owner: ({ owner }: { readonly owner: string }) => owner };

export const layouts = {
  releaseReceipts: layOut<null, string>({}, { receiptId: (receiptId) => receiptId }),
  noteMovement: layOut<MovementInput, string>(
    { now: ({ nowMs }) => formatTimestamp(nowMs), session: ({ session }) => session },
    { mark: (mark) => mark },
  ),
  takeRate: layOut<{ readonly limits: number; readonly calls: number }, LimitAt>(
    { limits: ({ limits }) => limits, calls: ({ calls }) => calls },
    limitAt,
  ),
  checkComplete: layOut<number>({ now: formatTimestamp }),
  claimRebuild: layOut<{ readonly owner: string; readonly isRenewal: boolean }>({
    ...owned,
    renewal: ({ isRenewal }) => (isRenewal ? '1' : ''),
  }),
  noteRebuilt: layOut<{ readonly owner: string; readonly downTo: string }>({
    ...owned,
    downTo: ({ downTo }) => downTo,
  }),
  markComplete: layOut<{ readonly owner: string; readonly nowMs: number }>({
    now: ({ nowMs }) => formatTimestamp(nowMs),
    ...owned,
  }),
} as const;

/** Each in its window at a time. */
export const limitsAt = (limits: readonly RateLimit[], atMs: number): LimitAt[] =>
  limits.map((limit) => ({ limit, atMs }));

/** The numbers for names in scripts: ARGV[argument.x] of the head, ARGV[before + item.x] of an item, with before = heads, heads + stride, ... */
export function layoutPlaces(script: string): Readonly<Record<string, number>> {
  if (!(script in layouts)) return {};
  const { heads, eaches } = layouts[script as keyof typeof layouts];
  const placesOf = (table: string, names: readonly string[]): [string, number][] =>
    names.map((name, index) => [`${table}.${name}`, index + 1]);
  return {
    ...Object.fromEntries([...placesOf('argument', heads), ...placesOf('item', eaches)]),
    heads: heads.length,
    stride: eaches.length,
  };
}

/** Times sort as texts in the scripts. */
function formatTimestamp(nowMs: number): string {
  return String(nowMs).padStart(13, '0');
}
