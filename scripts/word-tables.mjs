// The words that docs/internals/words.md replaces by others, for the checks of code and of prose.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the list of words of a tree. The returned function gives the table below a heading: each code span of the first column, and what to write for it. */
export function readWordTables(root) {
  const list = readFileSync(join(root, 'docs/internals/words.md'), 'utf8');
  return (heading) => {
    const section = list.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    if (rows.length === 0) throw new Error(`docs/internals/words.md has no table below "${heading}"`);
    return new Map(
      rows.flatMap((row) => {
        const [, replaced = '', write = ''] = row.split('|');
        return [...replaced.matchAll(/`([^`]+)`/g)].map(([, text]) => [text, write.trim()]);
      }),
    );
  };
}
