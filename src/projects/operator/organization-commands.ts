/** The operator's commands on organizations and their keys. Each write is recorded in the organization's audit trail. */
import { mintKey } from '../../administration/api-keys.js';
import { operator, recordAudit } from '../../administration/audit.js';
import {
  insertOrganization,
  showOrganization,
  updateOrganization,
  type OrganizationUpdate,
} from '../../administration/organization-store.js';
import { findProject } from '../../administration/project-store.js';
import { notFound } from '../../kernel/faults.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { CommandOf } from './operator-command.js';
import type { Explanation } from '../../contract/explanation.js';
import type { Tier } from '../../contract/project-parts.js';

export interface OrganizationCommandDeps {
  readonly database: Database;
  readonly now: () => number;
}

export function createOrganization(
  { database }: OrganizationCommandDeps,
  { name, tier, liteEnabled, another = false }: CommandOf<'create-organization'>,
): Promise<Record<string, unknown>> {
  return database.transaction(async (tx) => {
    // Two who make it at once: the second finds what the first made.
    await tx.query('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE');
    const known = another ? null : await findByName(tx, name);
    if (known !== null) return describeKnown(tx, known.organizationId, known.liteEnabled);
    const organizationId = await insertOrganization(tx, { name, tier, liteEnabled });
    await recordAudit(tx, operator, {
      organizationId,
      action: 'organization.created',
      subject: { kind: 'organization', id: organizationId },
      detail: { name, tier, liteEnabled },
    });
    const organizationKey = await mintOrganizationKey(tx, organizationId, 'First organization key');
    return { organizationId, organizationKey, liteEnabled, scoring: describeSwitch(organizationId, liteEnabled) };
  });
}

async function mintOrganizationKey(tx: Queryable, organizationId: string, name: string): Promise<string> {
  const minted = await mintKey(tx, { organizationId, projectId: null, name, isTest: false });
  await recordKey(tx, organizationId, minted.keyId, { projectId: null, name, isTest: false, expiresAt: null });
  return minted.secret;
}

export function createKey(
  { database, now }: OrganizationCommandDeps,
  { organizationId, projectId, name, isTest, expiresInDays }: CommandOf<'create-key'>,
): Promise<Record<string, unknown>> {
  const expiresAt = expiresInDays === null ? null : new Date(now() + expiresInDays * 86_400_000);
  return inOrganization(database, organizationId, async (tx) => {
    await requireOrganization(tx, organizationId);
    if (projectId !== null && (await findProject(tx, projectId))?.organizationId !== organizationId)
      throw notFound('project in this organization');
    const minted = await mintKey(tx, { organizationId, projectId, name, isTest, expiresAt });
    const detail = { projectId, name, isTest, expiresAt: expiresAt?.toISOString() ?? null };
    await recordKey(tx, organizationId, minted.keyId, detail);
    return {
      organizationId,
      projectId,
      keyId: minted.keyId,
      apiKey: minted.secret,
      apiKeyPrefix: minted.prefix,
      expiresAt: detail.expiresAt,
    };
  });
}

export async function changeOrganization(
  { database }: Pick<OrganizationCommandDeps, 'database'>,
  organizationId: string,
  update: OrganizationUpdate,
): Promise<Record<string, unknown>> {
  const organization = await inOrganization(database, organizationId, async (tx) => {
    await requireOrganization(tx, organizationId);
    const updated = await updateOrganization(tx, organizationId, update);
    if (updated === null) throw notFound('organization');
    await recordAudit(tx, operator, {
      organizationId,
      action: 'organization.updated',
      subject: { kind: 'organization', id: organizationId },
      detail: { ...update },
    });
    return updated;
  });
  const { name, tier, liteEnabled, monthlyQuota, trialEndsAt } = showOrganization(organization);
  return { organizationId, name, tier, liteEnabled, monthlyQuota, trialEndsAt };
}

/** A repeat finds the organization. Its first key was shown once, so that whoever repeats because it was lost gets another; the first goes on. */
async function describeKnown(
  tx: Queryable,
  organizationId: string,
  liteEnabled: boolean,
): Promise<Record<string, unknown>> {
  return {
    organizationId,
    organizationKey: await mintOrganizationKey(tx, organizationId, 'Further organization key'),
    liteEnabled,
    scoring: describeSwitch(organizationId, liteEnabled),
    note: 'The organization already exists, so only a key was added. For a second organization of this name, add --another.',
  };
}

/** Describes whether scoring is on, and the command that changes it. */
function describeSwitch(organizationId: string, liteEnabled: boolean): string {
  return liteEnabled
    ? `on; npm run admin -- enable-lite --org ${organizationId} --off switches it off`
    : `off; npm run admin -- enable-lite --org ${organizationId} switches it on`;
}

async function requireOrganization(tx: Queryable, organizationId: string): Promise<void> {
  const [row] = await tx.query('SELECT 1 FROM organizations WHERE organization_id = $1', [organizationId]);
  if (row === undefined) throw notFound('organization');
}

function recordKey(
  tx: Queryable,
  organizationId: string,
  keyId: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  return recordAudit(tx, operator, {
    organizationId,
    action: 'key.created',
    subject: { kind: 'key', id: keyId },
    detail,
  });
}

const listMax = 200;

type OrganizationRow = {
  readonly organizationId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly liteEnabled: boolean;
  readonly projects: number;
  readonly createdAt: Date;
};

/** A page of organizations by id; `next` is the id after which the following page begins, null on the last. */
export async function listOrganizations(
  database: Queryable,
  after: string | null,
): Promise<Readonly<Record<string, unknown>>> {
  const rows = await database.query<OrganizationRow>(
    `SELECT organization_id AS "organizationId", name, tier, lite_enabled AS "liteEnabled",
            (SELECT count(*) FROM projects AS p WHERE p.organization_id = o.organization_id) AS projects, created_at AS "createdAt"
       FROM organizations AS o WHERE organization_id > $1 ORDER BY organization_id LIMIT $2`,
    [after ?? '', listMax + 1],
  );
  const page = rows.slice(0, listMax);
  return {
    organizations: page.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
    next: rows.length > listMax ? (page.at(-1)?.organizationId ?? null) : null,
  };
}

/** Whose receipt it is and what was decided; `explain` shows why. */
export function showReceipt(explanation: Partial<Explanation>): Readonly<Record<string, unknown>> {
  const { receiptId, organizationId, projectId, sessionId, scoredAt, authentic, recorded } = explanation;
  return {
    ...{ receiptId, organizationId, projectId, sessionId, scoredAt, authentic },
    score: recorded?.score ?? null,
    recommendation: recorded?.recommendation ?? null,
    recorded,
    why: `npm run --silent admin -- explain ${receiptId}`,
  };
}

/** The oldest organization of that name. */
async function findByName(
  database: Queryable,
  name: string,
): Promise<Pick<OrganizationRow, 'organizationId' | 'liteEnabled'> | null> {
  const [row] = await database.query<OrganizationRow>(
    'SELECT organization_id AS "organizationId", lite_enabled AS "liteEnabled" FROM organizations WHERE name = $1 ORDER BY created_at, organization_id LIMIT 1',
    [name],
  );
  return row ?? null;
}
