/**
 * The way into a study. A respondent is scored once, gets a reservation if there is room, is verified if the study asks for it, and goes on to
 * the survey. Whoever comes again continues where they were. Every refusal by the gate is the same page, reached by the same steps: score, then
 * decide.
 *
 *     entering ──score, decide, take──▶ verifying ──passed──▶ surveying ──▶ the survey
 */
import type { DataOwner } from '../kernel/caller.js';
import type { NetworkClass } from '../contract/facts.js';
import type { ScoreReply, ScoreRequest } from '../contract/score.js';
import { isDeclaredBot } from '../contract/user-agent.js';
import type { Address } from '../net/address.js';
import type { Database } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { applyEvent, pageOf, surveyAddress, underLock, type Answer, type SurveyDeps } from './fielding.js';
import {
  changeReservation,
  findReservation,
  findRespondentReservation,
  openReservation,
  type QuotaReservation,
} from './reservation-store.js';
import { leave, type AnswerExit } from './exits.js';
import { sharesDevice, type Claimant } from './limits.js';
import { traitsOf, type GivenLink, type LinkVerdict } from './entry-links.js';
import { foundProgram, isVerificationEnough, screen } from './study-rules.js';
import { findStudy, type Study } from './study-store.js';
import { isUndecided, letsHoldersFinish, type ReservationState } from './transitions.js';

/** Somebody at the entry link. */
export interface Visit {
  readonly link: GivenLink;
  readonly address: Address | null;
  readonly userAgent: string | undefined;
  /** Random id that the browser keeps. */
  readonly device: string;
  /** Whether the page that checks the browser was shown, and the browser kept the id from it. */
  readonly check: 'new' | 'checked' | 'without cookies';
}

/** The known facts of an address; null: unknown. */
export interface Surroundings {
  readonly country: string | null;
  readonly networkClass: NetworkClass | null;
  /** The address, or the /64 of IPv6. null: one that nobody has on the internet. */
  readonly place: string | null;
  /** The /48 of IPv6. */
  readonly prefix: string | null;
}

/** Each takes one visit. Throws if there are too many. */
export interface VisitLimits {
  readonly takeAddress: (address: Address | null) => Promise<void>;
  readonly takeRespondent: (projectId: string, ref: string) => Promise<void>;
}

export interface EntryDeps extends SurveyDeps {
  readonly database: Database;
  readonly exit: AnswerExit;
  /** Whether the link opens the study. */
  readonly judgeLink: (study: Study, link: GivenLink) => Promise<LinkVerdict>;
  readonly score: (owner: DataOwner, request: ScoreRequest) => Promise<string>;
  readonly locate: (address: Address | null) => Surroundings;
  readonly visits: VisitLimits;
  /** Keyed hash of an identifier within a project. */
  readonly hash: (projectId: string, kind: 'respondent' | 'device' | 'address' | 'network', value: string) => string;
}

