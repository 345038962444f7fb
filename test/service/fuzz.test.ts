/**
 * Whatever is sent to the score, the probe and the events: no answer is a fault of the service, and every score keeps what the specification
 * promises. FUZZ_SECONDS says for how long (a run of CI asks for more), FUZZ_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { Compile } from 'typebox/compile';
import { OutcomeEvent, SessionOutcomeEvent, type OutcomeReply } from '../../src/contract/outcome.js';
import { ProbeBody } from '../../src/contract/probe.js';
import { ScoreReply, ScoreRequest, type ScoreReply as Reply } from '../../src/contract/score.js';
import { anyOf, inheritedNames, type AnyOfOptions } from '../helpers/any-of-schema.js';
import { chromeOnWindows, safariOnPhone } from '../helpers/facts.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const seconds = Number(process.env['FUZZ_SECONDS'] ?? 10);
const runsOfABatch = 20;
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

t.setTimeout(180_000 + seconds * 4_000);
t.comment(`FUZZ_SEED=${seed}`);

const service = await startTestService(t, { VH_PUBLIC_PER_MINUTE: '0' });
const { bootstrap } = service;
const { apiKey } = await mintKey();
const isReply = Compile(ScoreReply);
const seen = new Map<string, number>();

/** A key whose limits a fuzz does not reach. */
async function mintKey(): Promise<{ readonly apiKey: string }> {
  const path = `/projects/${bootstrap.projectId}/api-keys`;
  const headers = { 'x-api-key': bootstrap.organizationKey };
  const minted: { apiKey: string; keyId: string } = (
    await service.call('POST', path, { body: { name: 'fuzz' }, headers })
  ).body;
  const rateLimits = { perMinute: 10_000_000, perDay: 100_000_000 };
  const raised = await service.call('PATCH', `${path}/${minted.keyId}`, { body: { rateLimits }, headers });
  assert.equal(raised.status, 200, JSON.stringify(raised.body));
  return minted;
}

const few = (name: string) =>
  fc.oneof(fc.constantFrom(`${name}-1`, `${name}-2`, `${name}-3`), fc.constantFrom(...inheritedNames), fc.constant(''));
const sessionId = fc.oneof(fc.uuid(), fc.constantFrom('session-1', 'session-2', ...inheritedNames));
const address = fc.oneof(
  { arbitrary: fc.ipV4(), weight: 4 },
  { arbitrary: fc.ipV6(), weight: 2 },
  { arbitrary: fc.constantFrom('10.0.0.1', '::1', '203.0.113.1:80', '::ffff:203.0.113.9', 'constructor'), weight: 1 },
);
const userAgent = fc.constantFrom(
  chromeOnWindows,
  safariOnPhone,
  '',
  'constructor',
  'curl/8',
  'x'.repeat(1_025),
  'x'.repeat(14_000),
  `${chromeOnWindows} ${'界'.repeat(1_024)}`,
);
const check = fc.constantFrom('proxy', 'frame', 'worker', 'own', 'odd', ...inheritedNames);
const subject = fc.constantFrom('webdriver', 'userAgent', 'languages', 'gpu', 'x', ...inheritedNames);

