/**
 * The way back from a survey: closes the reservation, and reports the outcome to scoring. The weight of each source is decided in
 * return-rules.ts. A released reservation is taken back if there is room.
 */
import type { ReturnReply, ReturnStatus, StudyReturn } from '../contract/study-returns.js';
import type { Secrets, SecretStore } from '../administration/secret-store.js';
import { Fault } from '../errors.js';
import { invalid, notFound } from '../kernel/faults.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { leave, type AnswerExit } from './exits.js';
import { applyEvent, pageOf, underLock, type Answer } from './fielding.js';
import type { ReportOutcomes } from './outcome-reporter.js';
import type { PageName } from './page-texts.js';
import {
  isErased,
  changeReservation,
  findReservation,
  type QuotaReservation,
  type ReservationChange,
} from './reservation-store.js';
import { isTokenOf, type ReservationTokens } from './reservation-tokens.js';
import { judgeReturn, reversedFromOf, withoutRejection, type GivenReturn, type ReturnVerdict } from './return-rules.js';
import { isReversed, restore, reverseAll } from './reversals.js';
import { isSurveyKey, returnLines, signerOf } from './signatures.js';
import { statuses } from './study-rules.js';
import { findStudy, readSurveySecrets, type Study, type StudyOwner } from './study-store.js';
import { decide, letsHoldersFinish } from './transitions.js';

export interface ReturnDeps {
  readonly database: Database;
  readonly tokens: ReservationTokens;
  readonly secrets: SecretStore;
  readonly reportOutcomes: ReportOutcomes;
  readonly exit: AnswerExit;
  readonly now: () => number;
}

/** Whoever reports a return: the study's owner, or the survey with its key. */
export type ReturnCaller = { readonly owner: StudyOwner } | { readonly surveyKey: string };

/** How far the clock of the survey may differ from the clock here. */
const skewMs = 300_000;

/** Why a return is not of this time, after “is”; null: it may be. */
function objectionTo(atMs: number, { surveyedAt }: QuotaReservation, nowMs: number): string | null {
  if (atMs > nowMs + skewMs) return 'in the future';
  return surveyedAt !== null && atMs < surveyedAt.getTime() - skewMs ? 'before the survey began' : null;
}

export function createReturnService(deps: ReturnDeps) {
  const { database, tokens, secrets, now } = deps;

  const apply = async (study: Study, reservation: QuotaReservation, given: GivenReturn): Promise<Applied> => {
    const applied = await underLock(database, reservation, (tx, current, found) => close(tx, current, found, given));
    if (!applied.isDue) return applied;
    await deps.reportOutcomes(study, [applied.reservation]);
    // An outcome event that came before the complete has rejected it by now.
    return {
      ...applied,
      reservation: (await findReservation(database, reservation.reservationId)) ?? applied.reservation,
    };
  };
  const secretsOf = async (study: Study) =>
    secrets.open(study.studyId, await readSurveySecrets(database, study.studyId));

  return {
    /** By the respondent's browser. Signed returns count as confirmed by the survey; a wrong signature changes nothing. */
    async comeBack(
      token: string,
      status: ReturnStatus,
      signed: { readonly t: string; readonly sig: string } | null = null,
    ): Promise<Answer> {
      const claims = tokens.read(token);
      const reservation = claims === null ? null : await findReservation(database, claims.sub);
      const study = reservation === null ? null : await findStudy(database, reservation.studyId);
      if (claims === null || reservation === null || study === null || !isTokenOf(claims, reservation))
        return pageOf(study, reservation !== null && isErased(reservation) ? 'erased' : 'expired');
      const lines = returnLines(study.studyId, reservation.reservationId, status, signed?.t ?? '');
      const atMs = Number(signed?.t ?? '0') * 1_000;
      const isForged =
        signed !== null &&
        (objectionTo(atMs, reservation, now()) !== null ||
          signerOf(await secretsOf(study), lines, signed.sig) === null);
      if (isForged) return pageOf(study, 'broken');
      const { page, reservation: after } = await apply(study, reservation, {
        status,
        by: signed === null ? 'browser' : 'survey',
        at: new Date(signed === null ? now() : Math.min(atMs, now())),
        isDated: signed !== null,
      });
      return page === 'thanks' || page === 'full' ? leave(deps.exit, study, after, page) : pageOf(study, page);
    },

    /** From server to server. Throws INVALID_KEY; NOT_FOUND; CONFLICT for a place that never came to the survey. */
    async report(caller: ReturnCaller, studyId: string, given: StudyReturn): Promise<ReturnReply> {
      const { place, status, at, ignoreMinimumSeconds = false } = given;
      const study = await findStudy(database, studyId, 'owner' in caller ? { owner: caller.owner } : {});
      if ('surveyKey' in caller) await requireSurveyKey(study, caller.surveyKey, secretsOf);
      const reservation = study === null ? null : await findReservation(database, place);
      if (study === null) throw notFound('study');
      if (reservation?.studyId !== studyId) throw notFound('place in this study');
      requireValid(caller, given, reservation, now());
      const applied = await apply(study, reservation, {
        status,
        by: 'owner' in caller ? 'owner' : 'survey',
        at: new Date(Math.min(at === undefined ? now() : Date.parse(at), now())),
        isDated: at !== undefined,
        ignoresMinimum: ignoreMinimumSeconds,
      });
      if (applied.page === 'expired')
        throw new Fault(
          'CONFLICT',
          'The respondent was not sent to the survey. Return only respondents who entered it.',
        );
      if (applied.page === 'closed')
        throw new Fault(
          'CONFLICT',
          `The study is ${study.status}, so returns are not accepted. Check the study’s status.`,
        );
      const { state, completion } = applied.reservation;
      return { place, status: statuses[state], completion, changed: applied.changed };
    },
  };
}

