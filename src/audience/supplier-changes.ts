/** Every change of a supplier shares this: the supplier must exist, and the audit trail records the change with the write. */
import { recordAudit, type Actor } from '../administration/audit.js';
import type { AuditAction } from '../contract/audit.js';
import { notFound } from '../kernel/faults.js';
import type { Queryable } from '../stores/database/port.js';
import type { Supplier } from './supplier-store.js';

/** Throws NOT_FOUND for null. */
export function requireSupplier(supplier: Supplier | null): Supplier {
  if (supplier === null) throw notFound('supplier');
  return supplier;
}

export const noteSupplierChange = (
  tx: Queryable,
  actor: Actor,
  { organizationId, supplierId }: Supplier,
  action: AuditAction,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  recordAudit(tx, actor, { organizationId, action, subject: { kind: 'supplier', id: supplierId }, detail });
