/** The text of `npm run bench -- --help`: each bench in a line, and the options with their defaults. */

export type Topics<Name extends string> = Readonly<Record<Name, string>>;

interface Option {
  readonly type: 'string' | 'boolean';
  readonly default?: string;
}

const indent = 2;

export function helpText(topics: Topics<string>, options: Readonly<Record<string, Option>>): string {
  const named = Object.entries(options).map(([name, { type, default: preset }]): readonly [string, string] => [
    `--${name}${type === 'boolean' ? '' : ' VALUE'}`,
    preset === undefined ? '' : `default ${preset}`,
  ]);
  return [
    'Usage: npm run bench -- NAME [options]',
    '       npm run bench -- compare A B [--bench NAME]',
    '',
    'Benches:',
    ...aligned(Object.entries(topics)),
    '',
    'Options, as far as a bench uses them:',
    ...aligned(named),
    '',
    'Real stores are used where they run (npm run stack -- start). Results and how to read them: docs/internals/benchmarks.md.',
  ].join('\n');
}

function aligned(rows: readonly (readonly [name: string, text: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length)) + indent;
  return rows.map(([name, text]) => `${' '.repeat(indent)}${name.padEnd(width)}${text}`.trimEnd());
}
