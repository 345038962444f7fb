import t from 'tap';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import type { WebBotAuth } from '../../src/contract/score.js';
import { createAgentVerifier } from '../../src/scoring/web-bot-auth.js';
import { computeThumbprint } from '../../src/scoring/web-bot-auth/trusted-keys.js';

const nowMs = 1_800_000_000_000;
const nowSeconds = nowMs / 1_000;
const origins = ['https://survey.example', '*.panel.example'];
const targetUri = 'https://survey.example/s/7?rid=1';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const jwk = publicKey.export({ format: 'jwk' });
const keyid = computeThumbprint(publicKey);
const verifier = createAgentVerifier({ trustedKeys: [{ agent: 'Example Agent', jwk }], now: () => nowMs });

/** Signs as another implementation does. */
async function signIndependently({
  url = targetUri,
  agent,
  key = privateKey,
  created = nowMs - 1_000,
  expires = nowMs + 60_000,
  components,
}: {
  url?: string;
  agent?: string;
  key?: KeyObject;
  created?: number;
  expires?: number;
  components?: string[];
} = {}): Promise<WebBotAuth> {
  const sent: Record<string, string> = agent === undefined ? {} : { 'signature-agent': agent };
  const request = { method: 'GET', url, headers: sent };
  const signer = await signerFromJWK(key.export({ format: 'jwk' }));
  const signed = await signatureHeaders(request, signer, {
    created: new Date(created),
    expires: new Date(expires),
    ...(components === undefined ? {} : { components }),
  });
  const headers = { signature: signed.Signature, 'signature-input': signed['Signature-Input'] };
  return {
    method: 'GET',
    targetUri: url,
    headers: agent === undefined ? headers : { ...headers, 'signature-agent': agent },
  };
}

interface HandSigned {
  parameters?: string;
  components?: string;
  lines?: string;
  agent?: string;
  label?: string;
  key?: KeyObject;
  url?: string;
}

const inForce = `created=${nowSeconds - 1};expires=${nowSeconds + 60}`;

/** Signs whatever it is told to, right or wrong. */
function signByHand({
  parameters = `;${inForce};keyid="${keyid}";tag="web-bot-auth"`,
  components = '("@authority")',
  lines = '"@authority": survey.example',
  agent,
  label = 'sig1',
  key = privateKey,
  url = targetUri,
}: HandSigned = {}): WebBotAuth {
  const signature = sign(null, Buffer.from(`${lines}\n"@signature-params": ${components}${parameters}`), key).toString(
    'base64',
  );
  const headers = { signature: `${label}=:${signature}:`, 'signature-input': `${label}=${components}${parameters}` };
  return {
    method: 'GET',
    targetUri: url,
    headers: agent === undefined ? headers : { ...headers, 'signature-agent': agent },
  };
}

t.test('a signature of another implementation by a trusted key verifies', async (t) => {
  const plain = await verifier.verify(await signIndependently(), origins);
  t.match(plain, { outcome: 'verified', agent: 'Example Agent', reason: null, expiresAtMs: nowMs + 60_000 });
  t.match(plain.signature, /^[\w-]{43}$/);
  t.match(await verifier.verify(await signIndependently({ agent: '"https://agent.example"' }), origins), {
    outcome: 'verified',
  });
  t.match(
    await verifier.verify(
      await signIndependently({
        url: 'https://a.panel.example/x?y',
        components: ['@target-uri', '@method', '@path', '@query'],
      }),
      origins,
    ),
    { outcome: 'verified' },
  );
});

