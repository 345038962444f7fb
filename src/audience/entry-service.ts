/**
 * The way into a study. A respondent is scored once, gets a reservation if there is room, is verified if the study asks for it, and goes on to
 * the survey. Whoever comes again continues where they were. Every refusal by the gate is the same page, reached by the same steps: score, then
 * decide.
 *
 *     entering ──score, decide, take──▶ verifying ──passed──▶ surveying ──▶ the survey
 */
import type { NetworkClass, Ref } from '../contract/facts.js';
import type { ScoreReply } from '../contract/score.js';
import { isDeclaredBot } from '../contract/declared-program.js';
import type { Address } from '../net/address.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import {
  applyEvent,
  leadToSurvey,
  pageOf,
  underLock,
  underStudyLock,
  type Answer,
  type SurveyDeps,
} from './fielding.js';
import {
  isErased,
  changeReservation,
  findReservation,
  findRespondentReservation,
  openReservation,
  takeLink,
  type QuotaReservation,
  type ReservationChange,
} from './reservation-store.js';
import {
  claimPlace,
  findAside,
  findPlaceOfBrowser,
  isOfOtherSender,
  isOpenTo,
  openAside,
  ownPlaceId,
  respondentRefOf,
  type Asking,
  type HashIdentifier,
} from './own-places.js';
import { leave, type AnswerExit } from './exits.js';
import { sharesDevice, type Claimant } from './limits.js';
import { isSameText } from './signatures.js';
import {
  controlsIn,
  newcomerProblems,
  traitsOf,
  unprovenProblems,
  type GivenLink,
  type LinkVerdict,
} from './entry-links.js';
import { isReadable, readLink, repeatedIn, tooLongIn } from './link-problems.js';
import type { RefusedLinks } from './refused-links.js';
import { scoreVisit, type GateDeps } from './gate.js';
import { endJudging, isEndedSince, noteJudging, type Judging } from './repetition.js';
import { isVerificationEnough, programOf, screen } from './study-rules.js';
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

export interface EntryDeps extends SurveyDeps, GateDeps {
  readonly database: Database;
  readonly exit: AnswerExit;
  /** Whether the link opens the study. */
  readonly judgeLink: (study: Study, link: GivenLink) => Promise<LinkVerdict>;
  readonly noteRefusedLink: RefusedLinks['note'];
  /** The name of a session in scoring. */
  readonly sessionRef: (study: Study, sessionId: string) => Ref;
  readonly locate: (address: Address | null) => Surroundings;
  readonly visits: VisitLimits;
  readonly hash: HashIdentifier;
}

