/** Organizations in the database, and as their owners see them. */
import { trialMonthlyQuota, type OrganizationReply, type OrganizationSettings } from '../contract/organization.js';
import type { ConsentSettings } from '../contract/consent.js';
import type { Tier } from '../contract/project-parts.js';
import { makeId } from '../crypto/ids.js';
import type { Queryable, Row, SqlValue } from '../stores/database/port.js';

export interface StoredOrganization {
  readonly organizationId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly liteEnabled: boolean;
  readonly allowedDomains: readonly string[];
  /** The settings without defaults. */
  readonly consent: ConsentSettings;
  /** Verifications a month; null: no limit. */
  readonly monthlyQuota: number | null;
  readonly trialEndsAt: Date | null;
  readonly createdAt: Date;
}

type OrganizationRow = Row & StoredOrganization;
const selected = `organization_id AS "organizationId", name, tier, lite_enabled AS "liteEnabled", coalesce(settings -> 'allowedDomains', '[]') AS "allowedDomains",
  coalesce(settings -> 'consent', '{}') AS consent,
  coalesce(monthly_quota, CASE WHEN trial_ends_at IS NOT NULL THEN ${trialMonthlyQuota} END) AS "monthlyQuota", trial_ends_at AS "trialEndsAt", created_at AS "createdAt"`;

export async function insertOrganization(
  database: Queryable,
  organization: Pick<StoredOrganization, 'name' | 'tier' | 'liteEnabled'>,
): Promise<string> {
  const organizationId = makeId('organization');
  await database.query(
    'INSERT INTO organizations (organization_id, name, tier, lite_enabled) VALUES ($1, $2, $3, $4)',
    [organizationId, organization.name, organization.tier, organization.liteEnabled],
  );
  return organizationId;
}

export async function findOrganization(
  database: Queryable,
  organizationId: string,
  options: { readonly lock?: boolean } = {},
): Promise<StoredOrganization | null> {
  const [row] = await database.query<OrganizationRow>(
    `SELECT ${selected} FROM organizations WHERE organization_id = $1${options.lock === true ? ' FOR UPDATE' : ''}`,
    [organizationId],
  );
  return row ?? null;
}

const columns = {
  name: 'name',
  tier: 'tier',
  liteEnabled: 'lite_enabled',
  monthlyQuota: 'monthly_quota',
  trialEndsAt: 'trial_ends_at',
  allowedDomains: 'settings',
  consent: 'settings',
} as const;
export type OrganizationUpdate = { readonly [Name in keyof typeof columns]?: StoredOrganization[Name] };

/** Changes what is named; answers the organization as it then is, or null where there is none. */
export async function updateOrganization(
  database: Queryable,
  organizationId: string,
  update: OrganizationUpdate,
): Promise<StoredOrganization | null> {
  const assignments: string[] = [];
  const values: SqlValue[] = [organizationId];
  for (const [name, column] of Object.entries(columns) as [keyof typeof columns, string][]) {
    const value = update[name];
    if (value === undefined) continue;
    if (column === 'settings') continue;
    values.push(value as SqlValue);
    assignments.push(`${column} = $${values.length}`);
  }
  const { allowedDomains, consent } = update;
  if (allowedDomains !== undefined || consent !== undefined) {
    // JSON leaves out what is undefined.
    values.push(JSON.stringify({ allowedDomains, consent }));
    assignments.push(`settings = settings || $${values.length}::jsonb`);
  }
  if (assignments.length === 0) return findOrganization(database, organizationId);
  const [row] = await database.query<OrganizationRow>(
    `UPDATE organizations SET ${assignments.join(', ')} WHERE organization_id = $1 RETURNING ${selected}`,
    values,
  );
  return row ?? null;
}

/** Settings as their owners see them, with the default of whom the consent names. */
export const showSettings = ({ allowedDomains, consent, name }: StoredOrganization): OrganizationSettings => ({
  allowedDomains: [...allowedDomains],
  consent: { controller: consent.controller ?? name, privacyUrl: consent.privacyUrl ?? null },
});

export function showOrganization(organization: StoredOrganization): OrganizationReply {
  const { allowedDomains: _domains, consent: _consent, trialEndsAt, createdAt, ...rest } = organization;
  return {
    ...rest,
    trialEndsAt: trialEndsAt?.toISOString() ?? null,
    settings: showSettings(organization),
    createdAt: createdAt.toISOString(),
  };
}
