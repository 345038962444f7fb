/** The rows of suppliers. Their secrets are at rest only sealed. */
import { suppliersPerOrganizationMax, type SupplierReply } from '../contract/supplier.js';
import { sealedColumns, type SealedSecrets } from '../administration/secret-store.js';
import { notFound } from '../kernel/faults.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';
import type { Queryable, Row } from '../stores/database/port.js';

/** Whose suppliers a caller sees: those of the organization, of test mode or of live mode. */
export interface SupplierOwner {
  readonly organizationId: string;
  readonly isTest: boolean;
}

export type SupplierSettings = Readonly<
  Pick<SupplierReply, 'name' | 'sourceId' | 'projectId' | 'redirects' | 'postbackUrl'>
>;

export interface Supplier extends SupplierOwner, SupplierSettings, SealedSecrets {
  readonly supplierId: string;
  readonly previousUntil: Date | null;
  readonly createdAt: Date;
}

const columns = `supplier_id AS "supplierId", organization_id AS "organizationId", is_test AS "isTest", name, source_id AS "sourceId",
  project_id AS "projectId", redirects, postback_url AS "postbackUrl", ${sealedColumns},
  CASE WHEN previous_until > now() THEN previous_until END AS "previousUntil", created_at AS "createdAt"`;

export const showSupplier = (supplier: Supplier): SupplierReply => ({
  supplierId: supplier.supplierId,
  name: supplier.name,
  sourceId: supplier.sourceId,
  projectId: supplier.projectId,
  redirects: supplier.redirects,
  postbackUrl: supplier.postbackUrl,
  previousSecretUntil: supplier.previousUntil?.toISOString() ?? null,
  createdAt: supplier.createdAt.toISOString(),
});

const valuesOf = ({ name, sourceId, projectId, redirects, postbackUrl }: SupplierSettings) => [
  ...[name, sourceId, projectId, JSON.stringify(redirects), postbackUrl],
];

/** null where the organization has a supplier of this sourceId, or as many as it may. */
export async function insertSupplier(
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  settings: SupplierSettings,
  { supplierId, sealed }: { readonly supplierId: string; readonly sealed: Uint8Array },
): Promise<Supplier | null> {
  const [row] = await tx.query<Supplier & Row>(
    `INSERT INTO suppliers (supplier_id, organization_id, is_test, name, source_id, project_id, redirects, postback_url, sealed)
     SELECT $1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9
      WHERE (SELECT count(*) FROM suppliers WHERE organization_id = $2) < ${suppliersPerOrganizationMax}
     ON CONFLICT (organization_id, is_test, source_id) DO NOTHING RETURNING ${columns}`,
    [supplierId, organizationId, isTest, ...valuesOf(settings), sealed],
  );
  return row ?? null;
}

async function findOne(
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  [column, value]: readonly ['supplier_id' | 'source_id', string],
  lock: string,
): Promise<Supplier | null> {
  const [row] = await tx.query<Supplier & Row>(
    `SELECT ${columns} FROM suppliers WHERE organization_id = $1 AND is_test = $2 AND ${column} = $3 ${lock}`,
    [organizationId, isTest, value],
  );
  return row ?? null;
}

export const findSupplier = (tx: Queryable, owner: SupplierOwner, supplierId: string): Promise<Supplier | null> =>
  findOne(tx, owner, ['supplier_id', supplierId], '');

/** Throws NOT_FOUND. */
export async function requireSupplier(
  tx: Queryable,
  owner: SupplierOwner,
  supplierId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<Supplier> {
  const supplier = await findOne(tx, owner, ['supplier_id', supplierId], lock ? 'FOR UPDATE' : '');
  if (supplier === null) throw notFound('supplier');
  return supplier;
}

export const findSupplierOfSource = (tx: Queryable, owner: SupplierOwner, sourceId: string): Promise<Supplier | null> =>
  findOne(tx, owner, ['source_id', sourceId], '');

/** The suppliers that have one of these sourceIds now: their ids, by sourceId. */
export const suppliersOfSources = async (
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (sourceIds.length === 0) return new Map();
  const rows = await tx.query<{ id: string; source: string }>(
    'SELECT supplier_id AS id, source_id AS source FROM suppliers WHERE organization_id = $1 AND is_test = $2 AND source_id = ANY($3::text[])',
    [organizationId, isTest, sourceIds],
  );
  return new Map(rows.map(({ id, source }) => [source, id]));
};

/** Finds which of these suppliers belong to the owner. */
export const knownSuppliers = async (
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  supplierIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (supplierIds.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(
    'SELECT supplier_id AS id FROM suppliers WHERE organization_id = $1 AND is_test = $2 AND supplier_id = ANY($3::text[])',
    [organizationId, isTest, supplierIds],
  );
  return new Set(rows.map(({ id }) => id));
};

export type PostbackSupplier = Pick<Supplier, 'supplierId' | 'isTest'> &
  SealedSecrets & {
    /** Whether it has an address for postbacks. */
    readonly isAddressed: boolean;
  };

/** Those of them that were not deleted, by their id. */
export async function findPostbackSuppliers(
  tx: Queryable,
  supplierIds: readonly string[],
): Promise<ReadonlyMap<string, PostbackSupplier>> {
  const rows = await tx.query<PostbackSupplier & Row>(
    `SELECT supplier_id AS "supplierId", is_test AS "isTest", postback_url IS NOT NULL AS "isAddressed", ${sealedColumns} FROM suppliers
      WHERE supplier_id = ANY($1::text[])`,
    [supplierIds],
  );
  return new Map(rows.map((row) => [row.supplierId, row]));
}

export async function suppliersOfProject(
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  projectId: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    'SELECT supplier_id AS id FROM suppliers WHERE organization_id = $1 AND is_test = $2 AND project_id = $3',
    [organizationId, isTest, projectId],
  );
  return rows.map(({ id }) => id);
}

export async function listSuppliers(
  tx: Queryable,
  { organizationId, isTest }: SupplierOwner,
  page: Page,
): Promise<PageOf<Supplier>> {
  const rows = await tx.query<Supplier & Row>(
    `SELECT ${columns} FROM suppliers WHERE organization_id = $1 AND is_test = $2 AND ($3::text IS NULL OR supplier_id < $3)
      ORDER BY supplier_id DESC LIMIT $4`,
    [organizationId, isTest, page.below, page.limit + 1],
  );
  return cutPage(rows, page.limit, ({ supplierId }) => supplierId);
}

/** false where another supplier has this sourceId. */
export async function updateSupplier(tx: Queryable, supplierId: string, settings: SupplierSettings): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE suppliers s SET name = $2, source_id = $3, project_id = $4, redirects = $5::jsonb, postback_url = $6
      WHERE supplier_id = $1 AND NOT EXISTS (SELECT 1 FROM suppliers o
        WHERE o.organization_id = s.organization_id AND o.is_test = s.is_test AND o.source_id = $3 AND o.supplier_id <> $1) RETURNING 1`,
    [supplierId, ...valuesOf(settings)],
  );
  return rows.length > 0;
}

export async function deleteSupplier(tx: Queryable, supplierId: string): Promise<void> {
  await tx.query('DELETE FROM suppliers WHERE supplier_id = $1', [supplierId]);
}
