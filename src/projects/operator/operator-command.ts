/** The operator's commands: what each takes, and the check of one that came over the operator's channel. */
import type { ValidateFunction } from 'ajv';
import { Type, type Static } from 'typebox';
import { expiresInDaysMax } from '../../contract/api-key.js';
import { Nullable, StringEnum } from '../../contract/common.js';
import { tiers } from '../../contract/project-parts.js';
import { createAjv } from '../../kernel/validation.js';

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

export type CommandOf<Command extends OperatorCommand['command']> = Extract<
  OperatorCommand,
  { readonly command: Command }
>;
