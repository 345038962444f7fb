/**
 * Work inside a transaction uses its connection. One that waits for a second connection never ends on an embedded database, which has one, and
 * takes the pool of a busy server.
 */
import { readdirSync } from 'node:fs';
import t from 'tap';
import ts from 'typescript';
import { readRepositoryFile, repositoryPath } from '../../helpers/repository.js';

/** These are awaited without the transaction being named: work that began with it, statements of a local function that has it, and signatures, which need no database. */
const begunWithIt = new Set([
  'src/scoring/receipts/chain-heads.ts writeHead',
  'src/scoring/receipts/respondent-erasure.ts erase',
  'src/scoring/verdict-changes/look.ts deps.signer.seal',
  'src/verification/sessions/session-store.ts completing.catch',
  'src/verification/verify/verify-service.ts completing',
  'src/verification/verify/verify-service.ts keeping',
  'src/verification/verify/verify-service.ts Promise.all',
]);

const hasTransaction = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) && node.parameters.some(({ name }) => ts.isIdentifier(name) && name.text === 'tx');

const nameOf = (awaited: ts.Expression): string =>
  (ts.isCallExpression(awaited) ? awaited.expression : awaited).getText().replace(/<.*/s, '');

/** Awaits in functions that are given `tx`, which do not pass it on: the name of what is called. */
function awaitsWithout(file: string): string[] {
  const source = ts.createSourceFile(file, readRepositoryFile(file), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node, isInside: boolean): void => {
    const isIn = isInside || hasTransaction(node);
    if (isIn && ts.isAwaitExpression(node) && !/\btx\b/.test(node.expression.getText()))
      found.push(`${file} ${nameOf(node.expression)}`);
    ts.forEachChild(node, (child) => visit(child, isIn));
  };
  visit(source, false);
  return found;
}

t.test('what a transaction awaits uses its connection', async (t) => {
  const files = readdirSync(repositoryPath('src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name}`);
  const found = [...new Set(files.flatMap(awaitsWithout))];
  t.same(
    found.filter((one) => !begunWithIt.has(one)),
    [],
    'nothing else waits inside a transaction',
  );
  t.same(
    [...begunWithIt].filter((one) => !found.includes(one)),
    [],
    'nothing is named that is gone',
  );
});
