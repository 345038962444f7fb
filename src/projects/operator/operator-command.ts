/** The operator’s commands: what each takes, and the parser of a command line, which explains a mistake with the right form. */
import { parseArgs } from 'node:util';
import type { ValidateFunction } from 'ajv';
import { Type, type Static } from 'typebox';
import { expiresInDaysMax } from '../../contract/api-key.js';
import { Nullable, StringEnum } from '../../contract/common.js';
import { tiers } from '../../contract/project-parts.js';
import { timeOfDate } from '../../kernel/calendar-day.js';
import { createAjv } from '../../kernel/validation.js';
import { nearestName } from '../../nearest-name.js';

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

const forms = {
  migrate: 'migrate',
  'create-organization': `create-organization --name N [--tier ${tiers.join('|')}] [--lite on|off] [--another]`,
  'list-organizations': 'list-organizations [--after ID]',
  'create-key': 'create-key --org ID [--project ID] [--name N] [--test] [--expires-in-days 1-365]',
  'enable-lite': 'enable-lite --org ID [--off]',
  'set-tier': `set-tier --org ID --tier ${tiers.join('|')}`,
  'set-quota': 'set-quota --org ID --monthly N|none',
  trial: 'trial --org ID --ends YYYY-MM-DD | trial --org ID --none',
  retention: 'retention [--allow WHAT --before YYYY-MM-DD]',
  'dead-letters': 'dead-letters [--play] [--group NAME]',
  'show-receipt': 'show-receipt RECEIPT',
  restored: 'restored --backup YYYY-MM-DDTHH:MM:SSZ',
  explain: 'explain RECEIPT [--facts]',
  replay: 'replay FILE',
} as const;
type Command = keyof typeof forms;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  migrate: {},
  'create-organization': { name: text, tier: text, lite: text, another: flag },
  'list-organizations': { after: text },
  'create-key': { org: text, project: text, name: text, test: flag, 'expires-in-days': text },
  'enable-lite': { org: text, off: flag },
  'set-tier': { org: text, tier: text },
  'set-quota': { org: text, monthly: text },
  trial: { org: text, ends: text, none: flag },
  retention: { allow: text, before: text },
  'dead-letters': { play: flag, group: text },
  'show-receipt': {},
  restored: { backup: text },
  explain: { facts: flag },
  replay: {},
} as const;

/** Commands that take one word without a name, and what it is. */
const subjects: Readonly<Partial<Record<Command, string>>> = {
  'show-receipt': 'receipt',
  explain: 'receipt',
  replay: 'file',
};

type Values = Readonly<Partial<Record<string, string | boolean>>>;

/** Done where they are typed: `replay` needs the recorded facts and no store, `migrate` the database and no service. */
export type LocalCommand = { readonly command: 'replay'; readonly file: string } | { readonly command: 'migrate' };

export function readOperatorCommand(args: readonly string[]): OperatorCommand | LocalCommand {
  const [word = '', ...rest] = args;
  if (!isCommand(word)) {
    const nearest = nearestName(word, Object.keys(forms));
    throw new Error(
      `${word === '' ? 'The command is missing.' : `There is no command ${word}${nearest === null ? '.' : `; did you mean ${nearest}?`}`} Commands:\n${Object.values(
        forms,
      )
        .map((form) => `  ${form}`)
        .join('\n')}`,
    );
  }
  const values = readValues(word, rest);
  if (word === 'replay') return { command: word, file: String(values['file']) };
  if (word === 'migrate') return { command: word };
  const wish = build(word, values);
  if (!isOperatorCommand(wish)) throw usage(word, 'an option is missing or invalid.');
  return wish;
}

const isCommand = (word: string): word is Command => Object.hasOwn(forms, word);
const usage = (command: Command, problem: string): Error =>
  new Error(`${command}: ${problem} It is written\n  ${forms[command]}`);

function readValues(command: Command, args: readonly string[]): Values {
  const subject = subjects[command];
  const { values, positionals } = parse(command, args, subject !== undefined);
  if (subject === undefined) return values;
  const [word, ...more] = positionals;
  if (word === undefined || more.length > 0) throw usage(command, `it takes one ${subject}.`);
  return { ...values, [subject]: word };
}

function parse(
  command: Command,
  args: readonly string[],
  allowPositionals: boolean,
): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: options[command], allowPositionals });
    return { values: values as Values, positionals };
  } catch (error) {
    throw usage(command, `${(error as Error).message.split('. ')[0]}.`);
  }
}

function build(command: Exclude<Command, LocalCommand['command']>, values: Values): unknown {
  const organizationId = values['org'];
  switch (command) {
    case 'create-organization': {
      const lite = values['lite'] ?? 'on';
      if (lite !== 'on' && lite !== 'off') throw usage(command, '--lite takes on or off.');
      return {
        command,
        name: values['name'],
        tier: values['tier'] ?? 'free',
        liteEnabled: lite === 'on',
        ...(values['another'] === true ? { another: true } : {}),
      };
    }
    case 'list-organizations':
      return { command, after: values['after'] ?? null };
    case 'show-receipt':
      return { command, receiptId: values['receipt'] };
    case 'create-key':
      return {
        command,
        organizationId,
        projectId: values['project'] ?? null,
        name: values['name'] ?? 'Key of the operator',
        isTest: values['test'] ?? false,
        expiresInDays: numberOf(values['expires-in-days']),
      };
    case 'enable-lite':
      return { command, organizationId, liteEnabled: values['off'] !== true };
    case 'set-tier':
      return { command, organizationId, tier: values['tier'] };
    case 'set-quota':
      if (values['monthly'] === undefined) throw usage(command, '--monthly is missing.');
      return {
        command,
        organizationId,
        monthlyQuota: values['monthly'] === 'none' ? null : numberOf(values['monthly']),
      };
    case 'retention':
      if ((values['allow'] === undefined) !== (values['before'] === undefined))
        throw usage(command, '--allow and --before need each other.');
      return { command, allow: values['allow'] ?? null, before: readDay(command, '--before', values['before']) };
    case 'dead-letters':
      return { command, play: values['play'] ?? false, group: values['group'] ?? null };
    case 'restored':
      if (values['backup'] === undefined) throw usage(command, '--backup needs the time of the backup.');
      return { command, backupAt: readDay(command, '--backup', values['backup']) };
    case 'explain':
      return { command, receiptId: values['receipt'], facts: values['facts'] ?? false };
    case 'trial':
      return { command, organizationId, trialEndsAt: readEnd(values) };
  }
}

function numberOf(value: string | boolean | undefined): number | null {
  if (value === undefined) return null;
  return /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
}

/** A day ends the trial when it begins, in UTC; a full time is taken as it is. */
function readEnd({ ends, none }: Values): string | null {
  if ((ends === undefined) === (none === undefined)) throw usage('trial', 'use either --ends or --none.');
  if (ends === undefined) return null;
  return readDay('trial', '--ends', ends);
}

/** The beginning of a day in UTC, or a full time as it is; null where none is given. */
function readDay(command: Command, option: string, value: string | boolean | undefined): string | null {
  if (value === undefined) return null;
  const time = new Date(String(value));
  const [, day = ''] = /^(\d{4}-\d{2}-\d{2})(?:T.+(?:Z|[+-]\d{2}:?\d{2}))?$/i.exec(String(value)) ?? [];
  // A time of day without its zone would be taken for that of this machine, and the 30th of February for a day of March.
  if (timeOfDate(day) === null || Number.isNaN(time.getTime()))
    throw usage(command, `${option} takes a date, or a time with its zone (Z for UTC).`);
  return time.toISOString();
}
