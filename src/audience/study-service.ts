/**
 * Studies as their owners handle them, each in its own mode, test or live. Changes are recorded in the audit trail with the write. A study
 * of others answers as one that does not exist.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../administration/audit.js';
import { countNoun } from '../contract/plural.js';
import type { StudyCreation, StudyLimits, StudyPatch, StudyQuota } from '../contract/study.js';
import type { CreatedStudyReply, StudyReply } from '../contract/study-replies.js';
import type { ReportGrouping, StudyReport } from '../contract/study-report.js';
import { graceHours } from '../contract/supplier.js';
import { Fault } from '../errors.js';
import { rest } from '../fair-limiter.js';
import { invalid } from '../kernel/faults.js';
import type { Page } from '../kernel/paging.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { entryUrlOf } from './entry-links.js';
import { placesLeft } from './limits.js';
import { createStudy, note, requireKnown, type StudyCaller, type StudyServiceDeps } from './study-creation.js';
import { countNewQuotas } from './quota-store.js';
import { forgetAbove } from './room.js';
import { reportStudy } from './study-report.js';
import { findQuotaIssues, stateAfter } from './study-rules.js';
import {
  changeStudy,
  findStudy,
  listStudies,
  readQuotas,
  requireStudy,
  setStatus,
  type Study,
  type StudyWithQuotas,
} from './study-store.js';
import { showStudy } from './study-view.js';
import { suppliersOfProject } from './supplier-store.js';
import { possibleActions, type StudyAction } from '../contract/study-moves.js';

export type StudyService = ReturnType<typeof createStudyService>;

export function createStudyService(deps: StudyServiceDeps) {
  const { database } = deps;
  const show = (study: StudyWithQuotas): StudyReply => showStudy(study, deps.audienceUrl());

  /** One change of a study under its lock. */
  const change = (
    caller: StudyCaller,
    studyId: string,
    run: (tx: Queryable, study: Study) => Promise<void>,
  ): Promise<StudyReply> =>
    inOrganization(
      database,
      caller.organizationId,
      async (tx) => {
        await run(tx, await requireStudy(tx, studyId, caller, { lock: true }));
        return show(await withQuotas(tx, await requireStudy(tx, studyId, caller)));
      },
      { line: studyId },
    );

  return {
    /** Throws VALIDATION_FAILED; NOT_FOUND for a project of others or where server-side scoring is off; CONFLICT where there is no project yet. */
    async create(actor: Actor, caller: StudyCaller, creation: StudyCreation): Promise<CreatedStudyReply> {
      const { study, surveyKey } = await createStudy(deps, actor, caller, creation);
      return { ...show(study), surveyKey };
    },

    read: (caller: StudyCaller, studyId: string): Promise<StudyReply> =>
      inOrganization(database, caller.organizationId, async (tx) =>
        show(await withQuotas(tx, await requireStudy(tx, studyId, caller))),
      ),

    list: (caller: StudyCaller, page: Page) =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const { items, nextCursor } = await listStudies(tx, caller, page);
        return { studies: items.map(show), nextCursor };
      }),

    /** Throws CONFLICT where a sample or quota that is lowered, or a new quota, would be below what was verified; and for a study that has ended. */
    update: (actor: Actor, caller: StudyCaller, studyId: string, patch: StudyPatch): Promise<StudyReply> =>
      countAhead(database, caller, studyId, patch).then(() =>
        change(caller, studyId, (tx, study) => updateStudy(tx, actor, study, patch)),
      ),

    /** Throws CONFLICT where the action does not apply; it names the state and what is possible. */
    act: (actor: Actor, caller: StudyCaller, studyId: string, action: StudyAction): Promise<StudyReply> =>
      change(caller, studyId, async (tx, study) => {
        const status = stateAfter(study.status, action);
        await setStatus(tx, studyId, status);
        await note(tx, actor, study, 'study.moved', { from: study.status, to: status });
      }),

    report: (caller: StudyCaller, studyId: string, by: ReportGrouping): Promise<StudyReport> =>
      inOrganization(database, caller.organizationId, async (tx) =>
        reportStudy(tx, await requireStudy(tx, studyId, caller), by),
      ),

    rotateSurveyKey: (actor: Actor, caller: StudyCaller, studyId: string, overlapHours: number = graceHours.default) =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const study = await requireStudy(tx, studyId, caller, { lock: true });
        const { secret, until } = await deps.secrets.rotate(tx, 'studies', studyId, overlapHours);
        await note(tx, actor, study, 'study.survey_key_rotated', { overlapHours });
        return { surveyKey: secret, previousSecretUntil: until?.toISOString() ?? null };
      }),

    /** Open studies of the whole organization that the supplier whose project calls may send to. */
    supply: (caller: StudyCaller, page: Page) =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const everyProject = { ...caller, projectId: null };
        const suppliers = caller.projectId === null ? null : await suppliersOfProject(tx, caller, caller.projectId);
        const { items, nextCursor } = await listStudies(tx, everyProject, page, { openTo: suppliers });
        return {
          studies: items.map((study) => showSupply(study, deps.audienceUrl())),
          nextCursor,
        };
      }),
  };
}

