/** First mistakes of a developer: each is refused by a sentence that names it, at the earliest moment, and nothing is sent or ignored. */
import t from 'tap';
import {
  createClient,
  fraudGate,
  fraudGatePlugin,
  hashIdentity,
  type Client,
  type ClientOptions,
  type FraudGateOptions,
  type GateRequest,
} from '../../../sdk/node/index.js';
import { reply, startFlakyServer } from '../../helpers/flaky-server.js';
import { scoreReply } from '../../helpers/score-reply.js';

const refusal = (message: RegExp) => ({ code: 'INVALID_OPTION', message });
const { seen, baseUrl } = await startFlakyServer(t, [reply(200, scoreReply())]);
const options = { apiKey: 'vf_live_x', baseUrl };
const client = createClient(options);
const request = { sessionId: 's-1', clientIp: '192.0.2.24' };
/** Options as a program without types would give them. */
const untyped = <T>(value: unknown): T => value as T;

t.test('an option under another name is refused, in the client and in every call', async (t) => {
  t.throws(
    () => createClient(untyped<ClientOptions>({ ...options, failmode: 'open' })),
    refusal(/"failmode".*createClient.*failMode/),
  );
  t.throws(() => createClient(untyped(undefined)), refusal(/createClient takes an object/));
  await t.rejects(client.score(request, untyped({ idempotencykey: 'k' })), refusal(/"idempotencykey".*idempotencyKey/));
  await t.rejects(client.decide(request, untyped({ timeout: 5 })), refusal(/"timeout".*deadlineMs/));
  await t.rejects(client.events([], untyped({ batch: 5 })), refusal(/"batch".*concurrency/));
  await t.rejects(client.verifyToken('x', untyped({ idempotencyKey: 'k' })), refusal(/"idempotencyKey".*verifyToken/));
  await t.rejects(client.verifyTokens(['x'], untyped({ deadline: 1 })), refusal(/"deadline".*verifyTokens/));
  const undefinedId = untyped<string>(undefined);
  for (const require of [{ respondentId: undefinedId }, { studyId: '' }, untyped<object>(undefined)])
    await t.rejects(client.verifyToken('x', { require }), refusal(/^require.*(no value|takes an object)/));
  await t.rejects(client.verifyToken('x', { use: undefinedId }), refusal(/^use has no value/));
  await t.rejects(client.verifyToken('x', { require: untyped({ study: 's' }) }), refusal(/"study".*studyId/));
  await t.rejects(client.verifyTokens([untyped({ token: 'x', studyId: 's' })]), refusal(/"studyId".*require/));
  t.equal(seen.length, 0, 'nothing was sent');
});

t.test('an organization key is refused where a score would be joined to nothing', async (t) => {
  const organization = createClient({ ...options, apiKey: 'vf_org_live_x', failMode: 'open' });
  await t.rejects(organization.score(request), refusal(/organization key.*project's key/));
  await t.rejects(organization.decide(request), refusal(/organization key.*project's key/));
  t.equal(seen.length, 0, 'nothing was sent');
});

t.test('a misspelt field of a score is refused', async (t) => {
  await t.rejects(client.score(untyped({ ...request, respondendId: 'r' })), refusal(/"respondendId".*respondentId/));
  await t.rejects(client.decide(untyped({ ...request, studyid: 's' })), refusal(/"studyid".*studyId/));
  const respondentStats = { attempts: 3, complets: 1 };
  await t.rejects(client.score(untyped({ ...request, respondentStats })), refusal(/"complets".*completes/));
  t.equal(seen.length, 0, 'nothing was sent');
});

t.test('a rule or fail mode that does not exist is refused before a score is spent on it', async (t) => {
  await t.rejects(client.decide(request, { rule: untyped('tightest') }), refusal(/rule is/));
  await t.rejects(client.decide(request, { failMode: untyped('opened') }), refusal(/failMode is/));
  await t.rejects(client.score(untyped(undefined)), refusal(/score takes an object/));
  await t.rejects(client.decide(untyped('s-1')), refusal(/decide takes an object/));
  t.equal(seen.length, 0, 'nothing was sent');
});

t.test('one event in place of a list, or a text, is refused', async (t) => {
  const event = { sessionId: 's-1', type: 'complete', occurredAt: '2026-06-01T12:00:00Z' };
  for (const events of [event, undefined, 'complete'])
    await t.rejects(client.events(untyped(events)), refusal(/events takes a list/));
  t.equal(seen.length, 0, 'nothing was sent');
});

t.test('an identity that is a number is told from one that is absent', (t) => {
  t.throws(() => hashIdentity('a salt of your own', untyped(1_001)), refusal(/as text.*number/));
  t.throws(() => hashIdentity('a salt of your own', untyped(undefined)), refusal(/leave the field away/));
  t.throws(() => hashIdentity('a salt of your own', ''), refusal(/leave the field away/));
  t.end();
});

const gateOf = (more: object) => untyped<FraudGateOptions>({ client, session: () => null, ...more });
const wrongGates: readonly (readonly [FraudGateOptions, RegExp])[] = [
  [untyped(undefined), /takes an object/],
  [gateOf({ client: undefined }), /client is missing/],
  [gateOf({ session: { sessionId: 's-1' } }), /session is a function/],
  [gateOf({ rule: 'tightest' }), /rule is/],
  [gateOf({ failMode: 'opened' }), /failMode is/],
  [gateOf({ sesion: () => null }), /"sesion".*session/],
];

t.test('a gate that cannot work is refused where it is made, not at the first respondent', async (t) => {
  const app = { decorateRequest: () => undefined, addHook: () => undefined };
  for (const [wrong, message] of wrongGates) {
    t.throws(() => fraudGate(wrong), refusal(message));
    await t.rejects(fraudGatePlugin(app, wrong), refusal(message));
  }
  await fraudGatePlugin(app, gateOf({ prefix: '/survey', logLevel: 'warn' }));
});

t.test('a gate waits for a session that has to be looked up, and refuses one that was forgotten', async (t) => {
  const pass = (session: unknown) => {
    const request: GateRequest = { ip: '192.0.2.24', headers: {} };
    return new Promise<{ error: unknown; request: GateRequest }>((resolve) =>
      fraudGate({ client, session: untyped<FraudGateOptions['session']>(session) })(request, null, (error) =>
        resolve({ error, request }),
      ),
    );
  };
  const looked = await pass(async () => ({ sessionId: 's-1' }));
  t.match(looked, { error: undefined, request: { fraudGate: { action: 'allow' } } });
  t.match(seen.at(-1), { body: { sessionId: 's-1', clientIp: '192.0.2.24' } });
  t.match(await pass(async () => null), { error: undefined, request: { fraudGate: null } });
  const before = seen.length;
  for (const forgotten of [() => undefined, async () => undefined, () => false, () => 's-1'])
    t.match((await pass(forgotten)).error, refusal(/session\(\) gives a session.*or null/));
  t.equal(seen.length, before, 'nothing was sent');
});

t.test('options that were left undefined count as left away', async (t) => {
  const made: Client = createClient(untyped({ ...options, failMode: undefined, retriesMax: undefined }));
  t.match(await made.decide(request, untyped({ rule: undefined, deadlineMs: undefined })), { action: 'allow' });
});
