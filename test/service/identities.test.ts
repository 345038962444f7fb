/** An identity that a caller forgot to hash: it is noted, and no file of the service holds it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const identity = 'ada.lovelace@example.org';
const prefix = '198.51.100.0/24';

t.test(
  'an identity that was not hashed is noted by its field, and is nowhere in what is stored or logged',
  async (t) => {
    const service = await startTestService(t);
    const sessionId = 'session-of-somebody';
    const answer = await service.call('POST', '/lite/score', {
      body: { sessionId, clientIp: '198.51.100.7', respondentId: identity, deviceHash: identity, ipPrefixHash: prefix },
    });
    const { evidence } = answer.body as ScoreReply;
    t.match(
      evidence.notes.find(({ code }) => code === 'identity_not_hashed')?.detail,
      'respondentId, ipPrefixHash, deviceHash',
    );
    const events = [
      { sessionId, type: 'complete', occurredAt: '2026-06-01T12:00:00Z', detail: { respondentId: '+49 170 1234567' } },
    ];
    t.equal((await service.call('POST', '/lite/events', { body: { events } })).status, 200);
    const adminUrl = `${service.bootstrap.adminUrl}/metrics`;
    await waitUntil(
      async () => /vh_receipts_recorded_total [1-9]/.test(await (await fetch(adminUrl)).text()),
      'the receipt is recorded',
    );
    await service.stop();

    const files = readdirSync(service.dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    const holds = (text: string): boolean => files.some((bytes) => bytes.includes(text));
    t.ok(holds(sessionId), 'what was stored is found by such a search');
    for (const secret of [identity, prefix, '+49 170 1234567']) {
      t.notOk(holds(secret), secret);
      t.notOk(service.log.join('').includes(secret), secret);
    }
  },
);
