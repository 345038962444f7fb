import t from 'tap';
import { en } from '../../sdk/widget/ui/texts/en.js';
import { readRepositoryFile } from '../helpers/repository.js';

t.test('docs/reference/widget.md lists every English text of the widget, word for word, and no other', (t) => {
  const [, texts = ''] = readRepositoryFile('docs/reference/widget.md').split('\n## Texts\n');
  const [section = ''] = texts.split('\n## ');
  const listed = [...section.matchAll(/^\| .+? \| (.+) \|$/gm)]
    .map(([, text = '']) => text)
    .filter((text) => text !== 'text');
  const shown = Object.values<string | readonly [string, string]>(en).map((text) =>
    typeof text === 'string' ? text : `**${text[0]}** ${text[1]}`,
  );
  t.ok(listed.length > 50, `${listed.length} texts`);
  t.same([...listed].sort(), [...shown].sort());
  t.end();
});