t.test(
  'the signatures that the drafts publish verify, in the older and the newer form of Signature-Agent',
  async (t) => {
    const trustedKeys = [
      { agent: 'Test', jwk: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' } },
    ];
    const published = createAgentVerifier({ trustedKeys, now: () => 1_735_689_700_000 });
    const parameters = (expires: number, nonce: string) =>
      `;created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=${expires};nonce="${nonce}";tag="web-bot-auth"`;
    const alone = parameters(
      1_735_693_200,
      'mYotfW3CUjI68sbGw6oKd7kyXqPjZEtU8xFPGWFrqOAf5qC6MDe3pys3SWWCudB0MvwslHy32WXUpkR7u0lt/w==',
    );
    const older = parameters(
      1_735_693_200,
      'e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==',
    );
    const newer = parameters(
      4_889_289_600,
      'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==',
    );
    const request = (headers: WebBotAuth['headers']): WebBotAuth => ({
      method: 'GET',
      targetUri: 'https://example.com/path/to/resource',
      headers,
    });

    t.match(
      await published.verify(
        request({
          signature: 'sig1=:+NA/cssf4Y2bQTMTkyvTGRCaVzp9quyUevdwwMtMOWhhOOZ2T1subBj0BtvdnrpDEuwSAbiTeElXDzHL3WWKCw==:',
          'signature-input': `sig1=("@authority")${alone}`,
        }),
        ['example.com'],
      ),
      { outcome: 'verified' },
    );
    t.match(
      await published.verify(
        request({
          signature: 'sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:',
          'signature-input': `sig2=("@authority" "signature-agent")${older}`,
          'signature-agent': '"https://signature-agent.test"',
        }),
        ['example.com'],
      ),
      { outcome: 'verified' },
    );
    t.match(
      await published.verify(
        request({
          signature: 'sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:',
          'signature-input': `sig2=("@authority" "signature-agent";key="agent2")${newer}`,
          'signature-agent': 'agent2="https://signature-agent.test"',
        }),
        ['example.com'],
      ),
      { outcome: 'invalid', reason: /24 hours/ },
      'its signature is in force for a century',
    );
  },
);

t.test('the newer form of Signature-Agent verifies when the covered member is the one that was sent', async (t) => {
  const form = {
    components: '("@authority" "signature-agent";key="me")',
    lines: '"@authority": survey.example\n"signature-agent";key="me": "https://agent.example"',
  };
  t.match(await verifier.verify(signByHand({ ...form, agent: 'me="https://agent.example", other="x"' }), origins), {
    outcome: 'verified',
  });
  t.match(await verifier.verify(signByHand({ ...form, agent: 'me="https://evil.example"' }), origins), {
    outcome: 'invalid',
  });
});

t.test('the signature’s identity is the same each time and differs between signatures', async (t) => {
  const [first, second] = [await signIndependently(), await signIndependently()];
  const [a, again, b] = [
    await verifier.verify(first, origins),
    await verifier.verify(first, origins),
    await verifier.verify(second, origins),
  ];
  t.equal(a.signature, again.signature);
  t.not(a.signature, b.signature);
  const relabelled = {
    ...first,
    headers: {
      signature: first.headers.signature.replace('sig1', 'x'),
      'signature-input': first.headers['signature-input'].replace('sig1', 'x'),
    },
  };
  t.equal(
    (await verifier.verify(relabelled, origins)).signature,
    a.signature,
    'another label does not make it another signature',
  );
});

t.test('a signature that is wrong is invalid, and the reason says how', async (t) => {
  const other = generateKeyPairSync('ed25519').privateKey;
  const parameters = (created: number, expires: number) => ({
    parameters: `;created=${created};expires=${expires};keyid="${keyid}";tag="web-bot-auth"`,
  });
  const good = signByHand();
  const cases: [string, WebBotAuth, RegExp][] = [
    ['by another key', signByHand({ key: other }), /not by that key/],
    [
      'for another site',
      signByHand({ url: 'https://evil.example/', lines: '"@authority": evil.example' }),
      /not one of the project’s origins/,
    ],
    ['moved to this site', signByHand({ lines: '"@authority": evil.example' }), /not by that key/],
    [
      'another port',
      signByHand({ url: 'https://survey.example:8443/', lines: '"@authority": survey.example:8443' }),
      /origins/,
    ],
    ['expired', signByHand(parameters(nowSeconds - 60, nowSeconds)), /has expired/],
    ['expires before it was created', signByHand(parameters(nowSeconds + 30, nowSeconds - 30)), /has expired/],
    [
      'expires before it was created, within the skew',
      signByHand(parameters(nowSeconds + 30, nowSeconds + 10)),
      /before it was created/,
    ],
    ['created in the future', signByHand(parameters(nowSeconds + 61, nowSeconds + 120)), /in the future/],
    ['in force too long', signByHand(parameters(nowSeconds, nowSeconds + 86_401)), /24 hours/],
    [
      'no expiry',
      signByHand({ parameters: `;created=${nowSeconds};keyid="${keyid}";tag="web-bot-auth"` }),
      /needs created and expires/,
    ],
    [
      'times as text',
      signByHand({ parameters: `;created="1";expires="2";keyid="${keyid}";tag="web-bot-auth"` }),
      /needs created and expires/,
    ],
    ['no keyid', signByHand({ parameters: `;${inForce};tag="web-bot-auth"` }), /no keyid/],
    ['covers no site', signByHand({ components: '("@method")', lines: '"@method": GET' }), /neither/],
    [
      'leaves the agent header open',
      signByHand({ agent: '"https://agent.example"' }),
      /does not cover the Signature-Agent/,
    ],
    [
      'label without signature',
      { ...good, headers: { ...good.headers, signature: good.headers.signature.replace('sig1', 'sig2') } },
      /missing/,
    ],
    ['signature cut short', { ...good, headers: { ...good.headers, signature: 'sig1=:AAAA:' } }, /not by that key/],
    ['signature is text', { ...good, headers: { ...good.headers, signature: 'sig1="AAAA"' } }, /missing/],
    ['malformed headers', { ...good, headers: { ...good.headers, signature: 'sig1=:AAAA' } }, /malformed/],
    ['odd target', { ...good, targetUri: 'https://survey.example@evil.example/' }, /targetUri/],
    [
      'too many',
      {
        ...good,
        headers: {
          ...good.headers,
          'signature-input': ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}=();tag="web-bot-auth"`).join(', '),
        },
      },
      /More than 4/,
    ],
  ];
  for (const [name, input, reason] of cases) {
    t.match(
      await verifier.verify(input, origins),
      { outcome: 'invalid', agent: null, reason, signature: null, expiresAtMs: null },
      name,
    );
  }
});

t.test('a clock that is a little off is forgiven in created and never in expires', async (t) => {
  const parameters = `;created=${nowSeconds + 60};expires=${nowSeconds + 86_460};keyid="${keyid}";tag="web-bot-auth"`;
  t.match(await verifier.verify(signByHand({ parameters }), origins), { outcome: 'verified' });
});

t.test('what cannot be judged is unverified', async (t) => {
  const stranger = generateKeyPairSync('ed25519');
  const strangers = `;${inForce};keyid="${computeThumbprint(stranger.publicKey)}";tag="web-bot-auth"`;
  const cases: [string, WebBotAuth, RegExp][] = [
    ['unknown key', signByHand({ parameters: strangers, key: stranger.privateKey }), /not among the trusted/],
    [
      'other algorithm',
      signByHand({ parameters: `;${inForce};keyid="${keyid}";alg="rsa-pss-sha512";tag="web-bot-auth"` }),
      /Ed25519/,
    ],
    ['other tag', signByHand({ parameters: `;${inForce};keyid="${keyid}";tag="other"` }), /tag web-bot-auth/],
    ['no tag', signByHand({ parameters: `;${inForce};keyid="${keyid}"` }), /tag web-bot-auth/],
    [
      'covers a header that was not sent along',
      signByHand({ components: '("@authority" "accept")', lines: '"@authority": survey.example\n"accept": */*' }),
      /not sent along/,
    ],
  ];
  for (const [name, input, reason] of cases)
    t.match(
      await verifier.verify(input, origins),
      { outcome: 'unverified', agent: null, reason, signature: null },
      name,
    );
});

t.test('without origins there is no site to compare with, unless any site is taken', async (t) => {
  const input = await signIndependently();
  t.match(await verifier.verify(input, []), { outcome: 'unverified', reason: /allows no origins/ });
  t.match(await verifier.verify(input, ['not a pattern']), {
    outcome: 'invalid',
    reason: /not one of the project’s origins/,
  });
  t.match(await verifier.verify(input, [], { anyAuthority: true }), { outcome: 'verified' });
  t.match(
    await verifier.verify({ ...input, targetUri: 'https://evil.example/' }, [], { anyAuthority: true }),
    { outcome: 'invalid' },
    'the signature still has to be over it',
  );
});

t.test('one good signature among several suffices', async (t) => {
  const [good, bad] = [signByHand(), signByHand({ label: 'sig2', key: generateKeyPairSync('ed25519').privateKey })];
  const both = {
    ...good,
    headers: {
      signature: `${bad.headers.signature}, ${good.headers.signature}`,
      'signature-input': `${bad.headers['signature-input']}, ${good.headers['signature-input']}`,
    },
  };
  t.match(await verifier.verify(both, origins), { outcome: 'verified' });
});

t.test('no single changed character leaves a signature verified', async (t) => {
  const agent = '"https://agent.example"';
  const input = await signIndependently({
    agent,
    components: ['@authority', '@target-uri', '@method', 'signature-agent'],
  });
  t.match(await verifier.verify(input, origins), { outcome: 'verified' });
  const parts = {
    method: (text: string): WebBotAuth => ({ ...input, method: text }),
    targetUri: (text: string): WebBotAuth => ({ ...input, targetUri: text }),
    signature: (text: string): WebBotAuth => ({ ...input, headers: { ...input.headers, signature: text } }),
    input: (text: string): WebBotAuth => ({ ...input, headers: { ...input.headers, 'signature-input': text } }),
    agent: (text: string): WebBotAuth => ({ ...input, headers: { ...input.headers, 'signature-agent': text } }),
  };
  const texts = {
    method: 'GET',
    targetUri,
    signature: input.headers.signature,
    input: input.headers['signature-input'],
    agent,
  };
  for (const part of Object.keys(parts) as (keyof typeof parts)[]) {
    const survivors: string[] = [];
    const text = texts[part];
    for (let at = 0; at < text.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1);
        const verdict = await verifier.verify(parts[part](changed), origins);
        if (verdict.outcome === 'verified') survivors.push(changed);
      }
    }
    t.same(survivors, [], part);
  }
});

t.test('random edits never leave a signature verified', async (t) => {
  const input = signByHand();
  const edit = fc.record({
    part: fc.constantFrom('signature' as const, 'signature-input' as const),
    at: fc.nat({ max: 400 }),
    remove: fc.nat({ max: 5 }),
    insert: fc.stringMatching(/^[ -~]{0,5}$/),
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ part, at, remove, insert }) => {
      const text = input.headers[part];
      const start = Math.min(at, text.length);
      const changed = text.slice(0, start) + insert + text.slice(start + remove);
      const verdict = await verifier.verify({ ...input, headers: { ...input.headers, [part]: changed } }, origins);
      if (verdict.outcome !== 'verified') return true;
      // Spaces, further members beside the signature and parameters behind its bytes are no part of it.
      const kept = text.replace(/[ \t]/g, '');
      const members = changed.replace(/[ \t]/g, '').split(',');
      return members.some((member) => member === kept || (part === 'signature' && member.startsWith(`${kept};`)));
    }),
    { numRuns: 1_000 },
  );
  t.pass('held for every generated edit');
});

t.test('hostile texts are answered, never thrown', async (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.stringMatching(/^[a-z0-9=:;,"()@? -]{0,80}$/),
    fc.constantFrom('__proto__=1', 'a=()', 'sig1=("@authority");tag="web-bot-auth";__proto__'),
  );
  const input = fc.record({
    method: text,
    targetUri: fc.oneof(text, fc.webUrl(), fc.constant(targetUri)),
    headers: fc.record(
      { signature: text, 'signature-input': text, 'signature-agent': text },
      { requiredKeys: ['signature', 'signature-input'] },
    ),
  });
  await fc.assert(
    fc.asyncProperty(input, fc.array(text, { maxLength: 3 }), async (hostile, patterns) => {
      const verdict = await verifier.verify(hostile, patterns);
      return verdict.outcome !== 'verified' && verdict.reason !== null && verdict.agent === null;
    }),
    { numRuns: 500 },
  );
  t.pass('held for every generated text');
});
