/** Projects in the database. `fields` holds what was set, and nothing else; defaults are filled in on reading. */
import { randomBytes } from 'node:crypto';
import { calibrationDefaults, fillCalibration } from '../contract/calibration.js';
import { configDefaults, projectDefaults, type ProjectFields, type ProjectReply } from '../contract/project.js';
import {
  securityLevels,
  type Thresholds,
  brandingTiers,
  tiers,
  type Branding,
  type Tier,
} from '../contract/project-parts.js';
import { makeId } from '../crypto/ids.js';
import { DatabaseConflict, type Queryable, type Row } from '../stores/database/port.js';
import { Fault } from '../errors.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';

export interface StoredProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly probeKey: string;
  readonly fields: ProjectFields;
  readonly createdAt: Date;
}

type ProjectRow = Row & StoredProject;
const columns =
  'project_id AS "projectId", organization_id AS "organizationId", probe_key AS "probeKey", fields, created_at AS "createdAt"';

/** Ids that are looked up at all; others name nothing. */
const idForm = /^(?:proj_|pk_)[A-Za-z0-9_-]{1,64}$/;

/** null where the organization has a project of this external id already. */
export async function insertProject(
  database: Queryable,
  organizationId: string,
  fields: ProjectFields,
): Promise<StoredProject | null> {
  const [row] = await database.query<ProjectRow>(
    `INSERT INTO projects (project_id, organization_id, probe_key, fields) VALUES ($1, $2, $3, $4::jsonb)
     ON CONFLICT (organization_id, external_id) DO NOTHING RETURNING ${columns}`,
    [makeId('project'), organizationId, `pk_${randomBytes(18).toString('base64url')}`, JSON.stringify(fields)],
  );
  return row ?? null;
}

/** By project id or by probe key. */
export async function findProject(
  database: Queryable,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<StoredProject | null> {
  if (!idForm.test(id)) return null;
  const column = id.startsWith('pk_') ? 'probe_key' : 'project_id';
  const [row] = await database.query<ProjectRow>(
    `SELECT ${columns} FROM projects WHERE ${column} = $1${options.lock === true ? ' FOR UPDATE' : ''}`,
    [id],
  );
  return row ?? null;
}

export async function lockProjectByExternalId(
  tx: Queryable,
  organizationId: string,
  externalId: string,
): Promise<StoredProject | null> {
  const [row] = await tx.query<ProjectRow>(
    `SELECT ${columns} FROM projects WHERE organization_id = $1 AND external_id = $2 FOR UPDATE`,
    [organizationId, externalId],
  );
  return row ?? null;
}

export async function listProjects(
  database: Queryable,
  organizationId: string,
  page: Page,
  externalId: string | null,
): Promise<PageOf<StoredProject>> {
  const rows = await database.query<ProjectRow>(
    `SELECT ${columns} FROM projects WHERE organization_id = $1 AND ($2::text IS NULL OR project_id < $2) AND ($4::text IS NULL OR external_id = $4)
      ORDER BY project_id DESC LIMIT $3`,
    [organizationId, page.below, page.limit + 1, externalId],
  );
  return cutPage(rows, page.limit, ({ projectId }) => projectId);
}

export async function updateProjectFields(
  database: Queryable,
  projectId: string,
  fields: ProjectFields,
): Promise<void> {
  try {
    await database.query('UPDATE projects SET fields = $2::jsonb WHERE project_id = $1', [
      projectId,
      JSON.stringify(fields),
    ]);
  } catch (error) {
    if (!(error instanceof DatabaseConflict) || error.constraint !== 'projects_by_external_id') throw error;
    throw new Fault('CONFLICT', 'Another project has this `externalId`. Choose another one.', {
      issues: [{ path: '/externalId', message: 'belongs to another project. Choose another one.' }],
    });
  }
}

/** Whether demo keys of the project can be created and used; a project that is gone has none. */
export const allowsDemoKeys = (project: StoredProject | null): boolean =>
  project !== null && (project.fields.config?.demoKeys ?? configDefaults.demoKeys);

/** The thresholds in force: custom ones win over those of config, and those over the preset. */
export function thresholdsOf({ customThresholds = {}, config = {} }: ProjectFields): Required<Thresholds> {
  const fallback = securityLevels.balanced;
  return {
    liveness: customThresholds.liveness ?? config.livenessThreshold ?? fallback.liveness,
    uniqueness: customThresholds.uniqueness ?? config.uniquenessThreshold ?? fallback.uniqueness,
    authenticity: customThresholds.authenticity ?? fallback.authenticity,
    screenDetection: customThresholds.screenDetection ?? fallback.screenDetection,
  };
}

/** The project as its owner sees it, defaults filled in. Inherited values are omitted: sent back, they would inherit no more. */
export function showProject(project: StoredProject): ProjectReply {
  const {
    name,
    description,
    externalId,
    config = {},
    scoreModeConfig,
    userDisclosureCustomText,
    branding,
    ...fields
  } = project.fields;
  return {
    projectId: project.projectId,
    siteKey: project.projectId,
    probeKey: project.probeKey,
    organizationId: project.organizationId,
    externalId: externalId ?? null,
    name,
    description: description ?? null,
    createdAt: project.createdAt.toISOString(),
    verificationMode: fields.verificationMode ?? projectDefaults.verificationMode,
    config: {
      ...configDefaults,
      ...config,
      allowedDomains: config.allowedDomains ?? [],
      deduplication: { ...configDefaults.deduplication, ...config.deduplication },
      monitoring: { ...configDefaults.monitoring, ...config.monitoring },
      liteConfig: { ...calibrationDefaults, perSource: {}, ...config.liteConfig },
    },
    allowedOrigins: config.allowedDomains ?? [],
    customThresholds: fields.customThresholds ?? {},
    scoreModeConfig: { ...projectDefaults.scoreModeConfig, ...scoreModeConfig },
    userDisclosure: fields.userDisclosure ?? projectDefaults.userDisclosure,
    userDisclosureCustomText: userDisclosureCustomText ?? null,
    branding: branding ?? null,
    effective: { thresholds: thresholdsOf(project.fields), liteConfig: fillCalibration(config.liteConfig ?? {}) },
  };
}

/** The part of the stored branding that the tier unlocks today; null if none is left. */
export function visibleBranding(branding: Branding | undefined, tier: Tier): Branding | null {
  const { enabled = true, ...shown } = branding ?? { enabled: false };
  const unlocked = Object.entries(shown).filter(
    ([name]) => tiers.indexOf(tier) >= tiers.indexOf(brandingTiers[name as keyof Branding] ?? 'free'),
  );
  return enabled && unlocked.length > 0 ? { enabled, ...Object.fromEntries(unlocked) } : null;
}
