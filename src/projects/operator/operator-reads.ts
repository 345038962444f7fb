/**
 * What an operator looks up: which organizations there are, and what was recorded of a receipt.
 */
import type { Explanation } from '../../contract/explanation.js';
import type { Tier } from '../../contract/project-parts.js';
import type { Queryable } from '../../stores/database/port.js';

const listMax = 200;

type OrganizationRow = {
  readonly organization_id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly lite_enabled: boolean;
  readonly created_at: Date;
  readonly projects: number;
};

/** A page of organizations by id; `next` is the id after which the following page begins, null on the last. */
export async function listOrganizations(
  database: Queryable,
  after: string | null,
): Promise<Readonly<Record<string, unknown>>> {
  const rows = await database.query<OrganizationRow>(
    `SELECT organization_id, name, tier, lite_enabled, created_at,
            (SELECT count(*) FROM projects AS p WHERE p.organization_id = o.organization_id) AS projects
       FROM organizations AS o WHERE organization_id > $1 ORDER BY organization_id LIMIT $2`,
    [after ?? '', listMax + 1],
  );
  const page = rows.slice(0, listMax);
  return {
    organizations: page.map((row) => ({
      organizationId: row.organization_id,
      name: row.name,
      tier: row.tier,
      liteEnabled: row.lite_enabled,
      projects: row.projects,
      createdAt: row.created_at.toISOString(),
    })),
    next: rows.length > listMax ? (page.at(-1)?.organization_id ?? null) : null,
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
export async function findByName(database: Queryable, name: string): Promise<Omit<OrganizationRow, 'projects'> | null> {
  const [row] = await database.query<OrganizationRow>(
    'SELECT organization_id, name, tier, lite_enabled, created_at FROM organizations WHERE name = $1 ORDER BY created_at, organization_id LIMIT 1',
    [name],
  );
  return row ?? null;
}
