/**
 * The way into a study. A respondent is scored once, takes a place where there is room, is verified where the study asks, and goes on to the
 * survey. Whoever comes again continues where they were. Every refusal for what the gate saw is one and the same page, reached by the same
 * steps: score, then decide.
 *
 *     entering ──score, decide, take──▶ verifying ──passed──▶ surveying ──▶ the survey
 */
import type { KeyCaller } from '../kernel/caller.js';
import { rateLimitDefaults } from '../contract/api-key.js';
import type { ScoreReply, ScoreRequest } from '../contract/score.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { freePlace, pageOf, surveyAddress, takePlace, underLock, type Answer, type SurveyDeps } from './fielding.js';
import { isVerificationEnough, screen, type DuplicateBand } from './entry-decision.js';
import {
  changePlace,
  findPlace,
  findRespondentPlace,
  hasRoom,
  openPlace,
  type Place,
  type Traits,
} from './place-store.js';
import { letsHoldersFinish } from './study-states.js';
import { findStudy, type Study } from './study-store.js';

/** Somebody at the entry link. */
export interface Visit {
  readonly studyId: string;
  readonly respondentId: string;
  readonly sourceId: string;
  /** As the supplier declares them. */
  readonly traits: Traits;
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Random id that the browser keeps. */
  readonly device: string;
}

/** The hosted verification of one respondent. */
export interface VerificationDesk {
  /** Makes a link for the place, and answers its id. */
  makeLink(place: Place, study: Study, returnUrl: string): Promise<string>;
  linkUrl(linkId: string): string;
  /** What came of it, newest; null where nothing has yet. */
  read(place: Place): Promise<{ readonly status: 'pass' | 'fail' | 'review'; readonly assurance: string } | null>;
}

export interface EntryDeps extends SurveyDeps {
  readonly database: Database;
  readonly score: (caller: KeyCaller, request: ScoreRequest) => Promise<string>;
  readonly countryOf: (address: string) => string | null;
  /** Keyed hash of an identifier within a project. */
  readonly hash: (projectId: string, kind: 'respondent' | 'device', value: string) => string;
  readonly verification: VerificationDesk;
}

export function createEntryService(deps: EntryDeps) {
  const { database } = deps;
  return {
    async enter(visit: Visit): Promise<Answer> {
      const study = await findStudy(database, visit.studyId);
      if (study === null) return { kind: 'page', page: 'broken', language: 'en' };
      const respondentRef = deps.hash(study.projectId, 'respondent', visit.respondentId);
      const known = await findRespondentPlace(database, study.studyId, respondentRef);
      if (known === null && study.status !== 'fielding') return pageOf(study, 'closed');
      const byAddress = deps.countryOf(visit.address);
      const traits = { ...visit.traits, country: byAddress ?? visit.traits.country };
      const place =
        known ??
        (await inOrganization(database, study.organizationId, (tx) =>
          openPlace(tx, study, { ...visit, ...traits, respondentRef }),
        ));
      // The same id from elsewhere is somebody who tries again under another name, or two suppliers who count alike.
      if (place.sourceId !== visit.sourceId) return pageOf(study, 'declined');
      const scored = await scoreOnce(deps, study, place, visit, byAddress);
      return continueAt(deps, study, scored);
    },

    /** Back from the hosted verification. What came of it is looked up, whatever the address says. */
    async verified(placeId: string): Promise<Answer> {
      const place = await findPlace(database, placeId);
      const study = place === null ? null : await findStudy(database, place.studyId);
      if (place === null || study === null) return { kind: 'page', page: 'broken', language: 'en' };
      return continueAt(deps, study, place);
    },
  };
}

/** Scores who is new, decides, and takes the place. A place that was handled meanwhile stays as it is. */
async function scoreOnce(
  deps: EntryDeps,
  study: Study,
  place: Place,
  visit: Visit,
  byAddress: string | null,
): Promise<Place> {
  const isOpen = place.state === 'entering' || (place.state === 'screened' && place.screenedFor === 'full');
  if (!isOpen || study.status !== 'fielding') return place;
  const reply = await gate(deps, study, place, visit);
  const duplicateBand: DuplicateBand = reply.duplicate.band;
  const score = { ...reply, duplicateBand, receiptId: reply.receiptId };
  const country = byAddress ?? place.country;
  const reason = screen({ recommendation: reply.recommendation, duplicateBand, country }, study);
  return underLock(deps.database, place, async (tx, current, now) => {
    if (now.state !== place.state || current.status !== 'fielding') return now;
    if (reason !== null)
      return changePlace(
        tx,
        now,
        { ...scoreOf(score), state: 'screened', screenedFor: reason },
        { screenedOut: now.state === 'screened' ? 0 : 1 },
      );
    return takePlace(tx, current, now, {
      ...scoreOf(score),
      state: current.serviceCheck ? 'verifying' : 'surveying',
      dueInMs: deps.placeMs,
    });
  });
}