const named = {
  sessionId,
  clientIp: address,
  userAgent,
  sourceId: few('source'),
  subSourceId: few('sub'),
  studyId: few('study'),
  respondentId: few('person'),
  deviceHash: few('device'),
  ipPrefixHash: few('prefix'),
  declaredCountry: fc.constantFrom('DE', 'us', 'GB', ''),
  // The whole is consistent: at most as many completes as attempts are taken.
  respondentStats: fc
    .tuple(
      fc.nat({ max: 1_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([attempts, share, reconciliationRate]) => ({
      attempts,
      completes: Math.floor(attempts * share),
      reconciliationRate,
    })),
  projectKey: fc.constant(bootstrap.probeKey),
  nonce: fc.uuid(),
  lies: fc.array(
    fc.tuple(check, subject).map((parts) => parts.join('.')),
    { maxLength: 40 },
  ),
  'ua.ua': userAgent,
  'loc.zone': fc.constantFrom('Europe/Berlin', 'UTC', 'Nowhere/Else', '', 'constructor', '__proto__'),
  occurredAt: fc
    .integer({ min: -60 * 86_400, max: 2 * 86_400 })
    .map((s) => new Date(Date.now() + s * 1_000).toISOString()),
  'detail.respondentId': few('person'),
};
const fitting: AnyOfOptions = { named: { ...named, supplierStats: named.respondentStats }, wild: false };
const { projectKey, occurredAt } = named;
const wild: AnyOfOptions = { named: { projectKey, occurredAt }, wild: true };
const body = (schema: object, wildWeight = 1) =>
  fc.oneof(
    { arbitrary: anyOf(schema, fitting), weight: 3 },
    { arbitrary: anyOf(schema, wild), weight: wildWeight },
  ) as fc.Arbitrary<Record<string, unknown>>;

async function post(path: string, sent: unknown): Promise<{ status: number; body: never }> {
  const answer = await service.call('POST', path, {
    body: sent,
    headers: { 'x-api-key': apiKey, 'user-agent': chromeOnWindows },
  });
  const kind = `${path.split('/').at(-1) ?? ''} ${answer.status}`;
  seen.set(kind, (seen.get(kind) ?? 0) + 1);
  assert.ok(answer.status < 500, `${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Promises of the specification for every score. */
function assertPromises(sent: Record<string, unknown>, reply: Reply): void {
  // The schema of the reply holds whole numbers from 0 to 100 for score, duplicateScore and the six categories.
  assert.ok(isReply.Check(reply), JSON.stringify(isReply.Errors(reply)[0]));
  const { duplicate, evidence, degradedSignals } = reply;
  assert.equal(reply.sessionId, sent['sessionId'], 'the session is echoed');
  assert.equal(duplicate.score, reply.duplicateScore, 'duplicate.score is the same number');
  assert.ok(evidence.summary.length > 0, 'the summary is always there');
  for (const finding of evidence.against) {
    assert.notEqual(finding.strength, 'none', `${finding.code} was not needed and stands in against`);
    assert.notEqual(finding.axis, 'duplicate', 'repeat participation never moves risk');
  }
  for (const finding of evidence.notes) assert.equal(finding.strength, 'none', `${finding.code} is a note`);
  const respondent = sent['respondentId'];
  const isNamed = typeof respondent === 'string' && respondent !== '' && respondent !== sent['sessionId'];
  if (!isNamed) {
    assert.equal(duplicate.evidence.respondentDay, null, 'without a respondent nothing of it was counted');
    assert.equal(duplicate.evidence.respondentDevicesWeek, null);
  }
  if (respondent === sent['sessionId'])
    assert.ok(degradedSignals.includes('respondent_id_equals_session_id'), 'an ignored respondent is told');
  if (!duplicate.measured) assert.ok(Object.values(duplicate.evidence).every((count) => count === null));
  if (sent['declaredCountry'] == null || sent['declaredCountry'] === '')
    assert.equal(reply.declaredCountryMatch, null, 'null is not measured');
  if (degradedSignals.includes('client_probe_missing')) assert.notEqual(reply.verdictClass, 'human');
  assert.notEqual(reply.recommendation, 'step_up', 'the project did not opt in');
  assert.match(reply.receiptId, /^rcpt_/);
}

const events = (schema: object) => fc.array(body(schema), { minLength: 1, maxLength: 6 });

/** In batches until the time is over; the first is made however slow the machine is. */
async function fuzz<T extends [unknown, ...unknown[]]>(property: fc.IAsyncProperty<T>): Promise<void> {
  const endMs = performance.now() + (seconds * 1_000) / 2;
  for (let batch = 0; batch === 0 || performance.now() < endMs; batch += 1)
    await fc.assert(property, { seed: seed + batch, numRuns: runsOfABatch, endOnFailure: true });
}

t.test('no score, probe or event is answered with a fault, and every score keeps its promises', async (t) => {
  await fuzz(
    fc.asyncProperty(
      fc.array(body(ProbeBody), { maxLength: 3 }),
      body(ScoreRequest),
      events(OutcomeEvent),
      events(SessionOutcomeEvent),
      async (probes, request, bulk, ofSession) => {
        const session = request['sessionId'];
        const named = typeof session === 'string' && session !== '' ? { sessionId: session } : {};
        for (const probe of probes) await post('/public/lite/probe', { ...probe, ...named });
        const scored = await post('/lite/score', request);
        if (scored.status === 200) assertPromises(request, scored.body);
        const told = await post('/lite/events', { events: bulk.map((event) => ({ ...named, ...event })) });
        if (told.status === 200) {
          const { received, accepted, duplicates, rejected }: OutcomeReply = told.body;
          assert.equal(received, bulk.length);
          assert.equal(received, accepted + duplicates + rejected, 'every event is told of once');
        }
        await post(`/lite/sessions/${encodeURIComponent(wellFormed(session))}/events`, { events: ofSession });
      },
    ),
  );
  t.ok((seen.get('score 200') ?? 0) > 0 && (seen.get('probe 202') ?? 0) > 0 && (seen.get('events 200') ?? 0) > 0);
});

/** Addresses cannot hold halves of surrogate pairs. */
function wellFormed(text: unknown): string {
  return (typeof text === 'string' ? text.slice(0, 300).replace(/\p{Surrogate}/gu, '') : '') || 'session-1';
}

/** The same person in the same study once more, and nobody else anywhere near. */
let persons = 0;
t.test('a duplicate never moves score, recommendation, verdictClass or grlCompat', async (t) => {
  let repeated = 0;
  await fuzz(
    fc.asyncProperty(
      fc.option(anyOf(ProbeBody, fitting) as fc.Arbitrary<Record<string, unknown>>, { nil: null }),
      anyOf(ScoreRequest, fitting) as fc.Arbitrary<Record<string, unknown>>,
      async (probe, request) => {
        const person = `${seed}-${(persons += 1)}`;
        const address = `2${(persons % 100).toString().padStart(3, '0')}:${(persons >> 8).toString(16)}:${(persons & 255).toString(16)}::1`;
        const own = { respondentId: person, studyId: person, deviceHash: person, sourceId: person, subSourceId: '' };
        const visit = async (turn: string): Promise<{ status: number; body: never }> => {
          const sessionId = `${person} ${turn}`;
          if (probe !== null)
            await post('/public/lite/probe', {
              ...probe,
              ids: { token: person },
              sessionId,
              nonce: `nonce ${sessionId}`,
            });
          return post('/lite/score', { ...request, ...own, ipPrefixHash: '', clientIp: address, sessionId });
        };
        const [first, second] = [await visit('first'), await visit('second')];
        assert.equal(second.status, first.status);
        if (first.status !== 200) return;
        const read = ({ score, recommendation, verdictClass, grlCompat }: Reply) => ({
          score,
          recommendation,
          verdictClass,
          grlCompat,
        });
        const [once, twice]: readonly [Reply, Reply] = [first.body, second.body];
        assert.deepEqual(read(twice), read(once));
        assert.equal(twice.duplicate.band, 'confirmed');
        assert.notEqual(once.duplicate.band, 'confirmed');
        repeated += 1;
      },
    ),
  );
  t.ok(repeated > 0, `${repeated} visits came twice`);
});

t.test('what was scored meanwhile is recorded: no text of a caller’s stops a consumer', async (t) => {
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };
  await waitUntil(
    async () => (await metric('vh_receipts_recorded_total')) >= (await metric('vh_scores_total')),
    'every receipt is in the database',
  );
  t.comment([...seen].sort().join('; '));
});
