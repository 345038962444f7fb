/** Lists the SDK that pages and backends import: a line for each export of its packaged types, and for each member of an interface, without comments. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true });

/** Entries of the package, and what they export from other files. */
export function sdkLines(): string[] {
  const { exports } = JSON.parse(readFileSync('sdk/package.json', 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const lines = new Set<string>();
  for (const [entry, target] of Object.entries(exports))
    if (typeof target === 'object') addFile(lines, entry, join('sdk', target.types));
  return [...lines].sort();
}

function addFile(lines: Set<string>, entry: string, file: string): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const print = (node: ts.Node): string =>
    printer.printNode(ts.EmitHint.Unspecified, node, source).replaceAll(/\s+/g, ' ');
  for (const statement of source.statements) {
    if (ts.isInterfaceDeclaration(statement))
      for (const member of statement.members) lines.add(`${entry} ${statement.name.text}: ${print(member)}`);
    else if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined)
      addFile(lines, entry, fileOf(file, (statement.moduleSpecifier as ts.StringLiteral).text));
    else if (!ts.isImportDeclaration(statement)) lines.add(`${entry} ${print(statement)}`);
  }
}

const fileOf = (from: string, module: string): string => join(dirname(from), module.replace(/\.js$/, '.d.ts'));
