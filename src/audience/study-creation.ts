/** New studies: what they default to, and whose they are. */
import { recordAudit, type Actor } from '../administration/audit.js';
import type { Environment } from '../config/settings.js';
import type { AuditAction } from '../contract/audit.js';
import { minimumSecondsDefault, type StudyCreation } from '../contract/study.js';
import { makeId } from '../crypto/ids.js';
import type { SecretStore } from '../administration/secret-store.js';
import { Fault } from '../errors.js';
import type { KeyCaller } from '../kernel/caller.js';
import { invalid, notFound, scoringDisabled } from '../kernel/faults.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { canonicalLanguage, findStudyIssues, normalCountries } from './study-rules.js';
import { insertStudy, type Study, type StudyWithQuotas } from './study-store.js';
import { knownSuppliers } from './supplier-store.js';

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

export async function createStudy(
  deps: StudyServiceDeps,
  actor: Actor,
  caller: StudyCaller,
  creation: StudyCreation,
): Promise<{ readonly study: StudyWithQuotas; readonly surveyKey: string }> {
  const issues = findStudyIssues(creation, deps.environment);
  if (issues.length > 0) throw invalid(issues);
  if (!(await deps.liteEnabled(caller.organizationId))) throw scoringDisabled(caller.organizationId);
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

/** Throws VALIDATION_FAILED for a supplier that the organization does not have, but for those that the study keeps: they may have been deleted. */
export async function requireKnown(
  tx: Queryable,
  owner: Pick<Study, 'organizationId' | 'isTest'>,
  suppliers: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  const known = await knownSuppliers(tx, owner, suppliers);
  const issues = suppliers.flatMap((id, index) =>
    known.has(id) || kept.includes(id)
      ? []
      : [
          {
            path: `/audience/suppliers/${index}`,
            message: 'is not a supplier of this organization. See GET /suppliers.',
          },
        ],
  );
  if (issues.length > 0) throw invalid(issues);
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
  throw new Fault('CONFLICT', 'The organization has no project. Create one with POST /projects.');
}

/** In the audit trail. */
export const note = (
  tx: Queryable,
  actor: Actor,
  { organizationId, studyId }: Study,
  action: Extract<AuditAction, `study.${string}`>,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> => recordAudit(tx, actor, { organizationId, action, subject: { kind: 'study', id: studyId }, detail });
