/**
 * Places that counted a person within a day: networks and addresses of a scope, and sources in any scope. A person goes by the respondent, and without
 * one by the device; both are written, so that either is found. Bounded: of a person at very many places no further one is new.
 */
import { bounds } from '../bounds.js';
import { tokenBytes, u24, u24At, type Bytes } from './bytes.js';
import { isOfLastDay, type Call } from './call.js';
import { payloadOf } from './step.js';

const placeBytes = tokenBytes + 3;

interface Person {
  readonly key: string;
  readonly value: Bytes | null | undefined;
  /** Each with the hour in which the person was counted there. */
  places: Bytes;
}

export interface People {
  /** Whether the session’s person was counted at the place already, which is noted; nobody was who is not known. */
  readonly isRepeat: (place: Bytes) => boolean;
  readonly write: () => void;
}

/** Values of the respondent and the device. */
interface PersonValues {
  readonly respondentPlaces: Bytes | null | undefined;
  readonly devicePlaces: Bytes | null | undefined;
}

export function openPeople(call: Call, { respondentPlaces, devicePlaces }: PersonValues): People {
  if (!isOfLastDay(call)) return { isRepeat: () => false, write: () => undefined };
  const oldest = call.hour - bounds.hoursPerDay;
  const { respondent, device } = call.session;
  const people: Person[] = [];
  const open = (key: string, value: Bytes | null | undefined): void =>
    void people.push({ key, value, places: young(payloadOf(value), oldest) });
  if (respondent !== null) open(call.keys.person('R', respondent), respondentPlaces);
  if (device !== null) open(call.keys.person('D', device), devicePlaces);
  return {
    isRepeat: (place) => {
      let isKnown: boolean | null = null;
      for (const person of people) {
        const visited = visit(person, place, call.hour);
        isKnown ??= visited;
      }
      return isKnown ?? false;
    },
    write: () => {
      for (const { key, value, places } of people)
        if (places !== '') call.writes.replace(key, value, places, bounds.personMs);
    },
  };
}

function young(places: Bytes, oldest: number): Bytes {
  if (places === '') return places;
  let kept = '';
  for (let at = 0; at < places.length; at += placeBytes)
    if (u24At(places, at + tokenBytes) > oldest) kept += places.slice(at, at + placeBytes);
  return kept;
}

/** Notes the place. Whether it was noted within a day; of a full list no place is new. */
function visit(person: Person, token: Bytes, hour: number): boolean {
  for (let at = 0; at < person.places.length; at += placeBytes)
    if (person.places.startsWith(token, at)) return u24At(person.places, at + tokenBytes) < hour + bounds.hoursPerDay;
  if (person.places.length >= bounds.personPlacesMax * placeBytes) return true;
  person.places += token + u24(hour);
  return false;
}
