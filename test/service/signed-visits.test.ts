/** Visits that an agent signs, as a score of the running service takes them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { inForce, jwk, keyid, nowMs, signByHand } from '../helpers/signed-visits.js';

const keys = join(temporaryDirectory(t), 'agents.json');
writeFileSync(keys, JSON.stringify([{ agent: 'Example Agent', jwk }]));
const aheadMs = nowMs - Date.now();
const service = await startTestService(t, { VH_TRUSTED_AGENT_KEYS: keys }, { now: () => Date.now() + aheadMs });
await service.call('PATCH', `/projects/${service.bootstrap.projectId}`, {
  body: { config: { allowedDomains: ['https://survey.example'] } },
  headers: { 'x-api-key': service.bootstrap.organizationKey },
});
const signed = (more = '') => signByHand({ parameters: `;${inForce};keyid="${keyid}";tag="web-bot-auth"${more}` });
const score = async (sessionId: string, webBotAuth: object): Promise<ScoreReply> => {
  const { status, body } = await service.call('POST', '/lite/score', {
    body: { sessionId, clientIp: '203.0.113.9', webBotAuth },
  });
  t.equal(status, 200, JSON.stringify(body));
  return body;
};
const findingOf = ({ reasons }: ScoreReply) => reasons.find(({ code }) => code === 'agent_signature_invalid')?.detail;

t.test('visits of one second share a signature without a nonce: the second is told to add one', async (t) => {
  t.match(await score('first', signed()), { verdictClass: 'verified_agent' });
  const second = await score('second', signed());
  t.not(second.verdictClass, 'verified_agent');
  t.match(findingOf(second), /add a nonce/);
  t.match(await score('first', { ...signed(), targetUri: 'https://survey.example/next' }), {
    verdictClass: 'verified_agent',
  });
});

t.test('with a nonce each visit of the second is verified', async (t) => {
  for (const visit of ['third', 'fourth'])
    t.match(await score(visit, signed(`;nonce="${visit}"`)), { verdictClass: 'verified_agent' }, visit);
});
