import t from 'tap';
import { anchorOf, renderMarkdown } from '../../src/http/markdown.js';

t.test('each kind of block is what it looks like', (t) => {
  for (const [text, html] of [
    ['# A `b` c', '<h1 id="a-b-c">A <code>b</code> c</h1>'],
    ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
    ['```js\nconst a = "<b>";\n```', '<pre><code>const a = &quot;&lt;b&gt;&quot;;</code></pre>'],
    ['    curl -s\n      -d 1', '<pre><code>curl -s\n  -d 1</code></pre>'],
    ['- a\n- b\n  goes on', '<ul><li><p>a</p></li><li><p>b goes on</p></li></ul>'],
    ['1. a\n\n       code\n\n2. b', '<ol><li><p>a</p>\n<pre><code>code</code></pre></li><li><p>b</p></li></ol>'],
    [
      '| a | b |\n|---|---|\n| `c` | d\\|e |',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td>d|e</td></tr></tbody></table>',
    ],
    ['**a** [b](c.md#d) ![e](f.svg)', '<p><strong>a</strong> <a href="c.md#d">b</a> e</p>'],
    ['`**a** [b](c.md)`', '<p><code>**a** [b](c.md)</code></p>'],
  ] as const)
    t.equal(renderMarkdown(text), html, text);
  t.equal(anchorOf('Every answer, without waiting for it'), 'every-answer-without-waiting-for-it');
  t.end();
});

t.test('no text becomes markup, and no link runs anything', (t) => {
  const hostile = [
    '<script>1</script>',
    '# <b>',
    '| <i> |\n|---|',
    '- <u>',
    '`<s>`',
    '[<q>](a.md)',
    '[a](javascript:1)',
    '[a](//evil.example)',
    '[a](" onclick=1)',
  ];
  for (const text of hostile) {
    const html = renderMarkdown(text);
    t.notMatch(html, /<(?:script|b|i|u|s|q)>|href="(?:javascript|\/\/)|" onclick/, text);
  }
  t.end();
});
