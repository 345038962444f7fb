/** docs/reference/asvs.md against the ids of the standard, and against the tests that it names. */
import { existsSync } from 'node:fs';
import t from 'tap';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';

/** Requirements of level 2 in OWASP ASVS 4.0.3, chapters 2 to 14. Numbers that it has deleted, or asks of level 3 alone, are left out. */
const sections: Readonly<Record<string, string>> = {
  '2.1': '1-12',
  '2.2': '1-3',
  '2.3': '1-3',
  '2.4': '1-5',
  '2.5': '1-7',
  '2.6': '1-3',
  '2.7': '1-6',
  '2.8': '1-7',
  '2.9': '1-3',
  '2.10': '1-4',
  '3.1': '1',
  '3.2': '1-4',
  '3.3': '1-4',
  '3.4': '1-5',
  '3.5': '1-3',
  '3.7': '1',
  '4.1': '1-3,5',
  '4.2': '1-2',
  '4.3': '1-3',
  '5.1': '1-5',
  '5.2': '1-8',
  '5.3': '1-10',
  '5.4': '1-3',
  '5.5': '1-4',
  '6.1': '1-3',
  '6.2': '1-6',
  '6.3': '1-2',
  '6.4': '1-2',
  '7.1': '1-4',
  '7.2': '1-2',
  '7.3': '1,3-4',
  '7.4': '1-3',
  '8.1': '1-4',
  '8.2': '1-3',
  '8.3': '1-8',
  '9.1': '1-3',
  '9.2': '1-4',
  '10.2': '1-2',
  '10.3': '1-3',
  '11.1': '1-8',
  '12.1': '1-3',
  '12.2': '1',
  '12.3': '1-6',
  '12.4': '1-2',
  '12.5': '1-2',
  '12.6': '1',
  '13.1': '1,3-5',
  '13.2': '1-3,5-6',
  '13.3': '1-2',
  '13.4': '1-2',
  '14.1': '1-4',
  '14.2': '1-6',
  '14.3': '2-3',
  '14.4': '1-7',
  '14.5': '1-4',
};
const results = ['met', 'partly', 'operator', 'not met', 'n/a'];

const numbersOf = (ranges: string): readonly number[] =>
  ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
const required = Object.entries(sections).flatMap(([section, ranges]) =>
  numbersOf(ranges).map((number) => `${section}.${number}`),
);
const page = readRepositoryFile('docs/reference/asvs.md');
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', about = '', result = '', held = '']) => ({ id, about, result, held }),
);

t.test('every requirement of level 2 has one row, in order', async (t) => {
  t.equal(required.length, 221);
  t.strictSame(
    rows.map(({ id }) => id),
    required,
  );
});

t.test('what is met names tests that exist, and everything else says why', async (t) => {
  for (const { id, result, held } of rows) {
    t.ok(results.includes(result), `${id}: ${result}`);
    const named = [...held.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, name = '']) => name);
    if (result !== 'met') t.ok(held.length > 5 && named.length === 0, `${id} says why`);
    else t.ok(named.length > 0, `${id} names a test`);
    for (const name of named) t.ok(existsSync(repositoryPath(`test/${name}`)), `${id}: ${name}`);
  }
});

t.test('the summary counts the rows', async (t) => {
  const counted = results.map((result) => [result, rows.filter((row) => row.result === result).length]);
  const stated = [...page.matchAll(/^\| (met|partly|operator|not met|n\/a) \| (\d+) \|/gm)];
  t.strictSame(
    stated.map(([, result, count]) => [result, Number(count)]),
    counted,
  );
});
