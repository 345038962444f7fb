/** The documentation as agents read it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Page {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const charactersMax = 65_536;
/** The folders of docs/ that the service serves. */
const servedFolders = ['tutorials', 'how-to', 'reference', 'explanation'];

/** The documentation pages that agents may read, as they stand in the package. Read once; a package without them fails the start. */
export function readDocumentation(packageRoot: string): readonly Page[] {
  const directory = join(packageRoot, 'docs');
  const names = servedFolders.flatMap((folder) =>
    readdirSync(join(directory, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return names.sort().map((name) => {
    const text = readFileSync(join(directory, name), 'utf8').slice(0, charactersMax);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { uri: `verifyhuman://docs/${name}`, name, title, text };
  });
}
