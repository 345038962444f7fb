/**
 * What an operator may do beyond the dashboard: make organizations and keys, switch scoring on, set tier, quota and trial, and have a score
 * explained. The same functions serve the running service and the command line on its own. Each is recorded in the organization’s audit trail.
 */
import type { ValidateFunction } from 'ajv';
import { Type, type Static } from 'typebox';
import { notFound } from '../../kernel/faults.js';
import { expiresInDaysMax } from '../../contract/api-key.js';
import { Nullable, StringEnum } from '../../contract/common.js';
import type { Explanation } from '../../contract/explanation.js';
import { tiers } from '../../contract/project-parts.js';
import { Fault } from '../../errors.js';
import { createAjv } from '../../kernel/validation.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { mintKey } from '../../administration/api-keys.js';
import { operator, recordAudit } from '../../administration/audit.js';
import {
  insertOrganization,
  showOrganization,
  updateOrganization,
  type OrganizationUpdate,
} from '../../administration/organization-store.js';
import { findProject } from '../../administration/project-store.js';
import { askForLetters, readLetterFigures } from '../../stores/log/dead-letters/table.js';
import { allowDeletion, readMarks } from '../../stores/database/retention-marks.js';
import { doubtBackup, noteRestore } from '../../stores/database/restores.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { findByName, listOrganizations, showReceipt } from './operator-reads.js';

const Id = Type.String({ minLength: 1, maxLength: 128 });
const Name = Type.String({ minLength: 1, maxLength: 200 });
const command = <const Command extends string, Fields extends Parameters<typeof Type.Object>[0]>(
  name: Command,
  fields: Fields,
) => Type.Object({ command: Type.Literal(name), ...fields }, { additionalProperties: false });

export const OperatorCommand = Type.Union([
  command('create-organization', {
    name: Name,
    tier: StringEnum(tiers),
    liteEnabled: Type.Boolean(),
    another: Type.Optional(Type.Boolean()),
  }),
  command('list-organizations', { after: Nullable(Id) }),
  command('show-receipt', { receiptId: Id }),
  command('create-key', {
    organizationId: Id,
    projectId: Nullable(Id),
    name: Name,
    isTest: Type.Boolean(),
    expiresInDays: Nullable(Type.Integer({ minimum: 1, maximum: expiresInDaysMax })),
  }),
  command('enable-lite', { organizationId: Id, liteEnabled: Type.Boolean() }),
  command('set-tier', { organizationId: Id, tier: StringEnum(tiers) }),
  command('set-quota', {
    organizationId: Id,
    monthlyQuota: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
  }),
  command('demo-traffic', {}),
  command('retention', { allow: Nullable(Name), before: Nullable(Type.String({ format: 'date-time' })) }),
  command('dead-letters', { play: Type.Boolean(), group: Nullable(Name) }),
  command('restored', { backupAt: Type.String({ format: 'date-time' }) }),
  command('explain', { receiptId: Id, facts: Type.Boolean() }),
  command('trial', { organizationId: Id, trialEndsAt: Nullable(Type.String({ format: 'date-time' })) }),
]);
export type OperatorCommand = Static<typeof OperatorCommand>;

let check: ValidateFunction<OperatorCommand> | null = null;

/** Whether it is a command that this version knows. */
export function isOperatorCommand(wish: unknown): wish is OperatorCommand {
  check ??= createAjv(false).compile<OperatorCommand>(OperatorCommand);
  return check(wish);
}

type Of<Command extends OperatorCommand['command']> = Extract<OperatorCommand, { readonly command: Command }>;

/** Fills the demo project with invented traffic; answers whose it is and what was invented. */
export type InventTraffic = () => Promise<{
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessions: number;
  readonly outcomes: number;
  readonly from: string;
  readonly to: string;
}>;

