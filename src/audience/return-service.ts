/**
 * The way back from a survey: closes the place of the token, once. The first answer stands, and coming back again is told the same. A place
 * that was released meanwhile is taken back where there is room.
 */
import type { Database, Queryable } from '../stores/database/port.js';
import { freePlace, pageOf, takePlace, underLock, type Answer } from './fielding.js';
import type { TellOutcome } from './outcome-reporter.js';
import { changePlace, findPlace, hasRoom, type Place } from './place-store.js';
import { isTokenOf, type PlaceTokens } from './place-tokens.js';
import { letsHoldersFinish } from './study-states.js';
import { findStudy, type Study } from './study-store.js';

export const returnStatuses = ['complete', 'terminate'] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

export interface ReturnDeps {
  readonly database: Database;
  readonly tokens: PlaceTokens;
  readonly tellOutcome: TellOutcome;
}

export function createReturnService({ database, tokens, tellOutcome }: ReturnDeps) {
  return {
    async comeBack(token: string, status: ReturnStatus): Promise<Answer> {
      const claims = tokens.read(token);
      const place = claims === null ? null : await findPlace(database, claims.sub);
      const study = place === null ? null : await findStudy(database, place.studyId);
      if (claims === null || place === null || study === null || !isTokenOf(claims, place))
        return { kind: 'page', page: 'expired', language: study?.language ?? 'en' };
      const { page, closed } = await underLock(database, place, (tx, current, now) => close(tx, current, now, status));
      if (closed !== null) await tellOutcome(study, closed);
      return pageOf(study, page);
    },
  };
}

interface Closing {
  readonly page: 'thanks' | 'full' | 'closed' | 'expired';
  /** The place, where this call closed it. */
  readonly closed: Place | null;
}

async function close(tx: Queryable, study: Study, place: Place, status: ReturnStatus): Promise<Closing> {
  if (place.state === 'completed' || place.state === 'terminated') return { page: 'thanks', closed: null };
  if (place.state !== 'surveying' && place.state !== 'released') return { page: 'expired', closed: null };
  if (!letsHoldersFinish(study.status)) return { page: 'closed', closed: null };
  if (status === 'terminate') return { page: 'thanks', closed: await terminate(tx, place) };
  const held = place.state === 'surveying' ? place : await takeBack(tx, study, place);
  if (held === null) return { page: 'full', closed: null };
  return complete(tx, study, held);
}

const terminate = (tx: Queryable, place: Place): Promise<Place> =>
  place.state === 'surveying'
    ? freePlace(tx, place, { state: 'terminated', ended: true })
    : changePlace(tx, place, { state: 'terminated', ended: true });

async function takeBack(tx: Queryable, study: Study, place: Place): Promise<Place | null> {
  // A study that was closed hands out no place again.
  if (study.status === 'completed') return null;
  const taken = await takePlace(tx, study, place, { state: 'surveying' });
  return taken.state === 'surveying' ? taken : null;
}

/** Where the study was made smaller while they were out, whoever comes back first has what is left. */
async function complete(tx: Queryable, study: Study, place: Place): Promise<Closing> {
  if (!place.verified && !(await hasRoom(tx, study, place.placeId, 'verified')))
    return { page: 'full', closed: await freePlace(tx, place, { state: 'terminated', ended: true }) };
  const closed = await changePlace(
    tx,
    place,
    { state: 'completed', verified: true, ended: true },
    { completed: 1, verified: place.verified ? 0 : 1 },
  );
  return { page: 'thanks', closed };
}
