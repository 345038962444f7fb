/** sentences.md: every promise of the interface names a test that exists. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { repositoryPath } from '../helpers/repository.js';

const rows = readFileSync(repositoryPath('test/contract/sentences.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Promise \||---)/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

/** Names of the tests of a file, as they stand in its source: of a test in a loop, its template. */
const namesOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\btest\w*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)].map(([, , name = '']) =>
    name.replaceAll(/\\(.)/g, '$1'),
  );

t.test('every promise names a test that exists', (t) => {
  for (const [, promise = '', test = ''] of rows) {
    const [, file = '', words = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    const path = repositoryPath(`test/${file}`);
    const isThere = file !== '' && existsSync(path) && namesOf(path).some((name) => name.includes(words));
    t.ok(isThere, `${promise}: ${test === '' ? 'no test' : test}`);
  }
  t.end();
});

t.test('no promise stands twice', (t) => {
  const promises = rows.map(([, promise = '']) => promise);
  t.same(
    promises.filter((promise, place) => promises.indexOf(promise) !== place),
    [],
  );
  t.end();
});
