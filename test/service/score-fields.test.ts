/** Each field of a request to score that carries evidence: what is answered changes with it. */
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { scoreExample } from '../../src/scoring/examples.js';
import { startTestService } from '../helpers/service.js';

const service = await startTestService(t);
let sessions = 0;
const score = async (fields: object = {}): Promise<ScoreReply> => {
  const sessionId = `fields-${(sessions += 1)}`;
  const body = { sessionId, clientIp: '8.8.8.8', userAgent: scoreExample.userAgent, ...fields };
  const answer: { status: number; body: ScoreReply } = await service.call('POST', '/lite/score', { body });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  t.equal(answer.body.sessionId, body.sessionId, 'echoed');
  t.equal(answer.body.duplicateScore, answer.body.duplicate.score, 'one number by two names');
  return answer.body;
};
const hash = (digit: string): string => digit.repeat(64);

t.test('deviceHash and respondentId are counted, and what was not sent is null', async (t) => {
  await score({ deviceHash: hash('a'), respondentId: hash('1') });
  const again = await score({ deviceHash: hash('a'), respondentId: hash('2') });
  t.match(again.duplicate, {
    measured: true,
    evidence: { deviceSessionsDay: 2, deviceRespondentsDay: 2, respondentDay: 1 },
  });
  const other = await score({ deviceHash: hash('b'), respondentId: hash('2') });
  t.match(other.duplicate.evidence, { deviceSessionsDay: 1, respondentDay: 2, respondentDevicesWeek: 2 });
  t.same(Object.values((await score()).duplicate.evidence), [null, null, null, null]);
});

t.test('ipPrefixHash is the network, whatever the address', async (t) => {
  const sample = async (fields: (n: number) => object): Promise<ScoreReply> => {
    const studyId = `prefix-${(sessions += 1)}`;
    let last = await score({ studyId, ...fields(0) });
    for (let n = 1; n < 40; n += 1) last = await score({ studyId, ...fields(n) });
    return last;
  };
  const address = (n: number) => ({ clientIp: `8.${n + 1}.8.8`, respondentId: `prefix ${sessions} ${n}` });
  const apart = await sample((n) => ({ ...address(n), ipPrefixHash: n.toString(16).padStart(64, '0') }));
  const together = await sample((n) => ({ ...address(n), ipPrefixHash: hash('c') }));
  t.ok(together.independence.score < apart.independence.score, 'one network concentrates the sample');
  const codesOf = (reply: ScoreReply): string[] => reply.evidence.against.map(({ code }) => code);
  t.match(
    codesOf(together),
    ['network_concentrated'],
    'risk rises by what velocity says of the network, and by nothing else',
  );
  t.same(codesOf(apart), []);
});

t.test('probeState explains a missing probe, moves nothing, and stays in the receipt', async (t) => {
  const [silent, reply] = [await score(), await score({ probeState: 'not_loaded' })];
  t.same(
    reply.degradedSignals.filter((signal) => !silent.degradedSignals.includes(signal)),
    ['client_probe_blocked'],
  );
  t.same([reply.score, reply.categories], [silent.score, silent.categories]);
  const kept: { body: { evidence: { notes: { code: string; detail: string }[] } } } = await service.call(
    'GET',
    `/lite/score/${reply.receiptId}/evidence`,
  );
  t.match(kept.body.evidence.notes.find(({ code }) => code === 'client_probe_blocked')?.detail, '(not_loaded)');
  t.notMatch((await score({ probeState: '<other>' })).degradedSignals, [
    'client_probe_missing',
    'client_probe_blocked',
  ]);
});

t.test('a user agent of automation raises the device axis', async (t) => {
  const userAgent = String(scoreExample.userAgent).replace('Chrome/', 'HeadlessChrome/');
  t.ok((await score({ userAgent })).categories.device > (await score()).categories.device);
});

t.test('respondentStats weigh on history, and by their old name the same', async (t) => {
  const stats = { attempts: 400, completes: 2, reconciliationRate: 1 };
  const now = await score({ respondentId: 'stats-1', respondentStats: stats });
  const old = await score({ respondentId: 'stats-2', supplierStats: stats });
  t.ok(now.categories.history > 0, 'hardly any attempt completes');
  t.equal(old.categories.history, now.categories.history);
  t.notOk(now.degradedSignals.includes('supplier_stats_deprecated_alias'));
  t.ok(old.degradedSignals.includes('supplier_stats_deprecated_alias'));
  t.equal((await score({ respondentId: 'stats-3' })).categories.history, 0);
});

t.test('a session without a respondentId is warned of nothing', async (t) => {
  const { degradedSignals, evidence } = await score();
  t.notOk(degradedSignals.includes('respondent_id_equals_session_id'));
  t.notOk(
    evidence.notes.some(({ code }) => /respondent/.test(code)),
    JSON.stringify(evidence.notes),
  );
});

t.test(
  'a sessionId reused for another respondent finds no repeat under it, and names the earlier receipt',
  async (t) => {
    const visit = (sessionId: string, digit: string) =>
      score({ sessionId, respondentId: hash(digit), studyId: 'reused' });
    const first = await visit('reused', '5');
    t.equal(first.supersedes, null);
    const second = await visit('reused', '6');
    t.match(second, { supersedes: first.receiptId, replayed: false, duplicate: { band: 'none' } });
    const { duplicate } = await score({
      sessionId: 'reused',
      respondentId: hash('5'),
      studyId: 'reused',
      sourceId: 'b',
    });
    t.equal(duplicate.band, 'none', 'the two visits are never compared');
    t.equal((await visit('own', '5')).duplicate.band, 'confirmed', 'another id finds it');
  },
);
