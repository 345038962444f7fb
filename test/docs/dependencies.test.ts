/** docs/internals/dependencies.md names each package that a release needs, and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/package-root.js';

t.test('each production dependency has its reason', (t) => {
  const { dependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const rows = readFileSync(join(packageRoot, 'docs/internals/dependencies.md'), 'utf8').matchAll(/^\| (`[^|]+`) \|/gm);
  const named = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  t.same(named.sort(), Object.keys(dependencies).sort());
  for (const [name, version] of Object.entries(dependencies)) t.match(version, /^\d+\.\d+\.\d+$/, `${name} is pinned`);
  t.end();
});
