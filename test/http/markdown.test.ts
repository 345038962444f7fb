import t from 'tap';
import { anchorOf, renderMarkdown } from '../../src/http/guide-pages.js';

t.test('each kind of block is what it looks like', (t) => {
  for (const [text, html] of [
    ['# A `b` c', '<h1 id="a-b-c">A <code>b</code> c</h1>'],
    ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
    ['```js\nconst a = "<b>";\n```', '<pre><code class="language-js">const a = &quot;&lt;b&gt;&quot;;\n</code></pre>'],
    ['    curl -s\n      -d 1', '<pre><code>curl -s\n  -d 1\n</code></pre>'],
    ['- a\n- b\n  goes on', '<ul>\n<li>a</li>\n<li>b\ngoes on</li>\n</ul>'],
    [
      '1. a\n\n       code\n\n2. b',
      '<ol>\n<li><p>a</p>\n<pre><code>code\n</code></pre>\n</li>\n<li><p>b</p>\n</li>\n</ol>',
    ],
    [
      '| a | b |\n|---|---|\n| `c` | d\\|e |',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td><code>c</code></td>\n<td>d|e</td>\n</tr>\n</tbody></table>',
    ],
    ['**a** [b](c.md#d) ![e](f.svg)', '<p><strong>a</strong> <a href="c.md#d">b</a> e</p>'],
    ['`**a** [b](c.md)`', '<p><code>**a** [b](c.md)</code></p>'],
    ['http://HOST:PORT', '<p>http://HOST:PORT</p>'],
    [
      '[a](../x.md) [b](y.md#z) [c](#d) [e](https://f.example)',
      '<p>a <a href="y.md#z">b</a> <a href="#d">c</a> <a href="https://f.example">e</a></p>',
    ],
  ] as const)
    t.equal(renderMarkdown(text, (path) => path !== '../x.md').trimEnd(), html, text);
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
    '[a](<x" onclick=1>)',
    '[a](&#x6A;avascript:1)',
    '[a](java&#10;script:1)',
    '<javascript:1>',
    '[a]\n\n[a]: javascript:1',
    '![<b>](x "<i>")',
    '```"><b>\n```',
  ];
  for (const text of hostile) {
    const html = renderMarkdown(text, () => true);
    t.notMatch(html, /<(?:script|b|i|u|s|q)>|href="(?:javascript|\/\/)|" onclick/, text);
  }
  t.end();
});
