/**
 * The documentation pages that agents may read, as they stand in the package. Read once; a page that is missing fails the start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Page {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const names = [
  ...['agents', 'scoring', 'findings', 'calibration', 'outcomes', 'verification', 'verdict', 'probe', 'webhooks'],
  ...['web-bot-auth', 'administration', 'errors', 'glossary'],
] as const;
const charactersMax = 65_536;

export function readDocumentation(packageRoot: string): readonly Page[] {
  return names.map((name) => {
    const text = readFileSync(join(packageRoot, 'docs', `${name}.md`), 'utf8').slice(0, charactersMax);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { uri: `verifyhuman://docs/${name}.md`, name: `${name}.md`, title, text };
  });
}