export function createEntryService(deps: EntryDeps) {
  const { database } = deps;
  return {
    async enter(visit: Visit): Promise<Answer> {
      const { rid: respondentId, src: sourceId } = visit.link;
      const { study, verdict } = await admitVisit(deps, visit);
      if (study === null || verdict === null) return pageOf(null, 'broken');
      const { problems, isExpired, entry, supplierId } = verdict;
      const refuse = (page: 'broken' | 'expired'): Answer => {
        const [problem] = problems;
        if (problem !== undefined) deps.noteRefusedLink(study, { named: verdict.named, reason: problem.code });
        return pageOf(study, page);
      };
      if (!problems.every(({ code }) => unprovenProblems.includes(code) || newcomerProblems.includes(code)))
        return refuse('broken');
      const respondentRef = respondentRefOf(deps.hash, study, respondentId, verdict);
      const deviceRef = deps.hash(study.projectId, 'device', visit.device);
      // Nobody can check the signature of a supplier that was deleted, but the browser proves who holds a place.
      const findOfBrowser = () => findPlaceOfBrowser(database, study, { respondentId, sourceId, deviceRef, entry });
      const known =
        entry === 'signed' && verdict.signedWith === null
          ? await findOfBrowser()
          : await findRespondentReservation(database, study.studyId, respondentRef);
      // Only a link without a problem takes a place. A visit that took none holds the link open for no later one.
      if (problems.length > 0 && (known === null || isGated(known))) return refuse(isExpired ? 'expired' : 'broken');
      const closed = (): Promise<Answer> => deps.exit(study, { supplierId, respondentId, entry }, 'full', 'closed');
      if (known === null && study.status !== 'fielding') return closed();
      const surroundings = deps.locate(visit.address);
      const declared = traitsOf(visit.link);
      const traits = { ...declared, country: surroundings.country ?? declared.country };
      const asking = { respondentId, sourceId, respondentRef, supplierId, entry, deviceRef, ...traits };
      const current = known ?? (await openFirst(deps, study, asking));
      const ownId = ownPlaceId(deps, study, asking, current);
      const place = (await findAside(database, current, ownId)) ?? current;
      const isOpen = isOpenTo(place, ownId);
      if (isOpen && study.status !== 'fielding') return closed();
      // The same unproven id from elsewhere is somebody who tries again under another name, or two suppliers who count alike. A place that nobody
      // holds yet is that of the newest link.
      const isOfOther = !isOpen && isOfOtherSender(place, { entry, supplierId, sourceId });
      const isRemade = isOfOther && place.sourceId === sourceId && (await findOfBrowser()) !== null;
      if (isOfOther && !isRemade) return pageOf(study, 'declined');
      if (isTakenElsewhere(place, deviceRef)) return pageOf(study, 'elsewhere');
      if (study.status !== 'fielding' || !(isOpen || isGated(place))) return continueAt(deps, study, place);
      if (visit.check === 'new') return { kind: 'page', page: 'checking', study, sessionId: ownId };
      if (visit.check === 'without cookies') return pageOf(study, 'unchecked');
      const judged = await judgeEntry(deps, study, visit, { asking, ownId, surroundings });
      if (typeof judged === 'string') return pageOf(study, judged);
      // Another browser may have taken the place while this one was scored.
      return isTakenElsewhere(judged, deviceRef) ? pageOf(study, 'elsewhere') : continueAt(deps, study, judged);
    },

    /** Counts a visit whose values no entry takes, and answers its page. */
    async refuseUnreadable(url: string, address: Address | null): Promise<Answer> {
      await deps.visits.takeAddress(address);
      const link = readLink(url, deps.audienceUrl());
      const study = link === null ? null : await findStudy(database, link.studyId);
      if (link === null || study === null) return pageOf(null, 'broken');
      const [problem] = [...repeatedIn(url), ...tooLongIn(link), ...controlsIn(link)];
      const { named } = await deps.judgeLink(study, isReadable(link.src) ? link : { ...link, src: '' });
      deps.noteRefusedLink(study, { named, reason: problem?.code ?? 'value_unreadable' });
      return pageOf(study, 'broken');
    },

    /**
     * Back from the hosted verification. Its outcome is looked up, whatever the address says. The id of a place, which others may read, leads
     * nowhere alone; a released place comes back by its link, whose expiry and gate then hold.
     */
    async verified({ reservationId, device, sig, address }: VerifiedVisit): Promise<Answer> {
      const reservation = await findReservation(database, reservationId);
      const deviceRef = reservation === null ? null : deps.hash(reservation.projectId, 'device', device);
      const isHolder =
        reservation !== null && (reservation.deviceRef === deviceRef || hasReturnProof(deps, reservation, sig));
      if (isHolder) await deps.visits.takeRespondent(reservation.projectId, `verified ${reservationId}`);
      else await deps.visits.takeAddress(address);
      const study = reservation === null ? null : await findStudy(database, reservation.studyId);
      if (reservation === null || study === null) return pageOf(null, 'broken');
      if (isErased(reservation) && isReturnProof(deps, reservation, sig)) return pageOf(study, 'erased');
      if (isHolder && reservation.state !== 'released') return continueAt(deps, study, reservation);
      return pageOf(study, !isHolder && isTakenElsewhere(reservation, deviceRef) ? 'elsewhere' : 'reopen');
    },
  };
}

/** Somebody who comes back from the hosted verification. */
export interface VerifiedVisit extends Pick<Visit, 'device' | 'address'> {
  readonly reservationId: string;
  /** The proof in the address that the verification returns to. */
  readonly sig: string | undefined;
}

/** The address that the verification returns to proves the place, so that a respondent may finish on another device. */
const returnProofOf = ({ hash }: EntryDeps, { projectId, reservationId }: QuotaReservation): string =>
  hash(projectId, 'verification', reservationId);

const isReturnProof = (deps: EntryDeps, place: QuotaReservation, sig = ''): boolean =>
  isSameText(sig, returnProofOf(deps, place));

