import t from 'tap';
import { createPublicKey, verify } from 'node:crypto';
import { verifySignature } from 'http-message-sig';
import { origins, signByHand, verifier } from '../../helpers/signed-visits.js';

/** The key test-key-ed25519 of RFC 9421, appendix B.1.4. */
const key = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  format: 'jwk',
});

t.test('the base of RFC 9421 B.2.6 is rebuilt to the byte, and its published signature verifies', async (t) => {
  const input =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const bases: string[] = [];
  const judge = {
    algorithm: 'ed25519',
    verify: (data: Uint8Array, signature: Uint8Array) => {
      bases.push(Buffer.from(data).toString());
      return verify(null, data, key, signature);
    },
  };
  const fields = {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-length': '18',
    'signature-input': `sig-b26=${input}`,
    signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  };
  await verifySignature(
    {
      kind: 'request',
      method: 'POST',
      targetUri: 'https://example.com/foo?param=Value&Pet=dog',
      fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    },
    {
      policy: { algorithms: ['ed25519'], requiredComponents: [], requiredParameters: [] },
      resolveVerifier: () => judge,
    },
  );
  t.same(bases, [
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      `"@signature-params": ${input}`,
    ].join('\n'),
  ]);
});

const judge = (form: Parameters<typeof signByHand>[0]) =>
  verifier.verify(signByHand(form), origins, { anyAuthority: true });

t.test('derived components have the values of the target URI', async (t) => {
  const full = {
    components: '("@authority" "@target-uri" "@scheme" "@path" "@query" "@request-target" "@method")',
    url: 'https://Survey.Example:443/a/%7Eb?x=1&y',
    lines: [
      '"@authority": survey.example',
      '"@target-uri": https://Survey.Example:443/a/%7Eb?x=1&y',
      '"@scheme": https',
      '"@path": /a/%7Eb',
      '"@query": ?x=1&y',
      '"@request-target": /a/%7Eb?x=1&y',
      '"@method": GET',
    ].join('\n'),
  };
  t.match(await judge(full), { outcome: 'verified' });
  const bare = {
    components: '("@path" "@query" "@authority")',
    url: 'http://survey.example:8080',
    lines: '"@path": /\n"@query": ?\n"@authority": survey.example:8080',
  };
  t.match(await judge(bare), { outcome: 'verified' });
});

t.test('a member of a dictionary field is signed by itself, in canonical form', async (t) => {
  const form = {
    components: '("@authority" "signature-agent";key="b")',
    lines: '"@authority": survey.example\n"signature-agent";key="b": "https://agent.example";v=1',
  };
  t.match(await judge({ ...form, agent: ' a="x",   b="https://agent.example" ;  v=1' }), { outcome: 'invalid' });
  t.match(await judge({ ...form, agent: ' a="x",   b="https://agent.example";  v=1' }), { outcome: 'verified' });
});

t.test('what no signer covers is invalid, and what cannot be rebuilt is unverified', async (t) => {
  const cases: [string, string | undefined, string, RegExp][] = [
    ['"@authority"', undefined, 'invalid', /Duplicate/],
    ['"Signature-Agent" "signature-agent"', 'x', 'unverified', /not sent along/],
    ['signature-agent "signature-agent"', 'x', 'invalid', /must be strings/],
    ['"@Method"', undefined, 'invalid', /lowercase/],
    ['"@method";key="x"', undefined, 'invalid', /key is invalid/],
    ['"@status"', undefined, 'invalid', /requires a response/],
    ['"@method";req', undefined, 'invalid', /requires a response/],
    ['"signature-agent";key="b"', 'a="x"', 'invalid', /no dictionary member/],
    ['"signature-agent";key="b"', '"https://agent.example"', 'invalid', /Malformed/],
    ['"signature-agent"', 'x\n"@authority": evil', 'invalid', /not ASCII/],
    ['"content-digest"', undefined, 'unverified', /not sent along/],
    ['"signature";key="sig1"', undefined, 'unverified', /not sent along/],
    ['"@query-param";name="x"', undefined, 'unverified', /not supported/],
    ['"signature-agent";bs', 'x', 'unverified', /not supported/],
  ];
  for (const [component, agent, outcome, reason] of cases) {
    const form = { components: `("@authority" ${component})`, ...(agent === undefined ? {} : { agent }) };
    t.match(await judge(form), { outcome, reason }, component);
  }
  const method = { ...signByHand({ components: '("@authority" "@method")' }), method: 'GET\n"x": y' };
  t.match(await verifier.verify(method, origins), { outcome: 'invalid', reason: /method/ });
});
