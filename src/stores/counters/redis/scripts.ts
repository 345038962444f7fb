/**
 * Loads the Lua scripts from their parts in scripts/. Bounds are inlined as numbers, because every call would build a table of them again. Each script exists twice: as a script, and as a function of a library, which the server builds once instead of at every call
 * (docs/internals/adr/0001). The parts stay in the source tree; compiled code finds them from the root of the package. A missing part or an unknown name fails
 * the start.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../package-root.js';
import { bounds } from '../bounds.js';

/** An argument of a script, behind its key. */
export type Argument = string | number;

export interface Script {
  readonly name: ScriptName;
  readonly text: string;
  readonly sha1: string;
  /** The same as a function of the library. */
  readonly functionName: string;
}

/** All scripts as functions. The name holds a hash of the text, so that every version has a library of its own. */
export interface Library {
  readonly name: string;
  readonly text: string;
}

/** All versions’ library names begin with this. */
export const libraryPrefix = 'verifyhuman_';

/** The parts of each script, in order; they share their locals, and the last one is what a call does. */
const parts = {
  commit: ['cells', 'commit'],
  readCells: ['cells', 'read-cells'],
  releaseReceipts: ['release-receipts'],
  noteMovement: ['note-movement'],
  takeRate: ['take-rate'],
  checkComplete: ['run', 'completeness', 'check-complete'],
  claimRebuild: ['run', 'claim-rebuild'],
  noteRebuilt: ['run', 'note-rebuilt'],
  markComplete: ['run', 'completeness', 'mark-complete'],
} as const;

export type ScriptName = keyof typeof parts;

/** With it Redis 7 refuses the whole script when memory is short; without, it would stop somewhere inside. */
const firstLine = '#!lua';

const scriptsDirectory = join(packageRoot, 'src', 'stores', 'counters', 'redis', 'scripts');

export type Scripts = Readonly<Record<keyof typeof parts, Script>>;

export async function loadScripts(
  directory = scriptsDirectory,
): Promise<{ readonly scripts: Scripts; readonly library: Library }> {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const bodies = await Promise.all(names.map(async (name) => [name, await readBody(directory, name)] as const));
  const library = makeLibrary(bodies);
  const scripts = bodies.map(([name, body]) => {
    const text = [firstLine, 'local KEYS, ARGV = KEYS, ARGV', body, 'return main()'].join('\n');
    return [name, { name, text, sha1: sha1Of(text), functionName: functionNameOf(library.name, name) }] as const;
  });
  return { scripts: Object.fromEntries(scripts) as unknown as Scripts, library };
}

/** The body of the function `main`. */
async function readBody(directory: string, name: keyof typeof parts): Promise<string> {
  const texts = await Promise.all(parts[name].map((part) => readFile(join(directory, `${part}.lua`), 'utf8')));
  const named = new Map<string, string>();
  const ready = texts.map((part) => nameLocally(putNumbersIn(part, name), named));
  const locals = [...named.keys()].join(', ');
  return [
    `local ${locals}`,
    ...ready.slice(0, -1),
    'local function main()',
    // There is nothing to be named yet when a library is loaded.
    `if not ${locals.split(', ')[0]} then ${locals} = ${[...named.values()].join(', ')} end`,
    ready.at(-1),
    'end',
  ].join('\n');
}

/** Gives functions of the server and of Lua a local name, which saves the lookup in one or two tables at each call. Adds to `named`, local name by full name. */
function nameLocally(part: string, named: Map<string, string>): string {
  return part.replaceAll(
    /(?<![\w.])(?:(?:redis|string|table|math|cmsgpack|struct)\.\w+|tonumber|ipairs|pairs|unpack|type)(?=\()/g,
    (provided) => {
      const local = `local_${provided.replace('.', '_')}`;
      named.set(local, provided);
      return local;
    },
  );
}

/** A function is given its keys and arguments; the parts find them where a script has them. */
function makeLibrary(bodies: readonly (readonly [keyof typeof parts, string])[]): Library {
  const name = libraryPrefix + sha1Of(bodies.map(([, body]) => body).join('\n')).slice(0, 16);
  const functions = bodies.map(([script, body]) =>
    [
      'do',
      'local KEYS, ARGV',
      body,
      'redis.register_function{',
      `  function_name = '${functionNameOf(name, script)}',`,
      '  callback = function(keys, args)',
      '    KEYS, ARGV = keys, args',
      '    return main()',
      '  end,',
      '}',
      'end',
    ].join('\n'),
  );
  return { name, text: [`${firstLine} name=${name}`, ...functions].join('\n') };
}

function functionNameOf(libraryName: string, script: string): string {
  return `${libraryName}_${script}`;
}

function sha1Of(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** Removes comments and inlines bounds; an expiry becomes a string, because Redis would format a large number as a float. */
function putNumbersIn(part: string, script: ScriptName): string {
  const numbers: Readonly<Record<string, number>> = bounds;
  return part
    .replaceAll(/^ *--.*\n/gm, '')
    .replaceAll(/\bbounds\.(\w+)\b/g, (named, name: string) => {
      const number = numbers[name];
      if (number === undefined) throw new Error(`the script ${script} names ${named}, which there is not`);
      return String(number);
    })
    .replaceAll(/'PX', (\d+)(?= *[,)])/g, "'PX', '$1'");
}
