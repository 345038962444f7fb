/**
 * Projects and organizations in the database. `fields` holds what was set, and nothing else; defaults are filled in on reading.
 */
import { randomBytes } from 'node:crypto';
import { configDefaults, type ProjectFields, type ProjectReply } from '../contract/project.js';
import { makeId } from '../crypto/ids.js';
import type { Queryable } from '../stores/database/port.js';

export const tiers = ['free', 'starter', 'professional', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

export interface StoredProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly probeKey: string;
  readonly fields: ProjectFields;
  readonly createdAt: Date;
}

export interface StoredOrganization {
  readonly organizationId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly liteEnabled: boolean;
}

export async function insertOrganization(database: Queryable, organization: Omit<StoredOrganization, 'organizationId'>): Promise<string> {
  const organizationId = makeId('organization');
  await database.query('INSERT INTO organizations (organization_id, name, tier, lite_enabled) VALUES ($1, $2, $3, $4)', [
    organizationId, organization.name, organization.tier, organization.liteEnabled,
  ]);
  return organizationId;
}

export async function findOrganization(database: Queryable, organizationId: string): Promise<StoredOrganization | null> {
  const [row] = await database.query<{ organization_id: string; name: string; tier: Tier; lite_enabled: boolean }>(
    'SELECT organization_id, name, tier, lite_enabled FROM organizations WHERE organization_id = $1',
    [organizationId],
  );
  return row === undefined ? null : { organizationId: row.organization_id, name: row.name, tier: row.tier, liteEnabled: row.lite_enabled };
}

export async function insertProject(database: Queryable, organizationId: string, fields: ProjectFields): Promise<StoredProject> {
  const [row] = await database.query<ProjectRow>(
    'INSERT INTO projects (project_id, organization_id, probe_key, fields) VALUES ($1, $2, $3, $4::jsonb) RETURNING *',
    [makeId('project'), organizationId, `pk_${randomBytes(18).toString('base64url')}`, JSON.stringify(fields)],
  );
  if (row === undefined) throw new Error('the insert returned no row');
  return projectOf(row);
}

/** By project id or by probe key. */
export async function findProject(database: Queryable, id: string, options: { readonly lock?: boolean } = {}): Promise<StoredProject | null> {
  const column = id.startsWith('pk_') ? 'probe_key' : 'project_id';
  const [row] = await database.query<ProjectRow>(`SELECT * FROM projects WHERE ${column} = $1${options.lock === true ? ' FOR UPDATE' : ''}`, [id]);
  return row === undefined ? null : projectOf(row);
}

export async function updateProjectFields(database: Queryable, projectId: string, fields: ProjectFields): Promise<void> {
  await database.query('UPDATE projects SET fields = $2::jsonb WHERE project_id = $1', [projectId, JSON.stringify(fields)]);
}

/** The project as its owner sees it, every default filled in. */
export function showProject(project: StoredProject): ProjectReply {
  const { name, description, config } = project.fields;
  return {
    projectId: project.projectId,
    siteKey: project.projectId,
    probeKey: project.probeKey,
    organizationId: project.organizationId,
    name,
    ...(description === undefined ? {} : { description }),
    createdAt: project.createdAt.toISOString(),
    config: { ...configDefaults, allowedDomains: [], ...config },
  };
}

type ProjectRow = {
  readonly project_id: string;
  readonly organization_id: string;
  readonly probe_key: string;
  readonly fields: ProjectFields;
  readonly created_at: Date;
};

function projectOf(row: ProjectRow): StoredProject {
  return { projectId: row.project_id, organizationId: row.organization_id, probeKey: row.probe_key, fields: row.fields, createdAt: row.created_at };
}
