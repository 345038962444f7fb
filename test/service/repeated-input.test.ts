/** Input that is replayed under another session, through the service as a whole. */
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { probeExample, scoreExample } from '../../src/scoring/examples.js';
import { humanBody } from '../helpers/facts.js';
import { startTestService } from '../helpers/service.js';

t.test('the same input in a second session is recognised, and speaks against that one', async (t) => {
  const service = await startTestService(t);
  const { probeKey, projectKey } = service.bootstrap;
  const take = async (sessionId: string, beh: object): Promise<ScoreReply> => {
    const body = {
      ...probeExample(probeKey),
      sessionId,
      nonce: `nonce-of-${sessionId}`,
      at: Date.now(),
      up: 90_000,
      beh,
    };
    const headers = { origin: 'https://survey.example', 'accept-language': 'de-DE' };
    t.equal((await service.call('POST', '/public/lite/probe', { body, headers })).status, 202);
    const request = { ...scoreExample, sessionId, respondentId: `person of ${sessionId}` };
    const answer: { body: ScoreReply } = await service.call('POST', '/lite/score', {
      body: request,
      headers: { 'x-api-key': projectKey },
    });
    return answer.body;
  };
  const { beh = {} } = humanBody();
  const codesOf = ({ evidence }: ScoreReply) => evidence.against.map(({ code }) => code);
  const first = await take('first', beh);
  const second = await take('second', { ...beh, interval: [398, 18.3, 12.4, 6.9, 288], straight: 0.9 });
  t.notOk(codesOf(first).includes('input_repeated'));
  t.ok(codesOf(second).includes('input_repeated'), codesOf(second).join());
  t.equal(second.independence.band, 'shared');
});
