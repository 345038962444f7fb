import t from 'tap';
import fc from 'fast-check';
import { parseTargetUri } from '../../../src/scoring/web-bot-auth/target-uri.js';

t.test('a target URI that two parsers might read differently is refused', (t) => {
  const refused = [
    '',
    'https://',
    '//a.com',
    'a.com',
    '/path',
    'ftp://a.com/',
    'https:/a.com',
    'https:a.com',
    'https://user@a.com/',
    'https://a.com@evil.com/',
    'https://a.com\\@evil.com/',
    'https://a.com#x',
    'https://a.com/#x',
    'https://a.com\\x',
    'https://a.com/x\\y',
    'https://a.com/ x',
    'https://a.com/\n',
    'https://a.c\tom/',
    'https://a%2ecom/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://ａ.com/',
    'https://bücher.example/',
    'https://a.com:/',
    'https://a.com:0443/',
    'https://a.com:99999/',
    'https://[::1/',
    'https://[0:0::1]/',
    'https://a.com:443:443/',
    'javascript://a.com/%0a',
  ];
  for (const text of refused) t.equal(parseTargetUri(text), null, JSON.stringify(text));
  t.equal(parseTargetUri('HTTPS://A.com')?.authority, 'a.com');
  t.equal(parseTargetUri('http://[::1]:3000/?')?.authority, '[::1]:3000');
  t.equal(parseTargetUri('http://a.com:443/')?.authority, 'a.com:443', 'the default port of another scheme stays');
  t.end();
});

t.test('a target URI that is taken has the authority that a URL parser sees', (t) => {
  const pieces = fc
    .array(
      fc.constantFrom(
        'a',
        'b.com',
        '.',
        ':',
        '/',
        '?',
        '#',
        '@',
        '\\',
        '443',
        '80',
        '[',
        ']',
        '%2e',
        '-',
        '1',
        'A',
        ' ',
        '\t',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom('http://', 'https://', 'https:/', 'HTTPS://'), pieces, (scheme, rest) => {
      const target = parseTargetUri(scheme + rest);
      if (target === null) return true;
      const url = new URL(target.text);
      return (
        url.host === target.authority &&
        `${url.protocol.slice(0, -1)}` === target.scheme &&
        url.username === '' &&
        url.hash === ''
      );
    }),
    { numRuns: 2_000 },
  );
  t.pass('held for every generated URI');
  t.end();
});
