/** Suppliers as their organization handles them, in test mode and in live mode apart. Changes are recorded in the audit trail with the write. */
import { recordAudit, type Actor } from '../administration/audit.js';
import type { Environment } from '../config/settings.js';
import type { AuditAction } from '../contract/audit.js';
import {
  graceHours,
  suppliersPerOrganizationMax,
  type CreatedSupplierReply,
  type EntrySecretReply,
  type SupplierChange,
  type SupplierCreation,
  type SupplierReply,
} from '../contract/supplier.js';
import { makeId } from '../crypto/ids.js';
import type { SecretStore } from '../administration/secret-store.js';
import { Fault } from '../errors.js';
import { invalid, notFound } from '../kernel/faults.js';
import type { Page } from '../kernel/paging.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import { markUndelivered, type PostbackDeliveries } from './postbacks.js';
import { changedSettings, findSupplierIssues } from './supplier-rules.js';
import {
  deleteSupplier,
  findSupplierOfSource,
  insertSupplier,
  listSuppliers,
  requireSupplier,
  showSupplier,
  updateSupplier,
  type Supplier,
  type SupplierOwner,
  type SupplierSettings,
} from './supplier-store.js';

export interface SupplierServiceDeps {
  readonly database: Database;
  readonly environment: Environment;
  readonly secrets: SecretStore;
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  readonly postbacks: Pick<PostbackDeliveries, 'keepTarget' | 'findUndelivered' | 'findWaiting'>;
  /** Called with each supplier that was changed, once the change is in force. */
  readonly onChange: (supplierId: string) => void;
  /** Describes the fault of an address for postbacks, as the end of a sentence; null if it has none. */
  readonly postbackProblem: (address: string) => string | null;
}

export type SupplierService = ReturnType<typeof createSupplierService>;

export function createSupplierService(deps: SupplierServiceDeps) {
  const { database, secrets } = deps;

  const requireValid = (settings: SupplierSettings): void => {
    const issues = findSupplierIssues(settings, deps.environment, deps.postbackProblem);
    if (issues.length > 0) throw invalid(issues);
  };

  /** Throws NOT_FOUND for a project of others. It may read the database, so it comes before a transaction. */
  const requireProject = async ({ organizationId }: SupplierOwner, projectId: string | null = null): Promise<void> => {
    if (projectId !== null && (await deps.findProjectOwner(projectId)) !== organizationId) throw notFound('project');
  };

  const changing = changerOf(deps);

  return {
    /** Throws CONFLICT where the sourceId is taken, or there are too many. */
    async create(actor: Actor, owner: SupplierOwner, creation: SupplierCreation): Promise<CreatedSupplierReply> {
      const settings = { redirects: {}, postbackUrl: null, projectId: null, ...creation };
      requireValid(settings);
      await requireProject(owner, settings.projectId);
      const supplierId = makeId('supplier');
      const { secret, sealed } = secrets.make(supplierId);
      return inOrganization(database, owner.organizationId, async (tx) => {
        const supplier = await insertSupplier(tx, owner, settings, { supplierId, sealed });
        if (supplier === null) throw await conflictOf(tx, owner, settings.sourceId);
        await deps.postbacks.keepTarget(tx, supplierId);
        await noteSupplierChange(tx, actor, supplier, 'supplier.created', shown(settings));
        return { ...showSupplier(supplier), entrySecret: secret };
      });
    },

    read: (owner: SupplierOwner, supplierId: string): Promise<SupplierReply> =>
      inOrganization(database, owner.organizationId, async (tx) =>
        showSupplier(await requireSupplier(tx, owner, supplierId)),
      ),

    list: (owner: SupplierOwner, page: Page) =>
      inOrganization(database, owner.organizationId, async (tx) => {
        const { items, nextCursor } = await listSuppliers(tx, owner, page);
        return { suppliers: items.map(showSupplier), nextCursor };
      }),

    async update(actor: Actor, owner: SupplierOwner, supplierId: string, change: SupplierChange) {
      const missing = (['name', 'sourceId'] as const).find((name) => change[name] === null);
      if (missing !== undefined) throw invalid([{ path: `/${missing}`, message: 'has no default. Send a value.' }]);
      await requireProject(owner, change.projectId);
      return changing(owner, supplierId, async (tx, supplier): Promise<SupplierReply> => {
        const settings = changedSettings(supplier, change);
        requireValid(settings);
        if (!(await updateSupplier(tx, supplierId, settings))) throw await conflictOf(tx, owner, settings.sourceId);
        await noteSupplierChange(tx, actor, supplier, 'supplier.updated', {
          from: shown(supplier),
          to: shown(settings),
        });
        return showSupplier({ ...supplier, ...settings });
      });
    },

    remove: (actor: Actor, owner: SupplierOwner, supplierId: string): Promise<SupplierReply> =>
      changing(owner, supplierId, async (tx, supplier) => {
        await markUndelivered(tx, supplierId, deps.postbacks);
        await deleteSupplier(tx, supplierId);
        await noteSupplierChange(tx, actor, supplier, 'supplier.deleted', shown(supplier));
        return showSupplier(supplier);
      }),

    rotateSecret: (
      actor: Actor,
      owner: SupplierOwner,
      supplierId: string,
      overlapHours: number = graceHours.default,
    ): Promise<EntrySecretReply> =>
      changing(owner, supplierId, async (tx, supplier) => {
        const { secret, until } = await secrets.rotate(tx, 'suppliers', supplierId, overlapHours);
        await noteSupplierChange(tx, actor, supplier, 'supplier.secret_rotated', { overlapHours });
        return { entrySecret: secret, previousSecretUntil: until?.toISOString() ?? null };
      }),
  };
}

