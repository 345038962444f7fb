import t from 'tap';
import { generateKeyPairSync } from 'node:crypto';
import type { WebBotAuth } from '../../../src/contract/score.js';
import { createAgentVerifier } from '../../../src/scoring/web-bot-auth/web-bot-auth.js';
import { computeThumbprint } from '../../../src/scoring/web-bot-auth/trusted-keys.js';
import {
  nowMs,
  nowSeconds,
  origins,
  keyid,
  verifier,
  inForce,
  signIndependently,
  signByHand,
} from '../../helpers/signed-visits.js';

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
      'covers too much',
      signByHand({ components: `("@authority"${Array.from({ length: 32 }, (_, at) => ` "x${at}"`).join('')})` }),
      /more than 32 components/,
    ],
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
