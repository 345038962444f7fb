/** Parts that the commands share which call a service, as a customer’s own program does: with a key, over HTTP. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { createClient, type Client } from '../../../sdk/node/index.js';
import { readSettings } from '../../../sdk/node/settings.js';
import { createCall } from '../../../sdk/node/transport.js';
import { pageMax } from '../../limits.js';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** The service, called with the key. */
export interface Remote {
  readonly client: Client;
  /** A GET, or a POST where there is a body. Throws a VerifyHumanError. */
  call(path: string, query?: Query, body?: object): Promise<object>;
  /** The audience API likewise. */
  callStudies(path: string, query?: Query): Promise<object>;
}
/** Undefined values are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

export interface Given {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** Opened by the first use, so that a mistake in the command is reported before a missing key. */
  readonly remote: () => Remote;
  /** Progress for a person who waits, on standard error. */
  readonly progress: (line: string) => void;
}

export interface Output {
  /** Printed by --json: a list as one line each. */
  readonly data: object;
  readonly text: string;
}

export interface RemoteCommand {
  readonly does: string;
  readonly usage: string;
  readonly options: Options;
  run(given: Given): Promise<Output>;
}

/** A mistake in the command line; the message says how to write it. */
export class UsageError extends Error {}

export const common = {
  api: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const satisfies Options;

const times = { deadlineMs: 30_000, attemptMs: 15_000 };

export function readCommand(args: readonly string[], options: Options) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, ...common },
      allowPositionals: true,
    });
    return { values: values as Given['values'], positionals };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

export function openRemote(values: Given['values'], environment: Readonly<Record<string, string | undefined>>): Remote {
  const baseUrl = named('api', values['api'] ?? environment['API']);
  const apiKey = named('key', values['key'] ?? environment['PROJECT_KEY']);
  const settings = readSettings({ baseUrl, apiKey });
  const call = createCall(settings);
  return {
    client: createClient({ baseUrl, apiKey }),
    call: (path, query = {}, body) => call({ path: withQuery(path, query), times, ...(body && { body }) }, {}),
    callStudies: (path, query = {}) => {
      const audience = named('audience', environment['AUDIENCE']);
      return createCall({ ...settings, baseUrl: audience.replace(/\/$/, '') })(
        { path: withQuery(path, query), times },
        {},
      );
    },
  };
}

/** The items of all pages. `read` asks for the page of a query. */
export async function readPages<Page extends { readonly nextCursor: string | null }, Item>(
  read: (query: Query) => Promise<object>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = (await read({ limit: String(pageMax), cursor })) as Page;
    items.push(...itemsOf(page));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

const variables = { api: 'API', key: 'PROJECT_KEY', audience: 'AUDIENCE' } as const;
const meanings = {
  api: 'the root of the API, which ends in /api/v1',
  key: 'a secret key (vf_…)',
  audience: 'the root of the audience API, which ends in /v1',
} as const;

function named(name: keyof typeof variables, value: string | boolean | undefined): string {
  if (typeof value === 'string' && value !== '') return value;
  const option = name === 'audience' ? '' : ` or --${name}`;
  throw new UsageError(`Set ${variables[name]}${option} to ${meanings[name]}.`);
}

function withQuery(path: string, query: Query): string {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked).toString()}`;
}

export const text = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The one positional argument; throws where there is none or more. */
export function only(given: Given, name: string): string {
  const [first, ...others] = given.positionals;
  if (first === undefined || others.length > 0) throw new UsageError(`Name one ${name}.`);
  return first;
}

/** A number in an option; undefined where it was not given. */
export function numberOf(name: string, value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const read = Number(value);
  if (value === '' || !Number.isFinite(read)) throw new UsageError(`--${name} takes a number, not "${value}".`);
  return read;
}

/** Columns, each as wide as its longest text; the last one as it is. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => String(cell ?? '-')));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '))
    .join('\n');
}
