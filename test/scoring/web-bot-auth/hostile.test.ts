import t from 'tap';
import fc from 'fast-check';
import type { WebBotAuth } from '../../../src/contract/score.js';
import { origins, targetUri, verifier, signIndependently, signByHand } from '../../helpers/signed-visits.js';

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
