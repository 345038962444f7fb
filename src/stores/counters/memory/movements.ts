/** The same input in several sessions of a project, by its marks: see `noteMovement` of the port. One key holds a project’s day. */
import { bounds } from '../bounds.js';
import type { MovementInput, Counters } from '../port.js';
import { type Keyspace, shortName } from './keyspace.js';

/** Sessions under each mark, the latest first. */
type Day = Record<string, readonly string[]>;

export function createMovements(keyspace: Keyspace) {
  const days = keyspace.table<{ marks: Day; held: number }>('movements');
  return ({ nowMs, projectId, session, marks }: MovementInput): Awaited<ReturnType<Counters['noteMovement']>> => {
    keyspace.reserve(2, nowMs);
    const day = Math.floor(nowMs / bounds.dayMs);
    const keyOf = (of: number) => `${shortName(projectId)}${of}`;
    const today = days.take(keyOf(day), nowMs, 2 * bounds.dayMs, () => ({ marks: {}, held: 0 }));
    if (today.held + marks.length > bounds.movementMarksMax) {
      days.set(keyOf(day - 1), { ...today }, nowMs, bounds.dayMs);
      Object.assign(today, { marks: {}, held: 0 });
    }
    const earlier = days.get(keyOf(day - 1), nowMs)?.marks ?? {};
    const agreed = new Map<string, Set<string>>();
    for (const mark of marks) {
      const others = (today.marks[mark] ?? earlier[mark] ?? []).filter((each) => each !== session);
      for (const other of others) agreed.set(other, (agreed.get(other) ?? new Set()).add(mark.slice(0, 1)));
      if (today.marks[mark] === undefined) today.held += 1;
      today.marks[mark] = [session, ...others].slice(0, bounds.movementSessionsMax);
    }
    const repeats = [...agreed.values()].filter(({ size }) => size >= bounds.movementGroupsMin).length;
    return Math.min(repeats, bounds.movementSessionsMax);
  };
}
