// Checks the licenses of the packages that a release installs, as package-lock.json names them.
// Usage: node scripts/check-licenses.mjs [FILE]. Prints a line for each package outside the list, and exits with 1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** They ask for their text and a name alone. */
const allowed = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
]);

/** Reads choices and sums of SPDX without inner parentheses, and refuses anything else. */
const isAllowed = (license) =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((id) => allowed.has(id)));

const file = process.argv[2] ?? join(import.meta.dirname, '..', 'package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8'));
const installed = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true,
);
const refused = installed.filter(([, { license }]) => typeof license !== 'string' || !isAllowed(license));
for (const [path, { license = 'no license' }] of refused) console.log(`${path}: ${license}`);
console.log(`${installed.length - refused.length} of ${installed.length} production packages have an allowed license`);
if (refused.length > 0 || installed.length === 0) process.exitCode = 1;
