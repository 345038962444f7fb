/** Evidence in the reader’s language; the score and its record stay as they are. */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
const { projectKey } = service.bootstrap;

t.test('Accept-Language chooses the language of evidence, and nothing else changes', async (t) => {
  const body = { sessionId: 'words', clientIp: '203.0.113.9', userAgent: 'curl/8.5.0', sourceId: 'panel' };
  const headers = { 'x-api-key': projectKey, 'accept-language': 'de' };
  const score: ScoreReply = (await service.call('POST', '/lite/score', { body, headers })).body;
  t.match(score.evidence.summary, /^Risk \d+ of 100\./, 'the score is in English');
  const read = async (language: string | null, receiptId = score.receiptId) => {
    const answer = await service.call('GET', `/lite/score/${receiptId}/evidence`, {
      headers: { 'x-api-key': projectKey, ...(language === null ? {} : { 'accept-language': language }) },
    });
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('vary'), 'Accept-Language');
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('etag'), null);
    return { language: answer.headers.get('content-language'), reply: answer.body as EvidenceReply };
  };
  await waitUntil(async () => (await read(null)).reply.provenance.faithful, 'the receipt is recorded');
  for (const [asked, given, opening] of [
    [null, 'en', /^Risk \d/],
    ['xx, nl;q=0.8', 'en', /^Risk \d/],
    ['de-AT, de;q=0.9, en;q=0.5', 'de', /^Risiko \d/],
    ['fr-CA', 'fr', /^Risque : \d/],
    ['es-MX', 'es', /^Riesgo: \d/],
    ['nl, pt-BR;q=0.7, en;q=0.3', 'pt', /^Risco: \d/],
    ['ar', 'ar', /^المخاطر: \d/],
    ['ja', 'ja', /^リスクは100のうち\d/],
  ] as const) {
    const { language, reply } = await read(asked);
    t.equal(language, given);
    t.match(reply.evidence.summary, opening);
    t.equal(reply.provenance.faithful, true, 'the same findings, sorted alike');
    const codesOf = ({ against, for: favor, notes }: ScoreReply['evidence']) =>
      [against, favor, notes].map((list) => list.map(({ code }) => code));
    t.same(codesOf(reply.evidence), codesOf(score.evidence));
    t.equal(reply.verdict.score, score.score);
  }
  t.same((await read(null)).reply.evidence, score.evidence, 'English is what was answered');
});
