/**
 * Commands of an operator beyond the dashboard, by the running service or by the command line alone. Each command is recorded in the audit
 * trail.
 */
import { operator, recordAudit } from '../../administration/audit.js';
import type { Explanation } from '../../contract/explanation.js';
import { Fault } from '../../errors.js';
import { notFound } from '../../kernel/faults.js';
import type { Database } from '../../stores/database/port.js';
import { doubtBackup, noteRestore } from '../../stores/database/restores.js';
import { allowDeletion, readMarks } from '../../stores/database/retention.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { requestRedelivery, readLetterFigures } from '../../stores/log/dead-letters/table.js';
import type { CommandOf, OperatorCommand } from './operator-command.js';
import {
  listOrganizations,
  showReceipt,
  changeOrganization,
  createKey,
  createOrganization,
} from './organization-commands.js';

export interface OperatorDeps {
  readonly database: Database;
  readonly now: () => number;
  /** Explains a receipt with its facts; null where no store has it. */
  readonly explain: (receiptId: string) => Promise<Explanation | null>;
}

/** Answers the one JSON object that the command prints. Running instances learn of the change by the change feed, within a second. */
export async function runOperatorCommand(
  deps: OperatorDeps,
  wish: OperatorCommand,
): Promise<Readonly<Record<string, unknown>>> {
  switch (wish.command) {
    case 'create-organization':
      return createOrganization(deps, wish);
    case 'create-key':
      return createKey(deps, wish);
    case 'enable-lite':
      return changeOrganization(deps, wish.organizationId, { liteEnabled: wish.liteEnabled });
    case 'set-tier':
      return changeOrganization(deps, wish.organizationId, { tier: wish.tier });
    case 'set-quota':
      return changeOrganization(deps, wish.organizationId, { monthlyQuota: wish.monthlyQuota });
    case 'list-organizations':
      return listOrganizations(deps.database, wish.after);
    case 'show-receipt':
      return showReceipt(await explain(deps, { ...wish, facts: false }));
    case 'explain':
      return explain(deps, wish);
    case 'retention':
      return retention(deps, wish);
    case 'dead-letters':
      return deadLetters(deps, wish);
    case 'restored':
      return restored(deps, wish);
    case 'trial':
      return changeOrganization(deps, wish.organizationId, {
        trialEndsAt: wish.trialEndsAt === null ? null : new Date(wish.trialEndsAt),
      });
  }
}

/** How far records were deleted by their age, and what waits; with `allow`, up to when the next round may go on. */
async function retention(
  { database }: OperatorDeps,
  { allow, before }: CommandOf<'retention'>,
): Promise<Record<string, unknown>> {
  if (allow !== null && before !== null && !(await allowDeletion(database, allow, new Date(before))))
    throw new Fault('NOT_FOUND', `No ${allow} deletion awaits approval. Run \`retention\` to list pending ones.`);
  return { records: await readMarks(database) };
}

/** Lists the records that the consumers set aside. With `play`, the running consumers process them again within seconds. */
async function deadLetters(
  { database }: OperatorDeps,
  { play, group }: CommandOf<'dead-letters'>,
): Promise<Record<string, unknown>> {
  const asked = play ? { playedAgain: await requestRedelivery(database, group) } : {};
  const groups = await readLetterFigures(database);
  return { ...asked, groups: group === null ? groups : groups.filter((each) => each.group === group) };
}

/** The database was restored from a back-up of that time. */
async function restored(
  { database }: OperatorDeps,
  { backupAt }: CommandOf<'restored'>,
): Promise<Record<string, unknown>> {
  const doubt = await doubtBackup(database, new Date(backupAt));
  if (doubt !== null) throw new Fault('VALIDATION_FAILED', `\`--backup\` ${backupAt} ${doubt}. Correct it.`);
  return { backupAt, recordsResent: await noteRestore(database, new Date(backupAt)) };
}

/** Whoever looks into a session of an organization leaves a trace there, as one who changes something does. */
async function explain(
  deps: OperatorDeps,
  { receiptId, facts }: Omit<CommandOf<'explain'>, 'command'>,
): Promise<Readonly<Record<string, unknown>>> {
  const explanation = await deps.explain(receiptId);
  if (explanation === null) throw notFound('receipt');
  const { organizationId } = explanation;
  await inOrganization(deps.database, organizationId, (tx) =>
    recordAudit(tx, operator, {
      organizationId,
      action: 'receipt.explained',
      subject: { kind: 'receipt', id: receiptId },
      detail: { facts },
    }),
  );
  return { ...explanation, facts: facts ? explanation.facts : null };
}
