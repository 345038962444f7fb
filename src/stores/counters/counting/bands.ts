/**
 * Sessions of a scope by the bands of their sketches, the latest eight under each. Two generations of a table: the current one takes over what it touches
 * of the one before. A generation ends after a day or when it is full; the one before it is dropped then.
 */
import { bounds } from '../bounds.js';
import { packTime, timeAt, timeBytes, u32, u32At, type Bytes } from './bytes.js';
import { within, type Call } from './call.js';
import { addSighting } from './sightings.js';
import { payloadOf, versionBytes } from './step.js';

interface Generation {
  readonly number: number;
  readonly beganMs: number;
  readonly sessions: number;
}

function readGeneration(value: Bytes | null | undefined, nowMs: number): Generation {
  const payload = payloadOf(value);
  if (payload === '') return { number: 0, beganMs: nowMs, sessions: 0 };
  return { number: u32At(payload, 0), beganMs: timeAt(payload, 4), sessions: u32At(payload, 4 + timeBytes) };
}

export interface OpenBands {
  readonly generation: Generation;
  readonly hasEnded: boolean;
  readonly key: string;
  readonly before: string | null;
}

/** The tables of the session’s bands; null if it has none, or is too old to be found by them. `value` says which generation is the current one. */
export function openBands(call: Call, bands: readonly string[], value: Bytes | null | undefined): OpenBands | null {
  if (bands.length === 0 || !within(call, bounds.similarMs)) return null;
  const known = readGeneration(value, call.nowMs);
  const hasEnded = known.sessions >= bounds.bandGenerationSessions || call.nowMs - known.beganMs >= bounds.similarMs;
  const generation = hasEnded ? { number: known.number + 1, beganMs: call.nowMs, sessions: 0 } : known;
  const { keys } = call;
  return {
    generation,
    hasEnded,
    key: keys.bandsOf(generation.number),
    before: generation.number === 0 ? null : keys.bandsOf(generation.number - 1),
  };
}

/** Notes the session under each band. `lists` are those who were seen there. */
export function noteBands(
  call: Call,
  bands: readonly string[],
  { generation, hasEnded, key }: OpenBands,
  lists: readonly (Bytes | null)[],
): void {
  const since = packTime(call.clockMs - bounds.similarMs);
  const names: string[] = [];
  const values: Bytes[] = [];
  bands.forEach((band, i) => {
    const known = lists[i] ?? '';
    const joined = addSighting(known, call.ref, call.stamp, since, bounds.bandSessionsMax);
    if (joined === known) return;
    names.push(band);
    values.push(joined);
  });
  if (names.length === 0) return;
  const { writes, keys } = call;
  if (hasEnded) writes.removes.push(keys.bandsOf(generation.number - 2));
  const next = u32(generation.number) + packTime(generation.beganMs) + u32(generation.sessions + 1);
  // Calls at once may count one session less, and never wait for each other.
  const value = '\0'.repeat(versionBytes) + next;
  // A generation is written for a day at most, and read for one more after it.
  const keepMs = 3 * bounds.similarMs;
  writes.fields = { key, names, values, keepMs, generation: { key: keys.bands, value } };
}
