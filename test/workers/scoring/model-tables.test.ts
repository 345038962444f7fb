/**
 * Tables decide a verdict, and the model’s version hashes them: two versions of the rules that differ in a number or a name never
 * carry the same hash. The sources are read as the compiler reads them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';

const folders = ['workers/scoring', 'workers/duplicates'];
const versionFile = 'workers/scoring/rule-set.ts';

/** Numbers that are arithmetic rather than judgement: signs, halves, percents, powers. */
const arithmetic = new Set(['0', '1', '2', '10', '100', '1000']);

/** Literals and tables that decide nothing, by file and the code that holds them. */
const notDeciding: Readonly<Record<string, string>> = {
  'device.ts auto.globals.slice(0, 3)': 'names shown in a sentence',
  'device.ts worker.slice(0, 4)': 'names shown in a sentence',
  'device.ts frame.slice(0, 4)': 'names shown in a sentence',
  'model.ts Math.min(weight, 50)': 'beyond it the score is 100 for any table, and the power would overflow',
  'probability.ts -0.5': 'expected of a report, and decides no verdict',
  'model.ts clamp(score, 0, 99.9)': 'a score of 100 has no logits',
  'model.ts Math.min(share, 0.999)': 'a share of 1 has no logits',
  'duplication.ts link.probability * 100 + 1e-9': 'keeps a rounding error from taking a point',
  'fitted.ts 1e4 * share': 'rounds what is answered',
  'fitted.ts Math.round(1e4 * share) / 1e4': 'rounds what is answered',
  'score.ts incomparable': 'withholds a probability, and decides no verdict',
  'independence.ts square / 4': 'of Wilson’s interval',
  'likeness.ts kinds': 'places of the fields that are read',
  'linkage.ts unlinked': 'no agreement',
  'linkage.ts unlike': 'no agreement',
  'verdict.ts [100, 75, 50]': 'the bands of the older reply follow from the score and decide nothing',
  'movement.ts 97 + index': 'names a group',
  "movement.ts hashText(`${shift}:${cells.join(':')}`, index).toString(36)": 'formats a number',
  'sketch.ts Math.imul(key, 0x9e3779b1)': 'spreads the bits of a hash',
  'sketch.ts band.toString(36)': 'formats a number',
  'sketch.ts smallest = 0xffffffff': 'the largest number of 32 bits',
  'usage.ts countNames': 'names of fields that are read',
  'usage.ts sampleNames': 'names of fields that are read',
};

interface Found {
  readonly where: string;
  readonly text: string;
}

/** Names that the version hashes, and those that they are made of. */
function hashedNames(sources: ReadonlyMap<string, ts.SourceFile>): Set<string> {
  const names = new Set<string>();
  const take = (node: ts.Node): void => {
    // A property's name is no reference to a table of that name.
    if (ts.isPropertyAssignment(node)) take(node.initializer);
    else if (ts.isPropertyAccessExpression(node)) take(node.expression);
    else if (ts.isIdentifier(node)) names.add(node.text);
    else node.forEachChild(take);
  };
  for (const statement of sources.get(versionFile)?.statements ?? [])
    if (ts.isVariableStatement(statement)) take(statement);
  for (let size = 0; size !== names.size;) {
    size = names.size;
    for (const source of sources.values())
      for (const { name, initializer } of tablesOf(source))
        if (names.has(name) && initializer !== undefined) take(initializer);
  }
  return names;
}

function tablesOf(source: ts.SourceFile): { name: string; initializer: ts.Expression | undefined }[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .map(({ name, initializer }) => ({ name: name.getText(), initializer }));
}

function findUnhashed(sources: ReadonlyMap<string, ts.SourceFile>): Found[] {
  const hashed = hashedNames(sources);
  const found: Found[] = [];
  for (const [path, source] of sources) {
    const file = path.split('/').at(-1) ?? '';
    for (const { name, initializer } of tablesOf(source)) {
      const plain = strip(initializer);
      const isTable =
        plain !== undefined && (ts.isObjectLiteralExpression(plain) || ts.isArrayLiteralExpression(plain));
      if (isTable && !hashed.has(name)) found.push({ where: `${file} ${name}`, text: name });
    }
    const visit = (node: ts.Node, top: string | null): void => {
      if (ts.isVariableStatement(node) && node.parent === source)
        for (const each of node.declarationList.declarations) visit(each, each.name.getText());
      else if (ts.isNumericLiteral(node) && !arithmetic.has(node.text) && (top === null || !hashed.has(top)))
        found.push({ where: `${file} ${node.parent.getText().replace(/\s+/g, ' ')}`, text: node.text });
      else node.forEachChild((child) => visit(child, top));
    };
    visit(source, null);
  }
  return found;
}

/** Without `as const`, `satisfies` and parentheses. */
function strip(node: ts.Expression | undefined): ts.Expression | undefined {
  if (
    node !== undefined &&
    (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
  )
    return strip(node.expression);
  return node;
}

const read = (path: string, text = readFileSync(path, 'utf8')) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

const sources = new Map(
  folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [join(folder, name), read(join(folder, name))] as const),
  ),
);

t.test('every table and every number that a rule decides by is in what the model’s version hashes', (t) => {
  const found = findUnhashed(sources);
  t.same(
    found.filter(({ where }) => !Object.hasOwn(notDeciding, where)),
    [],
    'put it into a table that rule-set.ts hashes, or say in notDeciding why it decides nothing',
  );
  const met = new Set(found.map(({ where }) => where));
  t.same(
    Object.keys(notDeciding).filter((where) => !met.has(where)),
    [],
    'no exception outlives its code',
  );
  t.end();
});

t.test('a number in a rule and a table beside the hashed ones are found', (t) => {
  const text = 'const usual = { mobile: 7 };\nexport const weigh = (n: number) => (n > 3 ? usual.mobile : 0);';
  const found = findUnhashed(new Map([...sources, ['workers/scoring/new.ts', read('new.ts', text)]]));
  t.same(
    found.filter(({ where }) => where.startsWith('new.ts')).map(({ where }) => where),
    ['new.ts usual', 'new.ts mobile: 7', 'new.ts n > 3'],
  );
  t.end();
});