export function createEntryService(deps: EntryDeps) {
  const { database } = deps;
  return {
    async enter(visit: Visit): Promise<Answer> {
      const { rid: respondentId, src: sourceId } = visit.link;
      const { study, verdict } = await admitVisit(deps, visit);
      if (study === null || verdict === null) return pageOf(null, 'broken');
      const { problems, isExpired, entry, supplierId } = verdict;
      if (problems.length > 0 && !isExpired) return pageOf(study, 'broken');
      const refOf = (kind: 'address' | 'network', value: string | null): string | null =>
        value === null ? null : deps.hash(study.projectId, kind, value);
      const respondentRef = refOfRespondent(deps, study, respondentId, verdict);
      const known = await findRespondentReservation(database, study.studyId, respondentRef);
      // Only a link that is in time takes a place. A visit that took none holds the link open for no later one.
      if (isExpired && (known === null || isUndecided(known))) return pageOf(study, 'expired');
      if (known === null && study.status !== 'fielding')
        return deps.exit(study, { supplierId, respondentId, entry }, 'full', 'closed');
      const surroundings = deps.locate(visit.address);
      const declared = traitsOf(visit.link);
      const traits = { ...declared, country: surroundings.country ?? declared.country };
      const respondent = { respondentId, sourceId, respondentRef, supplierId, entry, ...traits };
      const reservation =
        known ??
        (await inOrganization(database, study.organizationId, (tx) => openReservation(tx, study, respondent), {
          line: study.studyId,
        }));
      // The same unproven id from elsewhere is somebody who tries again under another name, or two suppliers who count alike.
      if (entry === 'open' && reservation.sourceId !== sourceId) return pageOf(study, 'declined');
      const deviceRef = deps.hash(study.projectId, 'device', visit.device);
      if (isTakenElsewhere(reservation, deviceRef)) return pageOf(study, 'elsewhere');
      if (isUndecided(reservation) && study.status === 'fielding') {
        if (visit.check === 'new')
          return { kind: 'page', page: 'checking', study, sessionId: reservation.reservationId };
        if (visit.check === 'without cookies') return pageOf(study, 'unchecked');
      }
      const scored = await scoreOnce(deps, study, reservation, visit, {
        ...surroundings,
        deviceRef,
        addressRef: refOf('address', surroundings.place),
        networkRef: refOf('network', surroundings.prefix),
      });
      if (typeof scored === 'string') return pageOf(study, scored);
      // Another browser may have taken the place while this one was scored.
      return isTakenElsewhere(scored, deviceRef) ? pageOf(study, 'elsewhere') : continueAt(deps, study, scored);
    },

    /** Back from the hosted verification. Its outcome is looked up, whatever the address says. */
    async verified(reservationId: string, device: string): Promise<Answer> {
      const reservation = await findReservation(database, reservationId);
      const study = reservation === null ? null : await findStudy(database, reservation.studyId);
      if (reservation === null || study === null) return pageOf(null, 'broken');
      const deviceRef = deps.hash(study.projectId, 'device', device);
      return isTakenElsewhere(reservation, deviceRef)
        ? pageOf(study, 'elsewhere')
        : continueAt(deps, study, reservation);
    },
  };
}

/** Judges the link. A visit counts for the respondent whom a signature proves, and for the address otherwise. */
async function admitVisit(
  deps: EntryDeps,
  { link, address }: Visit,
): Promise<{ readonly study: Study | null; readonly verdict: LinkVerdict | null }> {
  const { database, judgeLink, visits } = deps;
  const hasSignature = link.sig !== undefined && link.sig !== '';
  if (!hasSignature) await visits.takeAddress(address);
  const study = await findStudy(database, link.studyId);
  const verdict = study === null ? null : await judgeLink(study, link);
  if (study !== null && verdict !== null && verdict.signedWith !== null)
    await visits.takeRespondent(study.projectId, refOfRespondent(deps, study, link.rid, verdict));
  else if (hasSignature) await visits.takeAddress(address);
  return { study, verdict };
}

/** A signed respondent is the supplier's own: another supplier, or nobody at all, cannot stand for them with the same rid. */
const refOfRespondent = (
  { hash }: Pick<EntryDeps, 'hash'>,
  { projectId }: Study,
  rid: string,
  { entry, supplierId }: LinkVerdict,
): string => hash(projectId, 'respondent', entry === 'signed' ? `${supplierId ?? ''}\n${rid}` : rid);

const taken: readonly ReservationState[] = ['verifying', 'surveying', 'released'];

/**
 * Whether another browser has the place, or gets it back. The ids of its holder and of the place, which others may know, do not lead to the
 * survey; a signature does. An erased holder has no browser.
 */
const isTakenElsewhere = ({ entry, state, deviceRef }: QuotaReservation, visitor: string): boolean =>
  entry === 'open' && taken.includes(state) && deviceRef !== visitor;

/**
 * Scores who is new, decides, and takes the reservation. A reservation that was handled meanwhile stays as it is. Without a probe nothing is
 * decided: the page that says so comes instead.
 */
async function scoreOnce(
  deps: EntryDeps,
  study: Study,
  reservation: QuotaReservation,
  visit: Visit,
  claim: Claimant & Pick<Surroundings, 'country'>,
): Promise<QuotaReservation | 'unchecked' | 'later'> {
  if (!isUndecided(reservation) || study.status !== 'fielding') return reservation;
  const reply = await gate(deps, study, reservation, visit, claim.deviceRef);
  const lacks = (signals: readonly ScoreReply['degradedSignals'][number][]): boolean =>
    reply.degradedSignals.some((signal) => signals.includes(signal));
  if (lacks(['probe_unreadable', 'counters_unavailable'])) return 'later';
  if (lacks(['client_probe_missing', 'probe_unusable'])) return 'unchecked';
  const { score, recommendation, receiptId } = reply;
  // A caller may name its own library by mistake; here the service itself received the request.
  const isDeclared = isDeclaredBot(visit.userAgent ?? '') && !foundProgram(reply);
  const reason = isDeclared ? 'declared_bot' : (reply.evidence.against[0]?.code ?? null);
  const scored = { score, recommendation, receiptId, reason, duplicateBand: reply.duplicate.band };
  const country = claim.country ?? reservation.country;
  const isProgram = isDeclared || foundProgram(reply);
  return underLock(deps.database, reservation, async (tx, current, now) => {
    if (now.state !== reservation.state) return now;
    const isShared = await sharesDevice(tx, current, claim);
    const screenedFor = screen({ ...scored, recommendation, country, isProgram, sharesDevice: isShared }, current);
    return screenedFor === null
      ? applyEvent(tx, current, now, 'admit', { change: { ...scored, dueInMs: deps.reservationMs }, claim })
      : applyEvent(tx, current, now, 'screen', { change: { ...scored, screenedFor } });
  });
}

