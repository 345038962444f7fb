/** Studies and their quotas. Whoever changes a count or a reservation locks the study first. */
import type { EntryMode, ReturnMode, StudyLimits, StudyQuota } from '../contract/study.js';
import { sealedColumns, type SealedSecrets } from '../administration/secret-store.js';
import { notFound } from '../kernel/faults.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { replaceQuotas } from './quota-store.js';
import { countNames, type PlaceCounts } from './transitions.js';
import type { StudyState } from '../contract/study-moves.js';

/** The studies that a caller sees: of all projects of the organization (null) or of one, in test mode or in live mode. */
export interface StudyOwner {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly isTest: boolean;
}

export interface StudySettings {
  readonly name: string;
  readonly surveyUrl: string;
  readonly countries: readonly string[];
  readonly language: string;
  readonly sampleSize: number;
  readonly serviceCheck: boolean;
  readonly minimumQuality: 'standard' | 'strict';
  /** Ids of the suppliers that may send; empty: any of the organization. */
  readonly suppliers: readonly string[];
  readonly entry: EntryMode;
  readonly returns: ReturnMode;
  readonly minimumSeconds: number;
  readonly limits: StudyLimits;
}

export interface StoredQuota extends StudyQuota {
  readonly held: number;
  readonly verified: number;
  readonly completed: number;
}

export interface Study extends StudySettings, PlaceCounts {
  readonly studyId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly lineage: string;
  readonly isTest: boolean;
  readonly status: StudyState;
  readonly createdAt: Date;
  readonly entered: number;
}

export interface StudyWithQuotas extends Study {
  readonly quotas: readonly StoredQuota[];
}

const columns = `study_id AS "studyId", organization_id AS "organizationId", project_id AS "projectId", lineage, is_test AS "isTest",
  name, survey_url AS "surveyUrl", countries, language, sample_size AS "sampleSize", service_check AS "serviceCheck",
  minimum_quality AS "minimumQuality", limits, status, created_at AS "createdAt",
  supplier_ids AS suppliers, entry, returns, minimum_seconds AS "minimumSeconds", entered, ${countNames.join(', ')}`;

const idForm = /^study_[0-9a-f]{32}$/;

export async function insertStudy(
  tx: Queryable,
  owner: Pick<Study, 'organizationId' | 'projectId' | 'lineage' | 'isTest'>,
  settings: StudySettings,
  quotas: readonly StudyQuota[],
  { studyId, sealed }: { readonly studyId: string; readonly sealed: Uint8Array },
): Promise<StudyWithQuotas> {
  const [study] = await tx.query<Study & Row>(
    `INSERT INTO studies (study_id, organization_id, project_id, lineage, is_test, name, survey_url, countries, language, sample_size, service_check, minimum_quality,
       supplier_ids, entry, returns, minimum_seconds, sealed, limits)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING ${columns}`,
    [
      studyId,
      owner.organizationId,
      owner.projectId,
      owner.lineage,
      owner.isTest,
      settings.name,
      settings.surveyUrl,
      settings.countries,
      settings.language,
      settings.sampleSize,
      settings.serviceCheck,
      settings.minimumQuality,
      settings.suppliers,
      settings.entry,
      settings.returns,
      settings.minimumSeconds,
      sealed,
      JSON.stringify(settings.limits),
    ],
  );
  if (study === undefined) throw new Error('the insert returned no row');
  await replaceQuotas(tx, study, quotas);
  return { ...study, quotas: await readQuotas(tx, study.studyId) };
}

/** null where there is none that the owner sees; without an owner, any. `lock` holds off every other change of the study. */
export async function findStudy(
  tx: Queryable,
  studyId: string,
  { owner = null, lock = false }: { readonly owner?: StudyOwner | null; readonly lock?: boolean } = {},
): Promise<Study | null> {
  if (!idForm.test(studyId)) return null;
  const [study] = await tx.query<Study & Row>(
    `SELECT ${columns} FROM studies WHERE study_id = $1 AND ($2::text IS NULL OR organization_id = $2) AND ($3::text IS NULL OR project_id = $3)
       AND ($4::boolean IS NULL OR is_test = $4)
     ${lock ? 'FOR UPDATE' : ''}`,
    [studyId, owner?.organizationId ?? null, owner?.projectId ?? null, owner?.isTest ?? null],
  );
  return study ?? null;
}

