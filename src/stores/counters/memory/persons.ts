/**
 * Counts places of a person within a day: networks and addresses of a scope, and sources in any scope. A person goes by the respondent,
 * and without one by the device; both are written, so that either is found. Bounded: of a person at very many places no further one is new.
 */
import { bounds, hourOf } from '../bounds.js';
import { within, type CountingCall } from './counting-call.js';
import { type Keyspace, shortName } from './keyspace.js';

/** A person has two or three places, for which a Map takes twice the memory. */
interface Places {
  /** [place, hour, place, hour, ...]: where the person was counted, and in which hour. */
  list: readonly (string | number)[];
}

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
    const at = shortName(namespace);
    const keys: string[] = [];
    if (respondent !== null) keys.push(`${at}R${respondent}`);
    if (device !== null) keys.push(`${at}D${device}`);
    const people = keys.map((key) => {
      const places = persons.take(key, clockMs, bounds.personMs, () => ({ list: [] }));
      letGo(places, hour - bounds.hoursPerDay);
      return places;
    });
    return (place) => people.map((places) => visit(places, place, hour))[0] ?? false;
  };
}

/** Notes the place. Whether it was noted within a day; of a full list no place is new. */
function visit(places: Places, place: string, hour: number): boolean {
  const { list } = places;
  const at = list.indexOf(place);
  if (at !== -1) return Number(list[at + 1]) < hour + bounds.hoursPerDay;
  if (list.length >= 2 * bounds.personPlacesMax) return true;
  // By concat, which leaves no room behind the last.
  places.list = list.concat(place, hour);
  return false;
}

/** Drops the places of `oldest` and before. */
function letGo(places: Places, oldest: number): void {
  const { list } = places;
  const isOld = (at: number): boolean => Number(list[at - (at % 2) + 1]) <= oldest;
  if (list.some((_, at) => isOld(at))) places.list = list.filter((_, at) => !isOld(at));
}