/** Throws VALIDATION_FAILED. */
function requireValid(
  caller: ReturnCaller,
  { at, ignoreMinimumSeconds = false }: StudyReturn,
  reservation: QuotaReservation,
  nowMs: number,
): void {
  const objection = at === undefined ? null : objectionTo(Date.parse(at), reservation, nowMs);
  if (objection !== null) throw invalid([{ path: '/at', message: `is ${objection}. Send the time of the return.` }]);
  if (ignoreMinimumSeconds && !('owner' in caller))
    throw invalid([{ path: '/ignoreMinimumSeconds', message: 'needs an API key. Omit it with the surveyKey.' }]);
}

/** A key is refused alike whether the study exists or not. */
async function requireSurveyKey(
  study: Study | null,
  surveyKey: string,
  secretsOf: (study: Study) => Promise<Secrets>,
): Promise<void> {
  if (study === null || !isSurveyKey(await secretsOf(study), surveyKey))
    throw new Fault(
      'INVALID_KEY',
      'The key is missing or invalid. Send the study’s `surveyKey` or an API key as `Authorization: Bearer`.',
    );
}

interface Applied {
  readonly page: Extract<PageName, 'thanks' | 'full' | 'closed' | 'expired'>;
  readonly reservation: QuotaReservation;
  readonly changed: boolean;
  /** Whether scoring learns of it, or may reject it. */
  readonly isDue: boolean;
}

/** If the study was made smaller meanwhile, the rest goes to the respondents who return first. */
async function close(tx: Queryable, study: Study, found: QuotaReservation, given: GivenReturn): Promise<Applied> {
  const { state, surveyedAt } = found;
  const kept = { reservation: found, changed: false, isDue: false };
  const hasEnded = state === 'completed' || state === 'terminated';
  if (surveyedAt === null || (!hasEnded && state !== 'surveying' && state !== 'released'))
    return { ...kept, page: 'expired' };
  const standing = withoutRejection(found);
  const verdict = judgeReturn(study, standing, given);
  if (verdict === null) return { ...kept, page: 'thanks' };
  const { event } = verdict;
  const isAnotherReason = event === 'reverse' && isReversed(standing);
  const applies =
    isAnotherReason ||
    (decide(event, study, standing) !== null && (event === 'reverse' || letsHoldersFinish(study.status)));
  if (!applies) return { ...kept, page: hasEnded ? 'thanks' : 'closed' };
  if (standing !== found || isAnotherReason) {
    const change = isAnotherReason ? { refusedFor: verdict.refusedFor } : { reversedFrom: reversedFromOf(verdict) };
    return {
      page: 'thanks',
      reservation: await amend(tx, found, verdict, change),
      changed: true,
      isDue: verdict.isReported,
    };
  }
  const after = await applyReturn(tx, study, found, given, verdict);
  if (after === found) return { ...kept, page: 'full' };
  const isFull = (event === 'complete' || event === 'hold') && after.state === 'terminated';
  if (isFull) {
    const reservation = await changeReservation(tx, after, { completion: null, outcomeDue: false });
    return { page: 'full', reservation, changed: true, isDue: false };
  }
  return {
    ...{ page: 'thanks', reservation: after, changed: true },
    isDue: verdict.isReported || after.state === 'completed',
  };
}

/** The rejection stands, for another reason, or its withdrawal restores another end. */
const amend = (
  tx: Queryable,
  found: QuotaReservation,
  { returnedAt, returnedBy, isReported }: ReturnVerdict,
  change: Pick<ReservationChange, 'refusedFor' | 'reversedFrom'>,
): Promise<QuotaReservation> =>
  changeReservation(tx, found, { ...change, returnedAt, returnedBy, ...(isReported ? { outcomeDue: true } : {}) });

/** The same object: the place lacks room for what was returned. */
async function applyReturn(
  tx: Queryable,
  study: Study,
  found: QuotaReservation,
  { at }: GivenReturn,
  { event, isReported, ...result }: ReturnVerdict,
): Promise<QuotaReservation> {
  if (event === 'restore') return restore(tx, study, found, result.returnedBy);
  if (event !== 'reverse')
    return applyEvent(tx, study, found, event, {
      change: { ...result, outcomeDue: isReported || result.completion !== null },
    });
  const { returnedBy, refusedFor } = result;
  const rejection = { by: 'return', reason: refusedFor ?? 'unknown', note: null, at, returnedBy } as const;
  const [reversed = found] = await reverseAll(tx, study, [{ place: found, rejection }]);
  return reversed;
}
