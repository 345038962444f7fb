/**
 * Changes of the score mix: what is taken from one count and added to another when a session is scored, scored again, or labelled. Pure; the
 * same change made twice comes to nothing, because it starts from what the session’s row says.
 */

/** Where a session is counted. */
export interface MixPlace {
  readonly namespace: string;
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  readonly sourceId: string;
  readonly cell: string;
  readonly recommendation: string;
  readonly label: StoredLabel;
  /** UTC, YYYY-MM-DD; `-infinity` where there is no label. */
  readonly labelDay: string;
}

export type StoredLabel = 'none' | 'fraud' | 'complete';
export const noLabelDay = '-infinity';

export interface MixChange extends MixPlace {
  readonly by: number;
}

/** Sums moves of sessions; places where nothing changes are left out. In one order, so that writers never wait for each other in a circle. */
export function sumMoves(
  moves: readonly { readonly from: MixPlace | null; readonly to: MixPlace }[],
): readonly MixChange[] {
  const changes = new Map<string, { place: MixPlace; by: number }>();
  const shift = (place: MixPlace, by: number): void => {
    const key = keyOf(place);
    const change = changes.get(key) ?? { place, by: 0 };
    change.by += by;
    changes.set(key, change);
  };
  for (const { from, to } of moves) {
    if (from !== null) shift(from, -1);
    shift(to, 1);
  }
  return [...changes]
    .filter(([, { by }]) => by !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { place, by }]) => ({ ...place, by }));
}

const keyOf = (place: MixPlace): string =>
  [place.namespace, place.day, place.sourceId, place.cell, place.recommendation, place.label, place.labelDay].join(
    '\n',
  );
