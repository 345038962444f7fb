/**
 * The Lua scripts, put together from the parts in scripts/, with the bounds and the places of the arguments put in as numbers: as tables they
 * would be built anew by every call. They stay in the source tree; compiled code finds them from the root of the package. A missing part, or a name
 * that stands for nothing, fails the start.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../package-root.js';
import { bounds } from '../bounds.js';
import { layoutPlaces, type ScriptName } from './argument-layouts.js';

export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha1: string;
}

/** What both scripts that count sessions begin with. */
const counting = [
  'inputs',
  'entries',
  'session',
  'persons',
  'velocity',
  'source',
  'terms',
  'candidates',
  'scope',
  'relations',
  'counting',
] as const;

/** The parts of each script, in order; all become one chunk and share its locals. */
const parts = {
  countScore: [...counting, 'rates', 'receipt', 'history', 'count-score'],
  restoreSessions: [...counting, 'restore-sessions'],
  readReceipt: ['receipt', 'read-receipt'],
  findProbe: ['inputs', 'session', 'find-probe'],
  wereScored: ['were-scored'],
  storeProbe: ['store-probe'],
  takeRate: ['rates', 'take-rate'],
  publishHistory: ['publish-history'],
  lookAt: ['run', 'look-at'],
  claimRebuild: ['run', 'claim-rebuild'],
  noteRebuilt: ['run', 'note-rebuilt'],
  markWarm: ['run', 'mark-warm'],
} as const satisfies Readonly<Record<ScriptName, readonly string[]>>;

/** With it Redis 7 refuses the whole script when memory is short; without, it would stop somewhere inside. */
const firstLine = '#!lua';

/** A script that only reads is let through then. */
const readingFirstLine = `${firstLine} flags=no-writes`;

const readers: ReadonlySet<string> = new Set(['readReceipt', 'findProbe', 'wereScored']);

const scriptsDirectory = join(packageRoot, 'src', 'stores', 'counters', 'redis', 'scripts');

export type Scripts = Readonly<Record<keyof typeof parts, Script>>;

export async function loadScripts(directory = scriptsDirectory): Promise<Scripts> {
  const load = async (name: keyof typeof parts): Promise<Script> => {
    const texts = await Promise.all(parts[name].map((part) => readFile(join(directory, `${part}.lua`), 'utf8')));
    const text = [
      readers.has(name) ? readingFirstLine : firstLine,
      ...texts.map((part) => putNumbersIn(part, name)),
    ].join('\n');
    return { name, text, sha1: createHash('sha1').update(text).digest('hex') };
  };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const scripts = await Promise.all(names.map(async (name) => [name, await load(name)] as const));
  return Object.fromEntries(scripts) as unknown as Scripts;
}

/** The part without its comments, and with a number for every name of a bound or of the place of an argument. */
function putNumbersIn(part: string, script: ScriptName): string {
  const numbers: Readonly<Record<string, number>> = {
    ...layoutPlaces(script),
    ...Object.fromEntries(Object.entries(bounds).map(([name, value]) => [`bounds.${name}`, value])),
  };
  return part
    .replaceAll(/^ *--.*\n/gm, '')
    .replaceAll(/\b(?:(?:bounds|argument|item)\.\w+|heads|stride)\b/g, (name) => {
      const number = numbers[name];
      if (number === undefined) throw new Error(`the script ${script} names ${name}, which there is not`);
      return String(number);
    });
}
