/**
 * The rules of studies, pure: what the schema cannot say of one (every issue at once), where it can go from where it is, and what the gate does with
 * a respondent that it has scored.
 *
 *     draft ──launch──▶ fielding ◀──pause, resume──▶ paused
 *       │                  ├──────close──────────────┴──▶ completed
 *       └──────cancel──────┴──────cancel─────────────┴──▶ cancelled
 */
import type { Environment } from '../config/settings.js';
import { programFindings } from '../contract/program-findings.js';
import type { ScoreReply } from '../contract/score.js';
import type { ReturnMode, StudyCreation, StudyQuota } from '../contract/study.js';
import type { Completion, RespondentStatus } from '../contract/study-replies.js';
import type { ScreenOutRule } from '../contract/study-report.js';
import { Fault, type Issue } from '../errors.js';
import { redirectProblem } from '../net/web-address.js';
import type { QuotaReservation } from './reservation-store.js';
import { screenOutReasonsOf, type ReservationState } from './transitions.js';
import { possibleActions, studyMoves, type StudyAction, type StudyState } from '../contract/study-moves.js';

let languageNames: Intl.DisplayNames | undefined;

/** The canonical form of a BCP 47 tag of a registered language, or null. */
export function canonicalLanguage(tag: string): string | null {
  try {
    const locale = new Intl.Locale(tag);
    languageNames ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    return languageNames.of(locale.language) === undefined || locale.language === 'und' ? null : locale.toString();
  } catch {
    return null;
  }
}

export function findStudyIssues(creation: StudyCreation, environment: Environment): readonly Issue[] {
  const { audience, verification = {} } = creation;
  const issues: Issue[] = [];
  const problem = redirectProblem(creation.survey_url, environment);
  if (problem !== null) issues.push({ path: '/survey_url', message: problem });
  if (canonicalLanguage(audience.language) === null)
    issues.push({
      path: '/audience/language',
      message: 'must be a BCP 47 language tag, such as "en" or "de-CH".',
    });
  if (verification.minimum_quality === 'strict' && verification.service_check === false)
    issues.push({
      path: '/verification/service_check',
      message: 'must be true if minimum_quality is strict, which needs biometric assurance.',
    });
  return [...issues, ...findQuotaIssues(audience.quotas ?? [], normalCountries(audience.countries))];
}

export function findQuotaIssues(quotas: readonly StudyQuota[], countries: readonly string[]): readonly Issue[] {
  return quotas.flatMap((quota, index) => {
    const path = `/audience/quotas/${index}`;
    const issues: Issue[] = [];
    if (quotas.findIndex(({ name }) => name === quota.name) < index)
      issues.push({ path: `${path}/name`, message: 'must be unique. Another quota has this name.' });
    if (quota.country !== undefined && !countries.includes(quota.country.toUpperCase()))
      issues.push({
        path: `${path}/country`,
        message: `must be one of the study’s countries: ${countries.join(', ')}.`,
      });
    for (const name of ['gender', 'profession'] as const)
      if (quota[name] !== undefined && normalTrait(quota[name]) === '')
        issues.push({ path: `${path}/${name}`, message: 'must not be blank. Omit it if it does not matter.' });
    if (quota.ageMin !== undefined && quota.ageMax !== undefined && quota.ageMin > quota.ageMax)
      issues.push({ path: `${path}/ageMin`, message: 'must be at most ageMax.' });
    return issues;
  });
}

/** Upper case, each once. */
export const normalCountries = (countries: readonly string[]): readonly string[] => [
  ...new Set(countries.map((country) => country.toUpperCase())),
];

/** Traits are compared in this form. */
export const normalTrait = (text: string): string => text.trim().toLowerCase();

/** The state that an action leads to. Throws CONFLICT, which names the state and what is possible in it. */
export function stateAfter(state: StudyState, action: StudyAction): StudyState {
  const next = studyMoves[state][action];
  if (next !== undefined) return next;
  const possible = possibleActions(state);
  const hint =
    possible.length === 0 ? 'Create a new study' : `Use ${possible.join(', ').replace(/, (\w+)$/, ' or $1')}`;
  throw new Fault('CONFLICT', `The study is ${state}, so \`${action}\` is not possible. ${hint}.`, {
    context: { state, possible },
  });
}

