import t from 'tap';
import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import {
  buildSignatureBase,
  parseTargetUri,
  type SignatureBase,
} from '../../../src/scoring/web-bot-auth/signature-base.js';
import { isInnerList, parseDictionary } from '../../../src/scoring/web-bot-auth/structured-fields.js';

/** The key test-key-ed25519 of RFC 9421, appendix B.1.4. */
const key = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  format: 'jwk',
});

function build(input: string, targetUri: string, fields: Record<string, string> = {}, method = 'GET'): SignatureBase {
  const covered = parseDictionary(`sig=${input}`)?.get('sig');
  const target = parseTargetUri(targetUri);
  if (covered === undefined || !isInnerList(covered) || target === null)
    throw new Error('the test’s own input is malformed');
  return buildSignatureBase({ method, target, fields: new Map(Object.entries(fields)) }, covered);
}

t.test('the base of RFC 9421 B.2.6 is rebuilt to the byte, and its published signature verifies', (t) => {
  const input =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const fields = { date: 'Tue, 20 Apr 2021 02:07:55 GMT', 'content-type': 'application/json', 'content-length': '18' };
  const base = build(input, 'https://example.com/foo?param=Value&Pet=dog', fields, 'POST');
  t.same(base, {
    ok: true,
    text: [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      `"@signature-params": ${input}`,
    ].join('\n'),
  });
  const signature = Buffer.from(
    'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
    'base64',
  );
  t.equal(base.ok && verify(null, Buffer.from(base.text), key, signature), true);
  t.end();
});

t.test('derived components have the values of the target URI', (t) => {
  const base = build(
    '("@authority" "@target-uri" "@scheme" "@path" "@query" "@request-target")',
    'https://Survey.Example:443/a/%7Eb?x=1&y',
  );
  t.same(base.ok && base.text.split('\n').slice(0, -1), [
    '"@authority": survey.example',
    '"@target-uri": https://Survey.Example:443/a/%7Eb?x=1&y',
    '"@scheme": https',
    '"@path": /a/%7Eb',
    '"@query": ?x=1&y',
    '"@request-target": /a/%7Eb?x=1&y',
  ]);
  const bare = build('("@path" "@query" "@authority")', 'http://survey.example:8080');
  t.same(bare.ok && bare.text.split('\n').slice(0, -1), [
    '"@path": /',
    '"@query": ?',
    '"@authority": survey.example:8080',
  ]);
  t.end();
});

t.test('a member of a dictionary field is signed by itself, in canonical form', (t) => {
  const base = build('("signature-agent";key="b")', 'https://a.com', {
    'signature-agent': ' a="x",   b="https://agent.example" ;  v=1',
  });
  t.equal(base.ok, false, 'a space before a parameter is no structured field');
  const good = build('("signature-agent";key="b")', 'https://a.com', {
    'signature-agent': ' a="x",   b="https://agent.example";  v=1',
  });
  t.equal(good.ok && good.text.split('\n')[0], '"signature-agent";key="b": "https://agent.example";v=1');
  t.end();
});

t.test('what no signer covers is malformed, and what was not reported is unknown', (t) => {
  const cases: [string, Record<string, string>, string, RegExp][] = [
    ['("@authority" "@authority")', {}, 'malformed', /twice/],
    ['("Date")', { date: 'x' }, 'malformed', /lower-case/],
    ['(date)', { date: 'x' }, 'malformed', /lower-case/],
    ['("@authority";key="x")', {}, 'malformed', /takes no key/],
    ['("signature-agent";key="b")', { 'signature-agent': 'a="x"' }, 'malformed', /no such member/],
    ['("signature-agent";key="b")', { 'signature-agent': '"https://agent.example"' }, 'malformed', /no such member/],
    ['("signature-agent")', { 'signature-agent': 'x\n"@authority": evil' }, 'malformed', /characters/],
    ['("content-digest")', {}, 'unknown', /not sent along/],
    ['("@authority";req)', {}, 'unknown', /not supported/],
    ['("@status")', {}, 'unknown', /not supported/],
    ['("signature-agent";bs)', { 'signature-agent': 'x' }, 'unknown', /not supported/],
  ];
  for (const [input, fields, kind, problem] of cases)
    t.match(build(input, 'https://a.com/', fields), { ok: false, kind, problem }, input);
  t.match(build('("@method")', 'https://a.com/', {}, 'GET\n"x": y'), { ok: false, kind: 'malformed' });
  t.end();
});

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
