/** The values that have a name before anything is read, all asked for at once. */
import type { Bytes } from './bytes.js';
import type { Call } from './call.js';
import { sourceKeys } from './sources.js';
import type { Given } from './step.js';
import type { WindowLog } from './windows.js';

export type Value = Bytes | null | undefined;

/** Values of the session’s keys, by what they are of. */
export interface Values {
  readonly guard: Value;
  readonly record: Value;
  readonly address: Value;
  readonly network: Value;
  readonly generation: Value;
  readonly respondent: Value;
  readonly respondentPlaces: Value;
  readonly host: Value;
  readonly source: readonly Value[];
  readonly window: WindowLog | null;
  /** undefined: not read, as nobody named a device yet. */
  device: Value;
  devicePlaces: Value;
  deviceHistory: Value;
}

/** Keys of a device, its places and its published history. */
export const deviceKeys = ({ keys }: Call, device: string): string[] => [
  keys.identity('D', device),
  keys.person('D', device),
  keys.history(device),
];

/** The keys of values that have a name before anything is read. */
export function firstKeys(call: Call): string[] {
  const { keys, session } = call;
  const { respondent, device, host, source } = session;
  const wanted = [
    keys.guard(session.session),
    keys.record(session.session),
    keys.address(session.address),
    keys.network(session.prefix),
    keys.bands,
  ];
  if (respondent !== null) wanted.push(keys.identity('R', respondent), keys.person('R', respondent));
  if (device !== null) wanted.push(...deviceKeys(call, device));
  if (host !== null) wanted.push(keys.address(host));
  if (source !== null) wanted.push(...sourceKeys(call, source));
  return wanted;
}

export function firstValues({ session }: Call, values: Given['values'], window: WindowLog | null): Values {
  let place = 0;
  const next = (isThere: boolean): Value => (isThere ? values[place++] : undefined);
  const hasSource = session.source !== null;
  const hasRespondent = session.respondent !== null;
  const hasDevice = session.device !== null;
  return {
    guard: next(true),
    record: next(true),
    address: next(true),
    network: next(true),
    generation: next(true),
    respondent: next(hasRespondent),
    respondentPlaces: next(hasRespondent),
    device: next(hasDevice),
    devicePlaces: next(hasDevice),
    deviceHistory: next(hasDevice),
    host: next(session.host !== null),
    source: [next(hasSource), next(hasSource), next(hasSource)],
    window,
  };
}
