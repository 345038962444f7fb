import t from 'tap';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importTrustedKeys, readTrustedAgentKeys } from '../../../src/scoring/web-bot-auth/trusted-keys.js';
import { temporaryDirectory } from '../../helpers/directories.js';

/** RFC 8037, appendix A.3: a key and its thumbprint. */
const published = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' });

t.test('keys are found by their RFC 7638 thumbprint, whatever else the JWK carries', async (t) => {
  const path = join(temporaryDirectory(t), 'keys.json');
  await writeFile(path, JSON.stringify([{ agent: 'Example Agent', jwk: { kid: 'mine', use: 'sig', ...published } }]));
  const keys = await readTrustedAgentKeys(path);
  t.equal(keys[0]?.agent, 'Example Agent');
  t.equal(importTrustedKeys(keys).get(thumbprint)?.agent, 'Example Agent');
  t.equal(importTrustedKeys([]).size, 0);
});

t.test('a file that cannot be used is an error that names the setting and the entry', async (t) => {
  const good = { agent: 'First', jwk: published };
  const refused: [string, string, RegExp][] = [
    ['not-json', '[', /VH_TRUSTED_AGENT_KEYS names .*not-json.*cannot be read as JSON/],
    ['no-list', '{"keys":[]}', /VH_TRUSTED_AGENT_KEYS names .*not a list/],
    ['nothing', '[null]', /VH_TRUSTED_AGENT_KEYS: entry 0 needs "agent"/],
    ['no-agent', JSON.stringify([good, { jwk: published }]), /entry 1 needs "agent"/],
    ['blank-agent', JSON.stringify([{ agent: ' ', jwk: published }]), /entry 0 needs "agent"/],
    ['no-jwk', JSON.stringify([{ agent: 'A' }]), /entry 0 needs "jwk"/],
    ['text-jwk', JSON.stringify([{ agent: 'A', jwk: 'MCow' }]), /entry 0 needs "jwk"/],
    [
      'private',
      JSON.stringify([{ agent: 'A', jwk: { ...published, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' } }]),
      /entry 0 holds a private key/,
    ],
    ['rsa', JSON.stringify([{ agent: 'A', jwk: rsa }]), /entry 0 is not an Ed25519 key/],
    ['x448', JSON.stringify([{ agent: 'A', jwk: { ...published, crv: 'X25519' } }]), /entry 0 is not an Ed25519 key/],
    ['short', JSON.stringify([good, { agent: 'A', jwk: { ...published, x: 'AAAA' } }]), /entry 1 has an "x"/],
    ['number', JSON.stringify([{ agent: 'A', jwk: { ...published, x: 5 } }]), /entry 0 has an "x"/],
    [
      'twice',
      JSON.stringify([good, { agent: 'Second', jwk: published }]),
      /entry 1 has the same key as an earlier entry, "First"/,
    ],
  ];
  for (const [name, content, problem] of refused) {
    const path = join(temporaryDirectory(t), `${name}.json`);
    await writeFile(path, content);
    await t.rejects(readTrustedAgentKeys(path), { message: problem }, name);
  }
  await t.rejects(readTrustedAgentKeys('/nowhere/keys.json'), {
    message: /VH_TRUSTED_AGENT_KEYS names \/nowhere\/keys\.json/,
  });
});