/** The finding of a score that makes the browser a program, even if others weigh more; null: none. */
export const programOf = ({ reasons }: Pick<ScoreReply, 'reasons'>): string | null =>
  reasons.find(({ code }) => programFindings.includes(code))?.code ?? null;

export type DuplicateBand = ScoreReply['duplicate']['band'];

interface GateRules {
  readonly countries: readonly string[];
  readonly serviceCheck: boolean;
  readonly minimumQuality: 'standard' | 'strict';
}

/** null: they may go on; else why not, for the owner alone. A step_up passes where a verification follows. */
export function screen(
  {
    recommendation,
    duplicateBand,
    sharesDevice,
    country,
    isProgram,
  }: Pick<ScoreReply, 'recommendation'> & {
    /** Within the study. */
    readonly duplicateBand: DuplicateBand;
    /** The browser took a place before, and the study lets people share it. */
    readonly sharesDevice: boolean;
    /** The browser declares itself a program, or is one with certainty. */
    readonly isProgram: boolean;
    /** By the address, else as declared; null: not known. */
    readonly country: string | null;
  },
  { countries, serviceCheck, minimumQuality }: GateRules,
): 'gate' | 'duplicate' | 'country' | null {
  const strict = minimumQuality === 'strict';
  if (country !== null && !countries.includes(country)) return 'country';
  const isRepeated = duplicateBand === 'confirmed' || duplicateBand === 'likely';
  // If the owner lets people share a browser, a shared one is no repetition.
  if (isRepeated && (strict || !sharesDevice)) return 'duplicate';
  if (isProgram) return 'gate';
  switch (recommendation) {
    case 'allow':
      return null;
    case 'review':
      return strict ? 'gate' : null;
    case 'step_up':
      return serviceCheck ? null : 'gate';
    case 'block':
      return 'gate';
  }
}

/** A place as its owner sees it. */
export const statuses: Readonly<Record<ReservationState, RespondentStatus>> = {
  ...{ entering: 'entering', screened: 'screened_out', verifying: 'verifying', surveying: 'in_survey' },
  ...{ completed: 'completed', terminated: 'terminated', released: 'released' },
};

/** Why a respondent was screened out; null: they were not. */
export const screenOutReasonOf = ({ state, screenedFor }: Pick<QuotaReservation, 'state' | 'screenedFor'>) =>
  state === 'screened' && screenedFor !== null ? screenOutReasonsOf[screenedFor] : null;

/** The rule that screened a respondent out; null: they were not. */
export function screenOutRuleOf(
  place: Pick<QuotaReservation, 'state' | 'screenedFor' | 'reason'>,
): ScreenOutRule | null {
  const reason = screenOutReasonOf(place);
  if (reason !== 'quality') return reason;
  if (place.screenedFor === 'verification') return 'verification';
  return programFindings.includes(place.reason ?? '') ? 'program' : 'score';
}

/** Whole seconds from the first way to the survey until the return. */
export const surveySeconds = ({
  surveyedAt,
  returnedAt,
}: Pick<QuotaReservation, 'surveyedAt' | 'returnedAt'>): number | null =>
  surveyedAt === null || returnedAt === null
    ? null
    : Math.max(0, Math.floor((returnedAt.getTime() - surveyedAt.getTime()) / 1_000));

/** Whether a complete counts: the browser’s own word does if the study takes it. */
export const countsAs = (completion: Completion, { returns }: { readonly returns: ReturnMode }): boolean =>
  completion === 'confirmed' || (completion === 'unconfirmed' && returns === 'browser');

/** Whether a completed verification suffices. */
export const isVerificationEnough = (
  { status, assurance }: { readonly status: 'pass' | 'fail' | 'review'; readonly assurance: string },
  { minimumQuality }: Pick<GateRules, 'minimumQuality'>,
): boolean => status === 'pass' && (minimumQuality === 'standard' || assurance === 'biometric');
