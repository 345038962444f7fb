/**
 * Compares a session with the earlier tries of its chain, so that one chain is one person’s: by device, by the country of the address, and by the
 * camera. Somebody may go on with their phone; what that is worth is the verdict’s to say.
 */
import type { DeviceSketch } from '../../contract/facts.js';
import type { ChainComparison } from '../../contract/uniqueness.js';
import type { Queryable } from '../../stores/database/port.js';

/** Origin of a try; null: unknown. */
export interface Provenance {
  readonly country: string | null;
  /** A keyed hash of the camera’s name. */
  readonly cameraRef: string | null;
}

export interface Try extends Provenance {
  readonly ref: string | null;
  readonly sketch: DeviceSketch | null;
}

const triesMax = 10;

export function findTries(tx: Queryable, rootSessionId: string, sessionId: string): Promise<readonly Try[]> {
  return tx.query<Try & { readonly [column: string]: unknown }>(
    `SELECT f.device_ref AS ref, f.device_sketch AS sketch, f.country, f.camera_ref AS "cameraRef" FROM fingerprints f
     WHERE f.root_session_id = $1 AND f.session_id <> $2 ORDER BY f.completed_at DESC LIMIT ${triesMax}`,
    [rootSessionId, sessionId],
  );
}

type AreAlike = (sketch: DeviceSketch, others: readonly DeviceSketch[]) => Promise<readonly boolean[]>;

/** null for the first try. `areAlike` says of each sketch whether it may be of the same device. */
export async function compareTries(
  own: Try,
  earlier: readonly Try[],
  areAlike: AreAlike,
): Promise<ChainComparison | null> {
  if (earlier.length === 0) return null;
  const isOther = (field: keyof Provenance): boolean => {
    const known = earlier.flatMap((each) => each[field] ?? []);
    return own[field] !== null && known.length > 0 && !known.includes(own[field]);
  };
  return {
    otherDevices: await countOthers(own, earlier, areAlike),
    isOtherCountry: isOther('country'),
    isOtherCamera: isOther('cameraRef'),
  };
}

/** Devices, not tokens: a private window has a token of its own. */
async function countOthers(own: Try, earlier: readonly Try[], areAlike: AreAlike): Promise<number> {
  if (own.sketch === null) return 0;
  let count = 0;
  let left = await unlike(own, earlier, areAlike);
  for (let next = left[0]; next !== undefined; next = left[0]) {
    count += 1;
    left = await unlike(next, left.slice(1), areAlike);
  }
  return count;
}

async function unlike({ ref, sketch }: Try, others: readonly Try[], areAlike: AreAlike): Promise<readonly Try[]> {
  const named = others.filter((other) => other.sketch !== null && (other.ref === null || other.ref !== ref));
  const sketches = named.flatMap((other) => other.sketch ?? []);
  const alike = sketch === null ? [] : await areAlike(sketch, sketches);
  return named.filter((_, index) => alike[index] !== true);
}
