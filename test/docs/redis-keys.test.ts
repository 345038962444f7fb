/** docs/internals/redis-keys.md against the code: every key that it builds has a row, and every row a key, an expiry and a writer that exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/package-root.js';
import { bounds } from '../../src/stores/counters/bounds.js';

const folder = join(packageRoot, 'src', 'stores', 'counters');
const filesIn = (name: string): readonly (readonly [string, string])[] =>
  readdirSync(join(folder, name)).map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]);
const files = new Map([...filesIn('counting'), ...filesIn('redis/scripts')]);
const beginnings: Readonly<Record<string, string>> = { at: 'scope', tag: 'home', 'KEYS[1]': 'base', base: 'base' };

const builtBy = (text: string): string[] => [
  ...[...text.matchAll(/\b(base|tag|KEYS\[1\]) \.\. '(\w+)/g)].map(([, from = '', name = '']) => `${beginnings[from]} ${name}`),
  ...[...text.matchAll(/\$\{(?:this\.)?(base|at|tagOf\(projectId\))\}(\w+)/g)].map(
    ([, from = '', name = '']) => `${beginnings[from] ?? 'home'} ${name}`,
  ),
];
const built = new Set([...files.values()].flatMap(builtBy));

interface Row {
  readonly key: string;
  readonly expiry: string;
  readonly writers: readonly string[];
}
const rows = readFileSync(join(packageRoot, 'docs', 'internals', 'redis-keys.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?:base|scope|home) \| `\w/.test(line))
  .map((line): Row => {
    const [, beginning = '', key = '', , , expiry = '', writers = ''] = line.split('|').map((cell) => cell.trim());
    return { key: `${beginning} ${/^`(\w+)/.exec(key)?.[1]}`, expiry, writers: writers.split(', ') };
  });

t.test('every key that is built has a row, and every row is of a key that is built', async (t) => {
  t.ok(built.size > 15);
  t.same([...new Set(rows.map(({ key }) => key))].sort(), [...built].sort());
});

t.test('a row’s expiry stands in bounds and in the file that it says writes the key', async (t) => {
  for (const { key, expiry, writers } of rows) {
    const texts = writers.map((name) => files.get(name));
    t.notOk(texts.includes(undefined), `${key}: ${writers.join()} exist`);
    t.ok(texts.some((text) => /'PX'|'PEXPIRE'|keepMs|bounds\.\w+Ms/.test(text ?? '')), `${key}: ${writers.join()} sets an expiry`);
    for (const [, name = ''] of expiry.matchAll(/bounds\.(\w+)/g)) {
      t.ok(name in bounds, `${key}: bounds.${name} exists`);
      t.ok(texts.some((text) => text?.includes(`bounds.${name}`)), `${key}: ${writers.join()} uses bounds.${name}`);
    }
  }
});
