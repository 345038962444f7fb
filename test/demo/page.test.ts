import fc from 'fast-check';
import t from 'tap';
import { renderPage } from '../../src/demo/page.js';

const values = { sessionId: 's', projectId: 'j', probeKey: 'p', siteUrl: 'u' };

t.test('no value can leave the quoted attribute or the text that it stands in', (t) => {
  const holds = () =>
    fc.assert(
      fc.property(fc.string(), (siteUrl) => {
        const inner = renderPage('<a href="{{siteUrl}}">', { ...values, siteUrl }).slice(
          '<a href="'.length,
          -'">'.length,
        );
        return !/[<>"']/.test(inner) && !/&(?!(?:amp|lt|gt|quot|#39);)/.test(inner);
      }),
    );
  t.doesNotThrow(holds);
  t.end();
});

t.test('a value that looks like a name to fill in, or like a pattern of replace, is left as it is', (t) => {
  t.equal(renderPage('{{siteUrl}}', { ...values, siteUrl: '{{probeKey}} $& $1' }), '{{probeKey}} $&amp; $1');
  t.end();
});

t.test('a name that nobody fills in is a bug', (t) => {
  t.throws(() => renderPage('{{unknown}}', values), /unknown/);
  t.end();
});