/** The same scoring as with a key. The session is the reservation, so a repeat is the same receipt, or a new one that counts nothing twice. */
async function gate(
  deps: EntryDeps,
  study: Study,
  reservation: QuotaReservation,
  visit: Visit,
  deviceHash: string,
): Promise<ScoreReply> {
  const { userAgent, address, link } = visit;
  const { country } = traitsOf(link);
  const text = await deps.score(dataOwnerOf(study), {
    sessionId: reservation.reservationId,
    clientIp: address?.text ?? '',
    sourceId: link.src,
    studyId: study.studyId,
    respondentId: reservation.respondentRef,
    deviceHash,
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(country === null ? {} : { declaredCountry: country }),
  });
  return JSON.parse(text) as ScoreReply;
}

/** The measurements of a study belong to its project, and the key that created the study may read them. */
export const dataOwnerOf = ({ organizationId, projectId, lineage, isTest }: Study): DataOwner => ({
  ...{ lineage, organizationId, projectId, isTest, isDemo: false },
});

/** The next step of a respondent who has a reservation. */
async function continueAt(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  if (reservation.state === 'completed' || reservation.state === 'terminated')
    return deps.exit(study, reservation, 'finished', 'done');
  if (reservation.state === 'screened')
    return leave(deps.exit, study, reservation, reservation.screenedFor === 'full' ? 'full' : 'declined');
  if (!letsHoldersFinish(study.status) || reservation.state === 'entering')
    return deps.exit(study, reservation, 'full', 'closed');
  if (reservation.state === 'released') return retake(deps, study, reservation);
  if (reservation.state === 'surveying')
    return { kind: 'redirect', url: await surveyAddress(deps, study, reservation) };
  return verify(deps, study, reservation);
}

/** Takes a released reservation back while there is room. */
async function retake(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  const { status, taken } = await underLock(deps.database, reservation, async (tx, current, now) => ({
    status: current.status,
    taken: await applyEvent(tx, current, now, 'admit', { change: { dueInMs: deps.reservationMs } }),
  }));
  if (taken.state !== 'released') return continueAt(deps, study, taken);
  return deps.exit(study, reservation, 'full', status === 'fielding' ? 'full' : 'closed');
}

/** To the hosted verification, or past it where its result is there. */
async function verify(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  const result = reservation.linkId === null ? null : await deps.verification.read(reservation);
  if (result === null) {
    const linkId = reservation.linkId ?? (await makeLink(deps, study, reservation));
    return { kind: 'redirect', url: deps.verification.linkUrl(linkId) };
  }
  const judged = await underLock(deps.database, reservation, (tx, current, now) =>
    isVerificationEnough(result, current)
      ? applyEvent(tx, current, now, 'pass', { change: { dueInMs: deps.reservationMs } })
      : applyEvent(tx, current, now, 'fail', { change: { screenedFor: 'verification' } }),
  );
  // Sample and quotas may have been reduced since the reservation was taken.
  if (judged.state === 'released') return deps.exit(study, judged, 'full', 'full');
  return continueAt(deps, study, judged);
}

/** If two calls make a link at once, both use the first one’s. */
async function makeLink(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<string> {
  const returnUrl = `${deps.audienceUrl()}/verified/${reservation.reservationId}`;
  const made = await deps.verification.makeLink(reservation, study, returnUrl);
  const kept = await underLock(deps.database, reservation, async (tx, _study, now) =>
    now.linkId === null ? changeReservation(tx, now, { linkId: made }) : now,
  );
  return kept.linkId ?? made;
}