const scoreOf = ({
  score,
  recommendation,
  duplicateBand,
  receiptId,
}: ScoreReply & { duplicateBand: DuplicateBand }) => ({
  ...{ score, recommendation, duplicateBand, receiptId },
});

/** The same scoring as with a key: the session is the place, so that a repeat is the same receipt or a new one that counts nothing twice. */
async function gate(deps: EntryDeps, study: Study, place: Place, visit: Visit): Promise<ScoreReply> {
  const { userAgent, traits, address, sourceId } = visit;
  const text = await deps.score(gateCaller(study), {
    sessionId: place.placeId,
    clientIp: address,
    sourceId,
    studyId: study.studyId,
    respondentId: place.respondentRef,
    deviceHash: deps.hash(study.projectId, 'device', visit.device),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(traits.country === null ? {} : { declaredCountry: traits.country }),
  });
  return JSON.parse(text) as ScoreReply;
}

/** Scores for the study’s project, with receipts that the key of its owner may read. */
export const gateCaller = ({ organizationId, projectId, lineage, isTest, studyId }: Study): KeyCaller => ({
  kind: 'key',
  keyId: studyId,
  lineage,
  organizationId,
  projectId,
  scopes: ['lite:write'],
  limits: rateLimitDefaults,
  isTest,
  isDemo: false,
  diagnosticsEnabled: false,
  // Respondents take nothing off the limits of the key.
  client: true,
});

/** Where a respondent goes from the place that they have. */
async function continueAt(deps: EntryDeps, study: Study, place: Place): Promise<Answer> {
  if (place.state === 'completed' || place.state === 'terminated') return pageOf(study, 'done');
  if (place.state === 'screened') return pageOf(study, place.screenedFor === 'full' ? 'full' : 'declined');
  if (!letsHoldersFinish(study.status) || place.state === 'entering') return pageOf(study, 'closed');
  if (place.state === 'released') return retake(deps, study, place);
  if (place.state === 'surveying') return { kind: 'redirect', url: await surveyAddress(deps, study, place) };
  return verify(deps, study, place);
}

/** Takes a place back that was released, while there is room. */
async function retake(deps: EntryDeps, study: Study, place: Place): Promise<Answer> {
  if (study.status === 'completed') return pageOf(study, 'closed');
  const taken = await underLock(deps.database, place, async (tx, current, now) =>
    now.state === 'released'
      ? takePlace(tx, current, now, { state: current.serviceCheck ? 'verifying' : 'surveying', dueInMs: deps.placeMs })
      : now,
  );
  return taken.state === 'released' ? pageOf(study, 'full') : continueAt(deps, study, taken);
}

/** To the hosted verification, or past it where its result is there. */
async function verify(deps: EntryDeps, study: Study, place: Place): Promise<Answer> {
  const result = place.linkId === null ? null : await deps.verification.read(place);
  if (result === null) {
    const linkId = place.linkId ?? (await makeLink(deps, study, place));
    return { kind: 'redirect', url: deps.verification.linkUrl(linkId) };
  }
  const judged = await underLock(deps.database, place, async (tx, current, now) => {
    if (now.state !== 'verifying') return now;
    if (!isVerificationEnough(result, current))
      return changePlace(tx, now, { state: 'screened', screenedFor: 'verification' }, { held: -1, screenedOut: 1 });
    // Sample and quotas may have been made smaller since the place was taken.
    if (!(await hasRoom(tx, current, now.placeId, 'verified'))) return freePlace(tx, now, { state: 'released' });
    return changePlace(tx, now, { state: 'surveying', verified: true, dueInMs: deps.placeMs }, { verified: 1 });
  });
  if (judged.state === 'released') return pageOf(study, 'full');
  return continueAt(deps, study, judged);
}

/** Of two that make a link at once, the first one's is used. */
async function makeLink(deps: EntryDeps, study: Study, place: Place): Promise<string> {
  const made = await deps.verification.makeLink(place, study, `${deps.audienceUrl()}/verified/${place.placeId}`);
  const kept = await underLock(deps.database, place, async (tx, _study, now) =>
    now.linkId === null ? changePlace(tx, now, { linkId: made }) : now,
  );
  return kept.linkId ?? made;
}
