/** docs/explanation/privacy.md against the schema, the envelope and the settings: nothing is kept or sent that the page does not name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { settings } from '../../src/config/settings.js';
import { Envelope } from '../../src/contract/envelope.js';
import { packageRoot } from '../../src/package-root.js';

const page = readFileSync(join(packageRoot, 'docs', 'explanation', 'privacy.md'), 'utf8');
const named = new Set([...page.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));

t.test('every table of the database has a row, or is said to hold nothing about a respondent', async (t) => {
  const folder = join(packageRoot, 'src', 'stores', 'database', 'migrations');
  const tables = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name),
  );
  t.ok(tables.length > 40);
  t.strictSame(
    tables.filter((name) => !named.has(name)),
    [],
  );
});

t.test('every part of the envelope has a row', async (t) => {
  const ofTheProtocol = ['v', 'sdk', 'sessionId', 'nonce'];
  const parts = Object.keys(Envelope.properties).filter((name) => !ofTheProtocol.includes(name));
  t.strictSame(
    parts.filter((name) => !named.has(name)),
    [],
  );
});

t.test('the days are those of the settings', async (t) => {
  const stated = [...page.matchAll(/`(\w+_DAYS)` \((\d+)\)/g)];
  t.ok(stated.length >= 10);
  for (const [, name = '', days] of stated)
    t.equal(String((settings as Record<string, { readonly fallback: unknown }>)[name]?.fallback), days, name);
});
