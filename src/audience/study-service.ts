/**
 * Studies as their owners handle them, each in its own mode, test or live. Changes are recorded in the audit trail with the write. A study
 * of others answers as one that does not exist.
 */
import { notFound, invalid } from '../kernel/faults.js';
import type { KeyCaller } from '../kernel/caller.js';
import type { Environment } from '../config/settings.js';
import { recordAudit, type Actor } from '../administration/audit.js';
import {
  minimumSecondsDefault,
  type CreatedStudyReply,
  type StudyAction,
  type StudyCreation,
  type StudyLimits,
  type StudyPatch,
  type StudyReply,
} from '../contract/study.js';
import { graceHours } from '../contract/supplier.js';
import type { AuditAction } from '../contract/audit.js';
import { makeId } from '../crypto/ids.js';
import type { SecretStore } from '../crypto/secret-store.js';
import { Fault } from '../errors.js';
import type { Page } from '../kernel/paging.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { placesLeft } from './limits.js';
import {
  canonicalLanguage,
  findQuotaIssues,
  findStudyIssues,
  normalCountries,
  possibleActions,
  stateAfter,
} from './study-rules.js';
import { entryUrlOf } from './entry-links.js';
import {
  changeStudy,
  findStudy,
  insertStudy,
  listStudies,
  readQuotas,
  replaceSurveyKey,
  setStatus,
  type Study,
  type StudyWithQuotas,
} from './study-store.js';
import { knownSuppliers, suppliersOfProject } from './supplier-store.js';

/** Whoever calls with a key, or on behalf of an organization. */
export type StudyCaller = Pick<KeyCaller, 'organizationId' | 'projectId' | 'lineage' | 'isTest'>;

export interface StudyServiceDeps {
  readonly database: Database;
  readonly environment: Environment;
  readonly secrets: SecretStore;
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  /** Whether the organization has server-side scoring, which the gate needs. */
  readonly liteEnabled: (organizationId: string) => Promise<boolean>;
  /** `{audience_url}`, without a slash at its end. */
  readonly audienceUrl: () => string;
}

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
        await run(tx, requireStudy(await findStudy(tx, studyId, { owner: caller, lock: true })));
        return show(await withQuotas(tx, requireStudy(await findStudy(tx, studyId, { owner: caller }))));
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
        show(await withQuotas(tx, requireStudy(await findStudy(tx, studyId, { owner: caller })))),
      ),

    list: (caller: StudyCaller, page: Page) =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const { items, nextCursor } = await listStudies(tx, caller, page);
        return { studies: items.map(show), nextCursor };
      }),

    /** Throws CONFLICT below what was verified, and for a study that has ended. */
    update: (actor: Actor, caller: StudyCaller, studyId: string, patch: StudyPatch): Promise<StudyReply> =>
      change(caller, studyId, (tx, study) => updateStudy(tx, actor, study, patch)),

    /** Throws CONFLICT where the action does not apply; it names the state and what is possible. */
    act: (actor: Actor, caller: StudyCaller, studyId: string, action: StudyAction): Promise<StudyReply> =>
      change(caller, studyId, async (tx, study) => {
        const status = stateAfter(study.status, action);
        await setStatus(tx, studyId, status);
        await note(tx, actor, study, 'study.moved', { from: study.status, to: status });
      }),

    rotateSurveyKey: (actor: Actor, caller: StudyCaller, studyId: string, overlapHours: number = graceHours.default) =>
      inOrganization(database, caller.organizationId, async (tx) => {
        const study = requireStudy(await findStudy(tx, studyId, { owner: caller, lock: true }));
        const { secret, sealed } = deps.secrets.make(studyId);
        const until = await replaceSurveyKey(tx, studyId, sealed, overlapHours);
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
          studies: items.map((study) => ({
            studyId: study.studyId,
            countries: [...study.countries],
            language: study.language,
            placesLeft: placesLeft(study),
            entry: study.entry,
            entryUrl: entryUrlOf(deps.audienceUrl(), study.studyId),
          })),
          nextCursor,
        };
      }),
  };
}

async function createStudy(
  deps: StudyServiceDeps,
  actor: Actor,
  caller: StudyCaller,
  creation: StudyCreation,
): Promise<{ readonly study: StudyWithQuotas; readonly surveyKey: string }> {
  const issues = findStudyIssues(creation, deps.environment);
  if (issues.length > 0) throw invalid(issues);
  if (!(await deps.liteEnabled(caller.organizationId)))
    throw notFound('operation for this organization: server-side scoring, which the gate needs, is not enabled');
  const projectId = await projectOf(deps, caller, creation.projectId);
  const strict = creation.verification?.minimum_quality === 'strict';
  const suppliers = creation.audience.suppliers ?? [];
  const studyId = makeId('study');
  const { secret: surveyKey, sealed } = deps.secrets.make(studyId);
  return inOrganization(deps.database, caller.organizationId, async (tx) => {
    await requireKnown(tx, caller, suppliers);
    const study = await insertStudy(
      tx,
      { organizationId: caller.organizationId, projectId, lineage: caller.lineage, isTest: caller.isTest },
      {
        name: creation.name,
        surveyUrl: creation.survey_url,
        countries: normalCountries(creation.audience.countries),
        language: canonicalLanguage(creation.audience.language) ?? creation.audience.language,
        sampleSize: creation.audience.sample_size,
        serviceCheck: creation.verification?.service_check ?? strict,
        minimumQuality: strict ? 'strict' : 'standard',
        suppliers,
        entry: creation.audience.entry ?? (suppliers.length > 0 ? 'signed' : 'open'),
        returns: creation.survey?.returns ?? (suppliers.length > 0 ? 'confirmed' : 'browser'),
        minimumSeconds: creation.survey?.minimumSeconds ?? minimumSecondsDefault,
        limits: creation.audience.limits ?? {},
      },
      creation.audience.quotas ?? [],
      { studyId, sealed },
    );
    await note(tx, actor, study, 'study.created', { projectId });
    return { study, surveyKey };
  });
}