/** One change of a supplier under its lock; postbacks follow it. */
const changerOf =
  ({ database, postbacks, onChange }: SupplierServiceDeps) =>
  async <T>(
    owner: SupplierOwner,
    supplierId: string,
    run: (tx: Queryable, supplier: Supplier) => Promise<T>,
  ): Promise<T> => {
    const result = await inOrganization(database, owner.organizationId, async (tx) => {
      const done = await run(tx, await requireSupplier(tx, owner, supplierId, { lock: true }));
      await postbacks.keepTarget(tx, supplierId);
      return done;
    });
    onChange(supplierId);
    return result;
  };

const conflictOf = async (tx: Queryable, owner: SupplierOwner, sourceId: string): Promise<Fault> =>
  (await findSupplierOfSource(tx, owner, sourceId)) === null
    ? new Fault(
        'CONFLICT',
        `The organization has reached the limit of ${suppliersPerOrganizationMax} suppliers. Delete one, or ask the operator.`,
      )
    : new Fault('CONFLICT', `Another supplier has the \`sourceId\` "${sourceId}". Choose another one.`);

/** In the audit trail. */
export const noteSupplierChange = (
  tx: Queryable,
  actor: Actor,
  { organizationId, supplierId }: Supplier,
  action: Extract<AuditAction, `supplier.${string}`>,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  recordAudit(tx, actor, { organizationId, action, subject: { kind: 'supplier', id: supplierId }, detail });

/** For the audit trail. Addresses may contain secrets, so only their beginnings are shown. */
const shown = ({ redirects, postbackUrl, ...settings }: SupplierSettings): Readonly<Record<string, unknown>> => ({
  ...{ name: settings.name, sourceId: settings.sourceId, projectId: settings.projectId },
  redirects: Object.fromEntries(Object.entries(redirects).map(([status, address]) => [status, beginning(address)])),
  postbackUrl: postbackUrl === null ? null : beginning(postbackUrl),
});

const beginning = (address: string): string => address.split(/[?#]/, 1)[0] ?? '';
