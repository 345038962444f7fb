/** Samples in TypeScript compile under strict, with the types of the package and of the frameworks. */
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../helpers/directories.js';
import { blocksOf } from '../helpers/guide-blocks.js';
import { repositoryPath } from '../helpers/repository.js';

const folder = temporaryDirectory(t);
symlinkSync(repositoryPath('node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

/** Returns the messages of the compiler; empty if it accepts the program. */
function complaintsOf(name: string, code: string): string {
  writeFileSync(join(folder, `${name}.ts`), code);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['node'], skipLibCheck: true },
    paths: { 'verifyhuman/node': [repositoryPath('sdk/node/index.ts')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  try {
    return execFileSync(process.execPath, [repositoryPath('node_modules/typescript7/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
      timeout: 120_000,
    });
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}

for (const page of ['docs/reference/node.md']) {
  const blocks = blocksOf(page).filter(({ language }) => language === 'ts');
  t.ok(blocks.length > 0, page);
  for (const [index, { name, code }] of blocks.entries()) t.equal(complaintsOf(`block-${index}`, code), '', name);
}
t.match(complaintsOf('wrong', 'export const text: string = 1;'), /TS2322/, 'a wrong program would be found');