/** Whether `sig` is the proof of a signed place. The place of an open link belongs to its browser. */
const hasReturnProof = (deps: EntryDeps, place: QuotaReservation, sig: string | undefined): boolean =>
  place.entry === 'signed' && isReturnProof(deps, place, sig);

/** Whether the gate looks at the respondent, at this visit: they have no place, or lost it. */
const isGated = (place: QuotaReservation): boolean => isUndecided(place) || place.state === 'released';

/** The place of the first browser that opens the link. */
const openFirst = (deps: EntryDeps, study: Study, asking: Asking): Promise<QuotaReservation> =>
  inOrganization(
    deps.database,
    study.organizationId,
    (tx) => openReservation(tx, study, asking, ownPlaceId(deps, study, asking, null)),
    { line: study.studyId },
  );

/** Judges the link. A visit counts for the respondent of the study whom a signature proves in time, and for the address otherwise. */
async function admitVisit(
  deps: EntryDeps,
  { link, address }: Visit,
): Promise<{ readonly study: Study | null; readonly verdict: LinkVerdict | null }> {
  const { database, judgeLink, visits } = deps;
  const hasSignature = link.sig !== undefined && link.sig !== '';
  if (!hasSignature) await visits.takeAddress(address);
  const study = await findStudy(database, link.studyId);
  const verdict = study === null ? null : await judgeLink(study, link);
  if (study !== null && verdict !== null && verdict.signedWith !== null && !verdict.isExpired)
    await visits.takeRespondent(
      study.projectId,
      `${study.studyId} ${respondentRefOf(deps.hash, study, link.rid, verdict)}`,
    );
  else if (hasSignature) await visits.takeAddress(address);
  return { study, verdict };
}

const taken: readonly ReservationState[] = ['verifying', 'surveying', 'released'];

/**
 * Whether another browser has the place, or gets it back. The ids of its holder and of the place, which others may know, do not lead to the
 * survey; a signature does. An erased holder has no browser.
 */
const isTakenElsewhere = ({ entry, state, deviceRef }: QuotaReservation, visitor: string | null): boolean =>
  entry === 'open' && taken.includes(state) && deviceRef !== visitor;

interface Entering {
  readonly asking: Asking;
  readonly ownId: string;
  readonly surroundings: Surroundings;
}

/**
 * Scores who has no place, decides, and takes the reservation. A reservation that was handled meanwhile stays as it is, and a released one
 * that the gate refuses stays released. Without a probe nothing is decided: the page that says so comes instead.
 */
async function judgeEntry(
  deps: EntryDeps,
  study: Study,
  visit: Visit,
  { asking, ownId, surroundings }: Entering,
): Promise<QuotaReservation | 'unchecked' | 'later' | 'declined' | 'erased'> {
  const judging = await noteVisit(deps, study, asking, ownId);
  const { reply, repeats } = await scoreVisit(deps, study, visit, { asking, ownId, sessionRef: judging.sessionRef });
  const lacks = (signals: readonly ScoreReply['degradedSignals'][number][]): boolean =>
    reply.degradedSignals.some((signal) => signals.includes(signal));
  const isLater = lacks(['probe_unreadable', 'counters_unavailable']);
  if (isLater || lacks(['client_probe_missing', 'probe_unusable'])) {
    await endJudging(deps.database, ownId, judging);
    return isLater ? 'later' : 'unchecked';
  }
  const { score, recommendation, receiptId } = reply;
  // A caller may name its own library by mistake; here the service itself received the request.
  const program = programOf(reply) ?? (isDeclaredBot(visit.userAgent ?? '') ? 'declared_bot' : null);
  const reason = program ?? reply.evidence.against[0]?.code ?? null;
  const scored = { score, recommendation, receiptId, reason, duplicateBand: reply.duplicate.band, repeats };
  const claim = claimantOf(deps, study, asking, surroundings);
  return underStudyLock(deps.database, study, async (tx, current) => {
    const claimed = await claimPlace(tx, current, asking, ownId);
    if (isErased(claimed)) return 'erased';
    if (claimed.reservationId !== ownId || !isGated(claimed)) return claimed;
    if (isUndecided(claimed) && isEndedSince(claimed, judging)) return claimed.state === 'entering' ? 'later' : claimed;
    const now = isUndecided(claimed) ? await takeLink(tx, claimed, asking) : claimed;
    const isShared = await sharesDevice(tx, current, claim);
    const country = surroundings.country ?? now.country;
    // The own browser of a released place is nobody's repetition: who came meanwhile and looks like it came after it.
    const isOwnAgain = now.state === 'released' && now.deviceRef === asking.deviceRef;
    const duplicateBand = isOwnAgain ? 'none' : scored.duplicateBand;
    const findings = { recommendation, duplicateBand, country, isProgram: program !== null, sharesDevice: isShared };
    const screenedFor = screen(findings, current);
    if (now.state === 'released') return screenedFor === null ? retake(deps, tx, current, now, scored) : 'declined';
    return screenedFor === null
      ? applyEvent(tx, current, now, 'admit', { change: { ...scored, dueInMs: deps.reservationMs }, claim })
      : applyEvent(tx, current, now, 'screen', { change: { ...scored, screenedFor } });
  });
}

