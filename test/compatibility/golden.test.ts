/**
 * From 0.1.0 on, versions are compatible: docs/how-to/upgrade.md says what is promised. What 0.1.0 stores and promises is kept in `0.1.0/`; `npm run golden`
 * writes it anew, which is only right for something that was added.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readFrames } from '../../src/stores/spool/frames.js';
import { concernsErased, tenantOfOutcomes } from '../../src/scoring/outcomes/outcome-rows.js';
import { createTokenVerifier } from '../../src/verification/tokens/verification-token.js';
import { createMakeRef } from '../../src/crypto/master-key.js';
import { startMs } from '../stores/counters/inputs.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { countOn, payloadsOf, tokenSecret } from './formats.js';
import { asJson, make, read } from './golden.js';

const golden = read();

t.test('nothing that callers rely on is gone, and what was added is recorded', async (t) => {
  const made = await make(temporaryDirectory(t));
  for (const name of ['api', 'sdk'] as const) {
    const [now, then] = [new Set(made[name]), new Set(golden[name])];
    t.same(
      golden[name].filter((line) => !now.has(line)),
      [],
      `${name}: an older caller misses these`,
    );
    t.same(
      made[name].filter((line) => !then.has(line)),
      [],
      `${name}: run \`npm run golden\` to record these`,
    );
  }
  t.same(made.migrations, golden.migrations, 'a released migration is never changed: write a new one');
  t.same(made.formats, golden.formats, 'an older process on the same stores reads what this one writes');
  t.same(made.counters, golden.counters, 'in Redis, too');
  t.same(made.counted, golden.counted);
});

t.test('what 0.1.0 wrote is read as it was', async (t) => {
  const snapshot = join(temporaryDirectory(t), 'counters.snapshot');
  writeFileSync(snapshot, golden.snapshot);
  t.same(asJson(await countOn(snapshot)), golden.counted, 'counts go on');

  const { outcome, spool, events, payloads, token } = golden.formats;
  const value = Buffer.from(outcome.value, 'base64');
  t.equal(tenantOfOutcomes({ key: outcome.key, value }), 'org_1');
  const session = createMakeRef(new Uint8Array(32))('proj_1', 'session', 's-1');
  t.ok(concernsErased(value, new Set([session]), ''), 'and its rows');
  t.match(readFrames(Buffer.from(spool, 'base64')), { frames: [[{ key: 'key' }]], tornBytes: 0, damagedBytes: 0 });
  t.same(asJson(events.map(payloadsOf)), payloads);

  const verify = createTokenVerifier({
    ...{ findSecrets: async () => [tokenSecret], publicKey: () => null, readResult: async () => null },
    ...{ issuer: () => 'https://verify.example/api/v1', now: () => startMs },
  });
  const caller = { organizationId: 'org_1', projectId: null, mode: 'live' } as const;
  t.match(await verify(caller, token), { success: true, sessionId: 'sess_1', stepUpFor: 'rcpt_1' });
});