/** A study as its suppliers see it. */
const showSupply = (study: StudyWithQuotas, audienceUrl: string) => ({
  studyId: study.studyId,
  countries: [...study.countries],
  language: study.language,
  placesLeft: placesLeft(study),
  entry: study.entry,
  entryUrl: entryUrlOf(audienceUrl, study.studyId),
});

/** Counts new quotas in pieces, each under a lock of its own: respondents of the study and other organizations pass between. */
async function countAhead(
  database: Database,
  caller: StudyCaller,
  studyId: string,
  { audience }: StudyPatch,
): Promise<void> {
  const quotas = audience?.quotas ?? [];
  if (quotas.length === 0) return;
  for (let isMore = true; isMore;) {
    const startedMs = performance.now();
    isMore = await inOrganization(
      database,
      caller.organizationId,
      async (tx) => {
        const study = await findStudy(tx, studyId, { owner: caller, lock: true });
        return study !== null && canTake(study, quotas) && countNewQuotas(tx, study, quotas);
      },
      { line: studyId },
    );
    if (isMore) await rest(startedMs);
  }
}

const canTake = (study: Study, quotas: readonly StudyQuota[]): boolean =>
  possibleActions(study.status).length > 0 && findQuotaIssues(quotas, study.countries).length === 0;

async function updateStudy(tx: Queryable, actor: Actor, study: Study, patch: StudyPatch): Promise<void> {
  if (possibleActions(study.status).length === 0)
    throw new Fault('CONFLICT', `The study is ${study.status} and can’t be changed. Create a new one.`, {
      context: { state: study.status },
    });
  const sampleSize = patch.audience?.sample_size ?? study.sampleSize;
  // Withdrawn rejections may have filled it above its sample and quotas.
  if (sampleSize < Math.min(study.sampleSize, study.verified))
    throw belowVerified('sample_size', sampleSize, study.verified);
  const quotas = patch.audience?.quotas === undefined ? null : (patch.audience.quotas ?? []);
  const issues = findQuotaIssues(quotas ?? [], study.countries);
  if (issues.length > 0) throw invalid(issues);
  const limits = mergeLimits(study.limits, patch.audience?.limits);
  const given = patch.audience?.suppliers;
  const suppliers = given === undefined ? study.suppliers : (given ?? []);
  if (given !== undefined) await requireKnown(tx, study, suppliers, study.suppliers);
  const name = patch.name ?? study.name;
  const before = await readQuotas(tx, study.studyId);
  await forgetAbove(tx, study);
  await changeStudy(tx, study, { name, sampleSize, limits, quotas, suppliers });
  const after = await readQuotas(tx, study.studyId);
  const short = after.find(
    (quota) => quota.limit < quota.verified && !before.some((was) => areAlike(was, quota) && was.limit <= quota.limit),
  );
  if (quotas !== null && short !== undefined)
    throw belowVerified(`the limit of the quota "${short.name}"`, short.limit, short.verified);
  const changes = changesOf(
    { ...study, quotas: before.map(definitionOf) },
    { name, sampleSize, limits, suppliers, quotas: after.map(definitionOf) },
  );
  await note(tx, actor, study, 'study.changed', { changes });
}

/** A quota without its counts, which respondents move. */
const definitionOf = ({ name, country, gender, ageMin, ageMax, profession, limit }: StudyQuota): StudyQuota =>
  ({ name, country, gender, ageMin, ageMax, profession, limit }) as StudyQuota;

/** Whether two quotas count the same respondents. */
const areAlike = (one: StudyQuota, other: StudyQuota): boolean =>
  isDeepStrictEqual(definitionOf({ ...one, name: '', limit: 0 }), definitionOf({ ...other, name: '', limit: 0 }));

/** The fields that differ, each with its value before and after. */
const changesOf = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(after)
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, { before: before[field], after: after[field] }]),
  );

/** null goes back to the default. */
const mergeLimits = (limits: StudyLimits, patch: NonNullable<StudyPatch['audience']>['limits']): StudyLimits =>
  patch === null
    ? {}
    : Object.fromEntries(Object.entries({ ...limits, ...patch }).filter(([, value]) => value !== null));

const belowVerified = (what: string, wanted: number, verified: number): Fault =>
  new Fault(
    'CONFLICT',
    `${wanted} for ${what} is too low: ${countNoun(verified, 'respondent is', 'respondents are')} already verified. Send at least ${verified}.`,
    {
      context: { verified },
    },
  );

const withQuotas = async (tx: Queryable, study: Study): Promise<StudyWithQuotas> => ({
  ...study,
  quotas: await readQuotas(tx, study.studyId),
});
