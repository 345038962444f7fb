/**
 * Where a person was counted within a day: networks and addresses of a scope, and sources whatever the scope. A person goes by the respondent,
 * and without one by the device; both remember, so that either tells. Bounded: of a person at very many places no further one is new.
 */
import { bounds, hourOf } from '../bounds.js';
import { within, type CountingCall } from './counting-call.js';
import type { Keyspace } from './keyspace.js';

/** The hour in which the person was counted, by place. */
type Places = Map<string, number>;

/** Whether the session’s person was counted at the place already; nobody was who is not known. */
export type IsRepeat = (place: string) => boolean;

/** Keys that one call may add: of the respondent and of the device. */
export const personKeysMax = 2;

export function createPersons(keyspace: Keyspace): (call: CountingCall) => IsRepeat {
  const persons = keyspace.table<Places>('persons');
  return (call) => {
    const { namespace, clockMs, session } = call;
    const { respondent, device } = session;
    if (!within(call, bounds.dayMs)) return () => false;
    const hour = hourOf(session.nowMs);
    const keys: string[] = [];
    if (respondent !== null) keys.push(`${namespace}:R${respondent}`);
    if (device !== null) keys.push(`${namespace}:D${device}`);
    const people = keys.map((key) => {
      const places = persons.take(key, clockMs, bounds.personMs, () => new Map());
      for (const [place, of] of places) if (of <= hour - bounds.hoursPerDay) places.delete(place);
      return places;
    });
    return (place) => people.map((places) => visit(places, place, hour))[0] ?? false;
  };
}

/** Notes the place. Whether it was noted within a day; of a full list no place is new. */
function visit(places: Places, place: string, hour: number): boolean {
  const known = places.get(place);
  if (known !== undefined) return known < hour + bounds.hoursPerDay;
  if (places.size >= bounds.personPlacesMax) return true;
  places.set(place, hour);
  return false;
}
