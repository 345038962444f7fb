/** Visitors of one study out of simulated panel traffic: as it was drawn, or with a given number of frauds and repeats. */
import type { PanelSession } from '../research/panel/sessions.js';
import { drawTraffic } from '../research/panel/traffic.js';

const seed = 77;
export const supplierCount = 3;
/** Sessions to draw for each honest first visit: the traffic of several studies invites the same people again. */
const sessionsPerPerson = 2.75;

export type Kind = 'honest' | 'repeat' | 'fraud';
export interface Visitor {
  readonly session: PanelSession;
  readonly kind: Kind;
  readonly rid: string;
  readonly supplier: number;
}

/** In time. Throws if the traffic has too few of a kind. */
export function drawVisitors(count: number, intruders?: number): readonly Visitor[] {
  if (intruders === undefined) return toVisitors(drawTraffic({ seed, sessions: count }));
  const drawn = toVisitors(drawTraffic({ seed, sessions: Math.ceil((count - intruders) * sessionsPerPerson) }));
  const ofKind = (kind: Kind): readonly Visitor[] => drawn.filter((visitor) => visitor.kind === kind);
  const honest = takeEvenly(ofKind('honest'), count - intruders);
  const known = new Set(honest.map(personOf));
  const repeats = ofKind('repeat').filter((visitor) => known.has(personOf(visitor)));
  const taken = new Set([
    ...honest,
    ...takeEvenly(repeats, Math.ceil(intruders / 2)),
    ...takeEvenly(ofKind('fraud'), Math.floor(intruders / 2)),
  ]);
  return drawn.filter((visitor) => taken.has(visitor));
}

const personOf = ({ session }: Visitor): string => session.truth.person;

/** Takes visitors from the whole time. */
function takeEvenly(all: readonly Visitor[], count: number): readonly Visitor[] {
  if (all.length < count) throw new Error(`The traffic has ${all.length} of ${count} visitors. Draw more.`);
  return all.filter((_, n) => Math.floor((n * count) / all.length) < Math.floor(((n + 1) * count) / all.length));
}

/** Each person's first visit is honest, and each further one a repeat, whichever study of the traffic it was drawn for. */
function toVisitors(traffic: readonly PanelSession[]): Visitor[] {
  const seen = new Set<string>();
  return traffic.map((session, index) => {
    const { truth, request } = session;
    const isRepeat = seen.has(truth.person);
    seen.add(truth.person);
    const honestKind = isRepeat ? 'repeat' : 'honest';
    const kind = truth.fraud ? 'fraud' : honestKind;
    const rid = request.respondentId ?? `r-${index}`;
    return { session, kind, rid, supplier: Number(request.sourceId?.slice(1) ?? 0) % supplierCount };
  });
}
