/** Several processes side by side on the same real stores, each with its own role. */
import t from 'tap';
import type { MintedKeyReply } from '../../src/contract/api-key.js';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { callerOf, creation, enter, fieldStudy, open, returnUrl, titles } from '../helpers/fielding.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { createEmptyDatabase, findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const stack = findStack(t, 'processes with a role each');

if (stack !== null) {
  const settings = { ...(await realStoreSettings(t, stack)), DATABASE_URL: await createEmptyDatabase(t, stack) };
  const fleet = await startFleet(t, settings, ['api', 'api', 'consumers', 'audience']);
  const [one, two] = fleet.members.map((member) => member.baseUrl() ?? '');
  const { keys } = fleet;
  const token = await issueDashboardToken(Buffer.from(settings.VH_MASTER_KEY, 'base64'), {
    organizationId: keys.organizationId,
    role: 'owner',
    lifetimeSeconds: 600,
  });
  const manage = async (url: string | undefined, method: string, path: string, body?: object): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const score = (url: string | undefined, key: string, sessionId: string): Promise<Response> =>
    fetch(`${url}/lite/score`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ sessionId, clientIp: '203.0.113.9' }),
    });

  t.test(
    'started at once on an empty database, all come up, and exactly one makes the demo organization',
    async (t) => {
      t.equal(fleet.members.filter((member) => member.output().stdout.includes('First start')).length, 1);
      const printed = fleet.members.map((member) => member.output().stdout);
      const [, , consumers, audience] = printed;
      const api = printed.find((text) => text.includes('First start'));
      t.match(api, /up as api\.\n {2}API .*\n {2}Console .*\n {2}Documentation .*\n {2}Demo page .*\n {2}Metrics /);
      t.match(consumers, /up as consumers\.\n {2}Metrics [^\n]*\n$/, 'no address of what it does not serve');
      t.match(audience, /up as audience\.\n {2}Audience API .*\n {2}Metrics [^\n]*\n$/);
      // The API holds the index of faces besides the three stores.
      for (const member of fleet.members)
        await waitUntil(async () => (await member.metric('vh_store_up')) === 3, `${member.roles} sees all of them`);
    },
  );

  t.test(
    'a receipt that one instance gave is evidence at the other at once, and the consumers record it',
    async (t) => {
      const reply = (await (await score(one, keys.projectKey, 'across')).json()) as ScoreReply;
      const answer = await fetch(`${two}/lite/score/${reply.receiptId}/evidence`, {
        headers: { 'x-api-key': keys.projectKey },
      });
      t.same(((await answer.json()) as EvidenceReply).evidence, reply.evidence);
      const consumers = fleet.members.find(({ roles }) => roles === 'consumers');
      await waitUntil(
        async () => ((await consumers?.metric('vh_receipts_recorded_total')) ?? 0) >= 1,
        'the consumers record it',
      );
    },
  );

  t.test('a process of the audience alone makes a study and lets respondents in', async (t) => {
    const audience = fleet.members.find(({ roles }) => roles === 'audience');
    const url = /Audience API\s+(http\S+)/.exec(audience?.output().stdout ?? '')?.[1] ?? '';
    const study = await fieldStudy(callerOf(url, keys.projectKey), creation('https://survey.example/'));
    const way = await enter(study, { rid: 'r', src: 's' });
    t.equal(new URL(way.location ?? '').origin, 'https://survey.example');
    t.equal((await open(returnUrl(way.location, 'complete'))).title, titles.thanks);
    t.equal(
      (await fetch(`${audience?.baseUrl() ?? ''}/openapi.json`).catch(() => null))?.status,
      undefined,
      'no API here',
    );
  });

  t.test('a key revoked at one instance stops working at the other', async (t) => {
    const minted = (await (
      await manage(one, 'POST', `/projects/${keys.projectId}/api-keys`, { name: 'short-lived' })
    ).json()) as MintedKeyReply;
    t.equal((await score(two, minted.apiKey, 'before')).status, 200, 'the other instance knows it');
    const revoked = await manage(one, 'DELETE', `/projects/${keys.projectId}/api-keys/${minted.keyId}`);
    t.ok(revoked.ok, String(revoked.status));
    await waitUntil(
      async () => (await score(two, minted.apiKey, 'after')).status === 401,
      'the other instance refuses it',
    );
  });

  t.test('calibration changed at one instance is in force at the other', async (t) => {
    const recommendation = async (sessionId: string): Promise<string> =>
      ((await (await score(two, keys.projectKey, sessionId)).json()) as ScoreReply).recommendation;
    t.equal(await recommendation('calibration'), 'allow');
    t.equal(
      (await manage(one, 'PATCH', `/projects/${keys.projectId}`, { config: { liteConfig: { noProbeRiskScore: 50 } } }))
        .status,
      200,
    );
    let n = 0;
    await waitUntil(
      async () => (await recommendation(`calibration-${n++}`)) === 'review',
      'the other instance uses it',
    );
  });
}
