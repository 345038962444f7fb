/** Postbacks as the organization sees them: whether they go out, each with its attempts, and sending again. */
import type { Actor } from '../administration/audit.js';
import type { PostbackHealthPage } from '../contract/postback-health.js';
import type { PostbackQuery, Recovery } from '../contract/webhook.js';
import { Fault } from '../errors.js';
import { invalid, notFound } from '../kernel/faults.js';
import type { Page } from '../kernel/paging.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import type { PostbackDeliveries } from './postbacks.js';
import { noteSupplierChange } from './supplier-service.js';
import { listSuppliers, requireSupplier, type Supplier, type SupplierOwner } from './supplier-store.js';

export interface PostbackLogDeps {
  readonly database: Database;
  readonly postbacks: Pick<PostbackDeliveries, 'list' | 'replay' | 'recover' | 'readHealth'>;
  readonly now: () => number;
}

export type PostbackLog = ReturnType<typeof createPostbackLog>;

export function createPostbackLog({ database, postbacks, now }: PostbackLogDeps) {
  /** Runs on a supplier that has an address, under its lock. */
  const resend = <T>(
    { owner, supplierId }: { readonly owner: SupplierOwner; readonly supplierId: string },
    run: (tx: Queryable, supplier: Supplier) => Promise<T>,
  ): Promise<T> =>
    inOrganization(database, owner.organizationId, async (tx) => {
      const supplier = await requireSupplier(tx, owner, supplierId, { lock: true });
      if (supplier.postbackUrl === null)
        throw new Fault('CONFLICT', 'The supplier has no `postbackUrl`. Set one first.');
      return run(tx, supplier);
    });

  return {
    health: (owner: SupplierOwner, supplierId: string | undefined, page: Page): Promise<PostbackHealthPage> =>
      inOrganization(database, owner.organizationId, async (tx) => {
        const { items, nextCursor } =
          supplierId === undefined
            ? await listSuppliers(tx, owner, page)
            : { items: [await requireSupplier(tx, owner, supplierId)], nextCursor: null };
        const health = await postbacks.readHealth(
          tx,
          items.map((supplier) => supplier.supplierId),
        );
        const suppliers = items.flatMap(({ supplierId: id, name, sourceId }) => {
          const known = health.get(id);
          return known === undefined ? [] : [{ supplierId: id, name, sourceId, postbacks: known }];
        });
        return { suppliers, nextCursor };
      }),

    list: (owner: SupplierOwner, supplierId: string, query: PostbackQuery, page: Page) =>
      inOrganization(database, owner.organizationId, async (tx) => {
        await requireSupplier(tx, owner, supplierId);
        return postbacks.list(tx, supplierId, query, page);
      }),

    replay: (actor: Actor, owner: SupplierOwner, supplierId: string, deliveryId: string) =>
      resend({ owner, supplierId }, async (tx, supplier) => {
        if (!(await postbacks.replay(tx, supplierId, deliveryId))) throw notFound('delivery');
        await noteSupplierChange(tx, actor, supplier, 'supplier.postback_replayed', { deliveryId });
        return { deliveryId };
      }),

    async recover(actor: Actor, owner: SupplierOwner, supplierId: string, { since, until }: Recovery) {
      const sinceMs = Date.parse(since);
      const untilMs = until === undefined ? now() + 1 : Date.parse(until);
      if (sinceMs >= untilMs) throw invalid([{ path: '/since', message: 'must be before until.' }]);
      return resend({ owner, supplierId }, async (tx, supplier) => {
        const requeued = await postbacks.recover(tx, supplierId, sinceMs, untilMs);
        await noteSupplierChange(tx, actor, supplier, 'supplier.postbacks_recovered', {
          ...{ requeued, since, until: until ?? null },
        });
        return { requeued };
      });
    },
  };
}