export interface OperatorDeps {
  /** null where no service runs that could record it. */
  readonly inventTraffic: InventTraffic | null;
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
      return change(deps, wish.organizationId, { liteEnabled: wish.liteEnabled });
    case 'set-tier':
      return change(deps, wish.organizationId, { tier: wish.tier });
    case 'set-quota':
      return change(deps, wish.organizationId, { monthlyQuota: wish.monthlyQuota });
    case 'list-organizations':
      return listOrganizations(deps.database, wish.after);
    case 'show-receipt':
      return showReceipt(await explain(deps, { ...wish, facts: false }));
    case 'explain':
      return explain(deps, wish);
    case 'demo-traffic':
      return fillDemo(deps);
    case 'retention':
      return retention(deps, wish);
    case 'dead-letters':
      return deadLetters(deps, wish);
    case 'restored':
      return restored(deps, wish);
    case 'trial':
      return change(deps, wish.organizationId, {
        trialEndsAt: wish.trialEndsAt === null ? null : new Date(wish.trialEndsAt),
      });
  }
}

/** How far records were deleted by their age, and what waits; with `allow`, up to when the next round may go on. */
async function retention(
  { database }: OperatorDeps,
  { allow, before }: Of<'retention'>,
): Promise<Record<string, unknown>> {
  if (allow !== null && before !== null && !(await allowDeletion(database, allow, new Date(before))))
    throw notFound(`deletion by age of ${allow}`);
  return { records: await readMarks(database) };
}

/** What the consumers set aside; with `play`, the running consumers take it once more within seconds. */
async function deadLetters(
  { database }: OperatorDeps,
  { play, group }: Of<'dead-letters'>,
): Promise<Record<string, unknown>> {
  const asked = play ? { playedAgain: await askForLetters(database, group) } : {};
  const groups = await readLetterFigures(database);
  return { ...asked, groups: group === null ? groups : groups.filter((each) => each.group === group) };
}

/** The database was restored from a back-up of that time. */
async function restored({ database }: OperatorDeps, { backupAt }: Of<'restored'>): Promise<Record<string, unknown>> {
  const doubt = await doubtBackup(database, new Date(backupAt));
  if (doubt !== null) throw new Fault('VALIDATION_FAILED', `--backup ${backupAt} ${doubt}.`);
  return { backupAt, recordsResent: await noteRestore(database, new Date(backupAt)) };
}

async function fillDemo({ database, inventTraffic }: OperatorDeps): Promise<Record<string, unknown>> {
  if (inventTraffic === null)
    throw new Fault('CONFLICT', 'No service runs here. Start it, then run this again: it records what is invented.');
  const { organizationId, ...invented } = await inventTraffic();
  const { projectId } = invented;
  await recordAudit(database, operator, {
    organizationId,
    action: 'traffic.invented',
    subject: { kind: 'project', id: projectId },
    detail: invented,
  });
  return invented;
}

function createOrganization(
  { database }: OperatorDeps,
  { name, tier, liteEnabled, another = false }: Of<'create-organization'>,
): Promise<Record<string, unknown>> {
  return database.transaction(async (tx) => {
    // Two who make it at once: the second finds what the first made.
    await tx.query('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE');
    const known = another ? null : await findByName(tx, name);
    if (known !== null) return describeKnown(tx, known.organization_id, known.lite_enabled);
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

function createKey(
  { database, now }: OperatorDeps,
  { organizationId, projectId, name, isTest, expiresInDays }: Of<'create-key'>,
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

/** Whoever looks into a session of an organization leaves a trace there, as one who changes something does. */
async function explain(
  deps: OperatorDeps,
  { receiptId, facts }: Omit<Of<'explain'>, 'command'>,
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

async function change(
  deps: OperatorDeps,
  organizationId: string,
  update: OrganizationUpdate,
): Promise<Record<string, unknown>> {
  const organization = await inOrganization(deps.database, organizationId, async (tx) => {
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
    note: 'The organization was there already and was left as it is; the key is a further one. A second organization of this name: --another.',
  };
}

/** Which way scoring is switched, and the command that turns it. */
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
