import t from 'tap';
import fc from 'fast-check';
import { originMatches, parseOriginPattern, type OriginPattern } from '../../src/net/origin-pattern.js';

function pattern(text: string): OriginPattern {
  const parsed = parseOriginPattern(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.pattern;
}

const matches = (origin: string, ...texts: string[]) => originMatches(origin, texts.map(pattern));

t.test('each form matches what it names and nothing beside it', (t) => {
  const table: [string, readonly string[], readonly string[]][] = [
    [
      'https://a.com',
      ['https://a.com', 'https://a.com:443'],
      ['http://a.com', 'https://a.com:8443', 'https://www.a.com', 'http://a.com:443', 'https://b.com', 'wss://a.com'],
    ],
    ['https://a.com:8443', ['https://a.com:8443'], ['https://a.com', 'http://a.com:8443', 'https://a.com:8444']],
    ['http://a.com:443', ['http://a.com:443'], ['http://a.com', 'https://a.com']],
    [
      'a.com',
      ['https://a.com', 'http://a.com', 'http://a.com:80', 'capacitor://a.com'],
      ['https://a.com:8443', 'http://a.com:443', 'https://x.a.com'],
    ],
    ['a.com:443', ['https://a.com', 'http://a.com:443'], ['http://a.com', 'https://a.com:80']],
    [
      '*.a.com',
      [
        'https://x.a.com',
        'http://x.a.com',
        'https://x.y.z.a.com',
        'https://xn--bcher-kva.a.com',
        'https://my_site.a.com',
      ],
      [
        'https://a.com',
        'https://x.a.com:8443',
        'https://xa.com',
        'https://.a.com',
        'https://x..a.com',
        'https://x.a.com.',
      ],
    ],
    [
      'localhost:*',
      [
        'http://localhost',
        'http://localhost:5173',
        'https://localhost:8443',
        'capacitor://localhost',
        'http://localhost:65535',
      ],
      [
        'http://127.0.0.1:3000',
        'http://x.localhost:3000',
        'http://localhost.evil.com',
        'http://localhost:99999',
        'http://localhost:0',
      ],
    ],
    ['localhost', ['http://localhost', 'https://localhost'], ['http://localhost:3000']],
    ['http://127.0.0.1:3000', ['http://127.0.0.1:3000'], ['http://127.0.0.1', 'http://127.1:3000']],
    ['http://[::1]:3000', ['http://[::1]:3000'], ['http://[::1]', 'http://[0:0:0:0:0:0:0:1]:3000']],
  ];
  for (const [text, yes, no] of table) {
    for (const origin of yes) t.equal(matches(origin, text), true, `${text} takes ${origin}`);
    for (const origin of no) t.equal(matches(origin, text), false, `${text} refuses ${origin}`);
  }
  t.end();
});

t.test('one matching pattern is enough, and no patterns match nothing', (t) => {
  t.equal(matches('https://b.com', 'a.com', 'https://b.com'), true);
  t.equal(originMatches('https://b.com', []), false);
  t.end();
});

t.test('writings that mean the same have one canonical text', (t) => {
  const same: [string, string][] = [
    ['HTTPS://Survey.Example.COM', 'https://survey.example.com'],
    ['https://a.com:443', 'https://a.com'],
    ['http://a.com:80', 'http://a.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['https://[0:0::1]:3000', 'https://[::1]:3000'],
    ['LOCALHOST:*', 'localhost:*'],
  ];
  for (const [text, canonical] of same) t.equal(pattern(text).text, canonical, text);
  t.equal(matches('https://xn--bcher-kva.example', 'bücher.example'), true, 'browsers send the ASCII form');
  t.end();
});

t.test('a pattern of another form is refused with a sentence that says what to write', (t) => {
  const refused: [string, RegExp][] = [
    ['', /1 to 300 characters/],
    ['a'.repeat(301), /1 to 300/],
    [' a.com', /no spaces/],
    ['a.com\n', /no spaces/],
    ['a.c\u200bom', /invisible/],
    ['null', /sandboxed/],
    ['NULL', /sandboxed/],
    ['*', /first label/],
    ['https://*', /no scheme/],
    ['https://*.a.com', /no scheme/],
    ['*.com', /com is a public suffix/],
    ['*.co.uk', /is a public suffix/],
    ['*.github.io', /\*\.yours\.github\.io/],
    ['*.vercel.app', /is a public suffix/],
    ['*.on.aws', /is a public suffix/],
    ['*.app.github.dev', /is a public suffix/],
    ['*.ws-eu.gitpod.io', /is a public suffix/],
    ['*.pinggy.link', /is a public suffix/],
    ['*.公司.cn', /xn--55qx5d\.cn is a public suffix/],
    ['*.localhost', /is a public suffix/],
    ['*.a.com:8443', /no port/],
    ['*.a.com:*', /Only localhost/],
    ['a.com:*', /Only localhost/],
    ['127.0.0.1:*', /Only localhost/],
    ['https://localhost:*', /no scheme/],
    ['a.*.com', /first label/],
    ['*a.com', /first label/],
    ['*.*.a.com', /first label/],
    ['*.1.2.3.4', /no subdomains/],
    ['*.', /not a host/],
    ['*..a.com', /not a host/],
    ['https://a.com/', /trailing slash/],
    ['a.com/', /trailing slash/],
    ['https://a.com/path', /no path/],
    ['a.com?x', /no path/],
    ['a.com#x', /no path/],
    ['https://user@a.com', /no user name/],
    ['a.com@evil.com', /no user name/],
    ['a.com\\evil', /no path/],
    ['ftp://a.com', /https or http/],
    ['://a.com', /https or http/],
    ['javascript:alert(1)', /port is a number/],
    ['https://', /host is missing/],
    [':443', /host is missing/],
    ['a.com.', /dot at the end/],
    ['a..com', /not a host/],
    ['-a.com', /not a host/],
    ['a.com:0', /1 to 65535/],
    ['a.com:65536', /1 to 65535/],
    ['a.com:080', /1 to 65535/],
    ['a.com:', /1 to 65535/],
    ['::1', /host is missing/],
    ['[::1', /not an IPv6/],
    ['[a.com]', /not an IPv6/],
    ['0x7f.0.0.1', /not a host|Browsers write/],
    ['127.1', /not a host|Browsers write/],
    ['ａ.com', /Browsers write this host as a\.com/],
    ['a%2ecom', /not a host|Browsers write/],
  ];
  for (const [text, problem] of refused) {
    const parsed = parseOriginPattern(text);
    t.match(parsed.ok ? `taken as ${parsed.pattern.text}` : parsed.problem, problem, JSON.stringify(text.slice(0, 40)));
  }
  t.end();
});

const label = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
  .filter((text) => !text.startsWith('xn--') && text !== 'null' && text[2] !== '-');
const tld = fc.constantFrom('com', 'org', 'example', 'de');
const domain = fc
  .tuple(label, label, tld)
  .map((labels) => labels.join('.'))
  .filter((text) => parseOriginPattern(`*.${text}`).ok);

t.test('no look-alike of an allowed host is ever let in', (t) => {
  fc.assert(
    fc.property(domain, label, fc.integer({ min: 1, max: 65_535 }), (host, other, port) => {
      const patterns = [`https://${host}`, host, `*.${host}`].map(pattern);
      const lookAlikes = [
        `https://evil-${host}`,
        `https://${other}${host}`,
        `https://${host}.${other}.com`,
        `https://${host}.evil.com`,
        `https://${host}@evil.com`,
        `https://evil.com/${host}`,
        `https://evil.com#.${host}`,
        `https://evil.com?.${host}`,
        `https://evil.com\\.${host}`,
        `https://evil.com:443@${host}`,
        `https://${host}.`,
        `https://${host}..`,
        `https://.${host}`,
        `https://${host}/`,
        `https://${host}:`,
        `https://${host}:0${port}`,
        `https://${host}:-1`,
        `https://${host}:443:443`,
        `https:/${host}`,
        `https:${host}`,
        `//${host}`,
        host,
        ` https://${host}`,
        `https://${host} `,
        `https://${host}\n`,
        `https://${host}\0.evil.com`,
        `https://${host}, https://evil.com`,
        `https://${host.replace('.', '。')}`,
        `https://${host.replace('.', '%2e')}`,
        `https://${host.replace('.', '-')}`,
        `https://${host.replace('.', '')}`,
        `HTTPS://${host.toUpperCase()}`,
        'null',
        '',
        '*',
        `https://evil.com.${other}`,
        `https://${host.slice(0, -1)}`,
        `https://${host}x`,
        `https://[${host}]`,
      ];
      for (const origin of lookAlikes) if (originMatches(origin, patterns)) throw new Error(origin);
      if (port !== 443)
        return (
          !originMatches(`https://${host}:${port}`, patterns) &&
          !originMatches(`https://${other}.${host}:${port}`, patterns)
        );
      return true;
    }),
  );
  t.pass('held for every generated host');
  t.end();
});

t.test('letters of other alphabets never match the Latin ones they resemble', (t) => {
  const twins: Record<string, string> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і', l: 'ⅼ', s: 'ѕ' };
  fc.assert(
    fc.property(domain, (host) => {
      const twin = host.replace(/[aeopcils]/g, (letter) => twins[letter] ?? letter);
      if (twin === host) return true;
      const patterns = [host, `*.${host}`].map(pattern);
      const asBrowserSends = URL.canParse(`https://${twin}`) ? new URL(`https://${twin}`).origin : 'null';
      // A browser folds some twins (ⅼ) into the Latin letter before it looks the name up: that is the host itself.
      const isSameHost = asBrowserSends === `https://${host}`;
      return !originMatches(`https://${twin}`, patterns) && (isSameHost || !originMatches(asBrowserSends, patterns));
    }),
  );
  t.pass('held for every generated host');
  t.end();
});

t.test('what matches a wildcard is a subdomain as a URL parser sees it, on the default port', (t) => {
  const junk = fc.stringMatching(/^[a-z0-9.:@/\\?#%_[\]-]{0,20}$/);
  fc.assert(
    fc.property(
      domain,
      junk,
      junk,
      fc.constantFrom('https://', 'http://', 'https:', ''),
      (host, before, after, scheme) => {
        const origin = `${scheme}${before}${host}${after}`;
        if (!originMatches(origin, [pattern(`*.${host}`)])) return true;
        const url = new URL(origin);
        return (
          url.hostname.endsWith(`.${host}`) &&
          url.port === '' &&
          url.username === '' &&
          url.pathname === '/' &&
          url.origin === origin.replace(/:\d+$/, '')
        );
      },
    ),
    { numRuns: 2_000 },
  );
  t.pass('held for every generated origin');
  t.end();
});

t.test('a canonical text is its own canonical text, and no text makes parsing or matching throw', (t) => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 320 }),
    fc.stringMatching(/^(https?:\/\/)?[*a-z0-9.:@/[\]-]{0,30}$/),
    fc.webUrl(),
    fc.domain(),
  );
  fc.assert(
    fc.property(hostile, hostile, (text, origin) => {
      const parsed = parseOriginPattern(text);
      originMatches(origin, [pattern('*.a.com'), ...(parsed.ok ? [parsed.pattern] : [])]);
      if (!parsed.ok) return parsed.problem.endsWith('.');
      const again = parseOriginPattern(parsed.pattern.text);
      return again.ok && JSON.stringify(again.pattern) === JSON.stringify(parsed.pattern);
    }),
    { numRuns: 1_000 },
  );
  t.pass('held for every generated text');
  t.end();
});