/** Others who are judged meanwhile must find the visit, so it has a place before scoring counts it. */
async function noteVisit(
  { database, sessionRef }: EntryDeps,
  study: Study,
  asking: Asking,
  ownId: string,
): Promise<Judging> {
  const note = () => noteJudging(database, ownId, sessionRef(study, ownId));
  const noted = await note();
  if (noted !== null) return noted;
  await underStudyLock(database, study, (tx) => openAside(tx, study, asking, ownId));
  const opened = await note();
  if (opened === null) throw new Error(`the place ${ownId} is gone`);
  return opened;
}

/** The person who takes a place, as the study counts them. */
function claimantOf(
  { hash }: Pick<EntryDeps, 'hash'>,
  { projectId }: Study,
  { deviceRef }: Asking,
  { place, prefix, networkClass }: Surroundings,
): Claimant {
  const refOf = (kind: 'address' | 'network', value: string | null): string | null =>
    value === null ? null : hash(projectId, kind, value);
  return { deviceRef, networkClass, addressRef: refOf('address', place), networkRef: refOf('network', prefix) };
}

/** The next step of a respondent who has a reservation. */
async function continueAt(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  if (reservation.state === 'completed' || reservation.state === 'terminated')
    return deps.exit(study, reservation, 'finished', 'done');
  if (reservation.state === 'screened')
    return leave(deps.exit, study, reservation, reservation.screenedFor === 'full' ? 'full' : 'declined');
  if (!letsHoldersFinish(study.status) || reservation.state === 'entering')
    return deps.exit(study, reservation, 'full', 'closed');
  if (reservation.state === 'released')
    return deps.exit(study, reservation, 'full', study.status === 'fielding' ? 'full' : 'closed');
  if (reservation.state === 'surveying') return leadToSurvey(deps, study, reservation);
  return verify(deps, study, reservation);
}

/** Takes a released reservation back while there is room. Its person was counted when they took it, and an end that only their browser reported is over. */
const retake = (
  { reservationMs }: EntryDeps,
  tx: Queryable,
  study: Study,
  now: QuotaReservation,
  scored: ReservationChange = {},
): Promise<QuotaReservation> =>
  applyEvent(tx, study, now, 'admit', {
    change: { ...scored, ...{ refusedFor: null, returnedBy: null, returnedAt: null }, dueInMs: reservationMs },
  });

/** To the hosted verification, or past it where its result is there. A failure ends the place once no retry is left. */
async function verify(deps: EntryDeps, study: Study, reservation: QuotaReservation): Promise<Answer> {
  const result = reservation.linkId === null ? null : await deps.verification.read(reservation);
  if (result === null || result.isRetryable) {
    const linkId = reservation.linkId ?? (await makeLink(deps, reservation));
    return linkId === null ? pageOf(study, 'erased') : { kind: 'redirect', url: deps.verification.linkUrl(linkId) };
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

/** Two calls at once use the same link. null: the respondent was erased. */
function makeLink(deps: EntryDeps, reservation: QuotaReservation): Promise<string | null> {
  const path = `/verified/${reservation.reservationId}?sig=${returnProofOf(deps, reservation)}`;
  const returnUrl = deps.audienceUrl() + path;
  return underLock(deps.database, reservation, async (tx, study, now) => {
    if (isErased(now)) return null;
    const linkId = now.linkId ?? (await deps.verification.makeLink(tx, now, study, returnUrl));
    if (now.linkId === null) await changeReservation(tx, now, { linkId });
    return linkId;
  });
}
