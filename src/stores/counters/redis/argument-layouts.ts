/**
 * The arguments of every script, by name and in order: the one list that both sides read. Here values are laid out by it; the
 * scripts name the places, and the loader puts the numbers in, so that neither side counts positions. Pure.
 */

export type Argument = string | number | Buffer;

const limitFields = ['key', 'limit', 'windowMs'] as const;

/** `head` comes once; `each` once for every item after it. */
export const argumentLayouts = {
  countScore: {
    head: [
      'now',
      'session',
      'fingerprint',
      'idempotency',
      'receiptId',
      'gone',
      'content',
      'scope',
      'respondent',
      'device',
      'address',
      'prefix',
      'source',
      'deviceClass',
      'addressShared',
      'host',
      'signature',
      'historyRespondent',
      'historySource',
      'historySubSource',
      'limits',
    ],
    each: limitFields,
  },
  restoreSessions: {
    head: ['calledAt'],
    each: [
      'now',
      'session',
      'scope',
      'respondent',
      'device',
      'address',
      'prefix',
      'source',
      'deviceClass',
      'addressShared',
      'host',
      'token',
      'sketch',
      'index',
    ],
  },
  findProbe: { head: ['now', 'session'], each: [] },
  wereScored: { head: [], each: ['session'] },
  readReceipt: { head: ['receiptId'], each: [] },
  releaseReceipts: { head: [], each: ['receiptId'] },
  storeProbe: {
    head: ['now', 'session', 'nonce', 'phase', 'seq', 'content', 'device', 'sketch', 'index', 'indicators'],
    each: [],
  },
  takeRate: { head: ['limits', 'calls'], each: limitFields },
  checkComplete: { head: ['now'], each: [] },
  claimRebuild: { head: ['owner', 'renewal'], each: [] },
  noteRebuilt: { head: ['owner', 'downTo'], each: [] },
  markComplete: { head: ['now', 'owner'], each: [] },
  publishHistory: { head: [], each: ['subject', 'version', 'value'] },
} as const satisfies Readonly<Record<string, { readonly head: readonly string[]; readonly each: readonly string[] }>>;

export type ScriptName = keyof typeof argumentLayouts;
type Head<Name extends ScriptName> = Readonly<Record<(typeof argumentLayouts)[Name]['head'][number], Argument>>;
export type Item<Name extends ScriptName> = Readonly<Record<(typeof argumentLayouts)[Name]['each'][number], Argument>>;

/** The values in the order that the script expects. */
export function layOut<Name extends ScriptName>(
  script: Name,
  head: Head<Name>,
  items: readonly Item<Name>[] = [],
): Argument[] {
  const layout: { readonly head: readonly string[]; readonly each: readonly string[] } = argumentLayouts[script];
  const ordered: Argument[] = [];
  const take = (names: readonly string[], values: Readonly<Record<string, Argument>>): void => {
    for (const name of names) ordered.push(values[name] as Argument);
  };
  take(layout.head, head);
  for (const item of items) take(layout.each, item);
  return ordered;
}

/**
 * What the scripts name, and the number that stands for it: ARGV[argument.x] is an argument of the head; that of an item is
 * ARGV[before + item.x], where the items come after `before` = heads, heads + stride, ...
 */
export function layoutPlaces(script: ScriptName): Readonly<Record<string, number>> {
  const { head, each }: { readonly head: readonly string[]; readonly each: readonly string[] } =
    argumentLayouts[script];
  const placesOf = (table: string, names: readonly string[]): [string, number][] =>
    names.map((name, index) => [`${table}.${name}`, index + 1]);
  return {
    ...Object.fromEntries([...placesOf('argument', head), ...placesOf('item', each)]),
    heads: head.length,
    stride: each.length,
  };
}