/** The same of an owner. Throws NOT_FOUND. */
export async function requireStudy(
  tx: Queryable,
  studyId: string,
  owner: StudyOwner,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<Study> {
  const study = await findStudy(tx, studyId, { owner, lock });
  if (study === null) throw notFound('study');
  return study;
}

/** Newest first; `openTo` those that take respondents now, of these suppliers or (null) of any. */
export async function listStudies(
  tx: Queryable,
  { organizationId, projectId, isTest }: StudyOwner,
  page: Page,
  { openTo }: { readonly openTo?: readonly string[] | null } = {},
): Promise<PageOf<StudyWithQuotas>> {
  const rows = await tx.query<Study & Row>(
    `SELECT ${columns} FROM studies WHERE organization_id = $1 AND ($2::text IS NULL OR project_id = $2) AND ($3::text IS NULL OR study_id < $3) AND is_test = $5
       ${openTo === undefined ? '' : `AND status = 'fielding' AND held < sample_size`}
       AND ($6::text[] IS NULL OR supplier_ids = '{}' OR supplier_ids && $6) ORDER BY study_id DESC LIMIT $4`,
    [organizationId, projectId, page.below, page.limit + 1, isTest, openTo ?? null],
  );
  const { items, nextCursor } = cutPage(rows, page.limit, (study) => study.studyId);
  const quotas = await readQuotasOf(
    tx,
    items.map(({ studyId }) => studyId),
  );
  return { items: items.map((study) => ({ ...study, quotas: quotas.get(study.studyId) ?? [] })), nextCursor };
}

export const readQuotas = async (tx: Queryable, studyId: string): Promise<readonly StoredQuota[]> =>
  (await readQuotasOf(tx, [studyId])).get(studyId) ?? [];

async function readQuotasOf(tx: Queryable, studyIds: readonly string[]): Promise<Map<string, StoredQuota[]>> {
  const found = new Map<string, StoredQuota[]>();
  if (studyIds.length === 0) return found;
  const rows = await tx.query<Row & StoredQuota & { readonly studyId: string }>(
    `SELECT study_id AS "studyId", name, country, gender, age_min AS "ageMin", age_max AS "ageMax", profession, most AS "limit", held, verified, completed
       FROM study_quotas WHERE study_id = ANY($1::text[]) ORDER BY study_id, position`,
    [studyIds],
  );
  for (const { studyId, ...quota } of rows) found.set(studyId, [...(found.get(studyId) ?? []), withoutNulls(quota)]);
  return found;
}

/** Omits fields that the quota does not restrict. */
const withoutNulls = (quota: StoredQuota): StoredQuota =>
  Object.fromEntries(Object.entries(quota).filter(([, value]) => value !== null)) as unknown as StoredQuota;

/** Changes a locked study. */
export async function changeStudy(
  tx: Queryable,
  study: Study,
  {
    name,
    sampleSize,
    limits,
    quotas,
    suppliers = study.suppliers,
  }: Pick<Study, 'name' | 'sampleSize' | 'limits'> &
    Partial<Pick<Study, 'suppliers'>> & { readonly quotas: readonly StudyQuota[] | null },
): Promise<void> {
  await tx.query('UPDATE studies SET name = $2, sample_size = $3, supplier_ids = $4, limits = $5 WHERE study_id = $1', [
    ...[study.studyId, name, sampleSize, suppliers, JSON.stringify(limits)],
  ]);
  if (quotas !== null) await replaceQuotas(tx, study, quotas);
}

export async function readSurveySecrets(tx: Queryable, studyId: string): Promise<SealedSecrets> {
  const [row] = await tx.query<SealedSecrets>(`SELECT ${sealedColumns} FROM studies WHERE study_id = $1`, [studyId]);
  if (row === undefined) throw new Error(`the study ${studyId} is not there`);
  return row;
}

export async function setStatus(tx: Queryable, studyId: string, status: StudyState): Promise<void> {
  await tx.query('UPDATE studies SET status = $2 WHERE study_id = $1', [studyId, status]);
}