async function updateStudy(tx: Queryable, actor: Actor, study: Study, patch: StudyPatch): Promise<void> {
  if (possibleActions(study.status).length === 0)
    throw new Fault('CONFLICT', `The study is ${study.status}, and nothing of it changes any more.`, {
      context: { state: study.status },
    });
  const sampleSize = patch.audience?.sample_size ?? study.sampleSize;
  if (sampleSize < study.verified) throw belowVerified('sample_size', sampleSize, study.verified);
  const quotas = patch.audience?.quotas === undefined ? null : (patch.audience.quotas ?? []);
  const issues = findQuotaIssues(quotas ?? [], study.countries);
  if (issues.length > 0) throw invalid(issues);
  const limits = mergeLimits(study.limits, patch.audience?.limits);
  const suppliers = patch.audience?.suppliers === undefined ? study.suppliers : (patch.audience.suppliers ?? []);
  await requireKnown(tx, study, suppliers);
  await changeStudy(tx, study, { name: patch.name ?? study.name, sampleSize, limits, quotas, suppliers });
  const short = (await readQuotas(tx, study.studyId)).find(({ limit, verified }) => limit < verified);
  if (quotas !== null && short !== undefined)
    throw belowVerified(`the limit of the quota "${short.name}"`, short.limit, short.verified);
  await note(tx, actor, study, 'study.changed', { sampleSize, quotas: quotas?.length ?? null });
}

async function requireKnown(
  tx: Queryable,
  owner: Pick<Study, 'organizationId' | 'isTest'>,
  suppliers: readonly string[],
): Promise<void> {
  const known = await knownSuppliers(tx, owner, suppliers);
  const issues = suppliers.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `/audience/suppliers/${index}`, message: 'is no supplier of the organization; see GET /suppliers.' }],
  );
  if (issues.length > 0) throw invalid(issues);
}
/** null goes back to the default. */
const mergeLimits = (limits: StudyLimits, patch: NonNullable<StudyPatch['audience']>['limits']): StudyLimits =>
  patch === null
    ? {}
    : Object.fromEntries(Object.entries({ ...limits, ...patch }).filter(([, value]) => value !== null));

const belowVerified = (what: string, wanted: number, verified: number): Fault =>
  new Fault('CONFLICT', `${wanted} for ${what} is below the ${verified} respondents that were verified already.`, {
    context: { verified },
  });

const withQuotas = async (tx: Queryable, study: Study): Promise<StudyWithQuotas> => ({
  ...study,
  quotas: await readQuotas(tx, study.studyId),
});

export function requireStudy<S extends Study>(study: S | null): S {
  if (study === null) throw notFound('study');
  return study;
}

/** A project key’s own; else the one named, else the organization’s first. */
async function projectOf(
  { database, findProjectOwner }: StudyServiceDeps,
  { organizationId, projectId: own }: StudyCaller,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) {
    const isTheirs = (own === null || own === named) && (await findProjectOwner(named)) === organizationId;
    if (!isTheirs) throw notFound('project');
    return named;
  }
  if (own !== null) return own;
  const [first] = await inOrganization(database, organizationId, (tx) =>
    tx.query<{ project_id: string }>(
      'SELECT project_id FROM projects WHERE organization_id = $1 ORDER BY project_id LIMIT 1',
      [organizationId],
    ),
  );
  if (first !== undefined) return first.project_id;
  throw new Fault('CONFLICT', 'The organization has no project to score with. Make one first, with POST /projects.');
}

const note = (
  tx: Queryable,
  actor: Actor,
  { organizationId, studyId }: Study,
  action: Extract<AuditAction, `study.${string}`>,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> => recordAudit(tx, actor, { organizationId, action, subject: { kind: 'study', id: studyId }, detail });

function showStudy(study: StudyWithQuotas, audienceUrl: string): StudyReply {
  return {
    studyId: study.studyId,
    projectId: study.projectId,
    status: study.status,
    name: study.name,
    survey_url: study.surveyUrl,
    audience: {
      countries: [...study.countries],
      language: study.language,
      sample_size: study.sampleSize,
      quotas: study.quotas.map(({ held: _held, verified: _verified, ...quota }) => quota),
      suppliers: [...study.suppliers],
      entry: study.entry,
      limits: study.limits,
    },
    survey: { returns: study.returns, minimumSeconds: study.minimumSeconds },
    verification: { service_check: study.serviceCheck, minimum_quality: study.minimumQuality },
    entryUrl: entryUrlOf(audienceUrl, study.studyId),
    createdAt: study.createdAt.toISOString(),
    progress: {
      entered: study.entered,
      screened_out: study.screenedOut,
      verified: study.verified,
      completed: study.completed,
      unconfirmed: study.unconfirmed,
      reversed: study.reversed,
      sample_size: study.sampleSize,
      places_left: placesLeft(study),
      quotas: study.quotas.map(({ name, limit, held, verified }) => ({ name, limit, held, verified })),
    },
  };
}
