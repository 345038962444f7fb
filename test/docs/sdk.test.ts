import t from 'tap';
import { attributeOptions, optionRules } from '../../sdk/widget/settings.js';
import { failureReasons } from '../../src/contract/failure-reasons.js';
import { signalRules } from '../../workers/verification/signals.js';
import { readRepositoryFile } from '../helpers/repository.js';

const page = ['browser-sdk', 'browser-sdk-errors'].map((name) => readRepositoryFile(`docs/reference/${name}.md`)).join('\n');
const table = (heading: string): string => page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

t.test('every option and attribute is documented, and nothing else', (t) => {
  const text = table('Options');
  const cells = text.split('\n').filter((line) => line.startsWith('| `'));
  const named = (index: number) =>
    cells.flatMap((line) => [...(line.split('|')[index] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  t.strictSame(named(1).sort(), Object.keys(optionRules).sort());
  t.strictSame(
    named(2).sort(),
    Object.keys(attributeOptions)
      .map((name) => `data-${name}`)
      .sort(),
  );
  t.end();
});

t.test('the table of failure codes has every code with its sentence, and no other', (t) => {
  const rows = [...table('Failure codes').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, sentence]) => [code, sentence]);
  t.strictSame(rows, Object.entries(failureReasons));
  t.strictSame(
    Object.keys(failureReasons).filter((code) => code in signalRules),
    [],
    'no code is a signal’s as well',
  );
  t.end();
});

t.test('every field of a result and every code of an error of the SDK is documented', (t) => {
  const types = readRepositoryFile('sdk/widget/api.ts');
  const bodyOf = (name: string) => types.split(`export interface ${name} {`)[1]?.split('\n}')[0] ?? '';
  const fields = [...bodyOf('VHMountResult').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name ?? '');
  t.ok(fields.length > 25, `${fields.length} fields`);
  for (const name of fields) t.ok(page.includes(name), String(name));
  for (const [, name] of bodyOf('VerifyErrorContext').matchAll(/^ {2}readonly (\w+)\??:/gm))
    t.ok(table('Codes').includes(`\`${name}\``), String(name));
  const sources = ['result', 'errors', 'settings', 'token', 'sdk', 'local-widget'].map((name) =>
    readRepositoryFile(`sdk/widget/${name}.ts`),
  );
  const codes = new Set(
    sources.flatMap((source) => [...source.matchAll(/'([A-Z]+_[A-Z_]+|TIMEOUT|UNSUPPORTED)'/g)].map(([, code]) => code)),
  );
  for (const code of ['DUPLICATE_DETECTED', 'NETWORK_ERROR', 'INVALID_OPTION']) t.ok(codes.has(code), `${code} was found`);
  // The service's own, in errors.md.
  codes.delete('QUOTA_EXCEEDED');
  for (const code of codes) t.ok(page.includes(`\`${code}\``), String(code));
  t.end();
});
