/** A sample for the console: sessions of three suppliers over a study, some of them suspicious, some with outcomes. */
import { creationExample } from '../../src/audience/examples.js';
import { callerOf, enter, fieldStudy, placeAt } from './fielding.js';
import type { TestService } from './service.js';
import { automated, createSession, page as pageHeaders, verify } from './verifications.js';
import { waitUntil } from './wait-until.js';

const honest = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
];
export const driver = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36';
const sources = ['cint-eu', 'lucid', 'own-panel'] as const;
const sessionsOf = 18;

/** Fills the service and returns the paths of pages to look at. */
export async function fillConsole(service: TestService): Promise<readonly string[]> {
  for (let index = 0; index < sessionsOf; index += 1)
    for (const [place, sourceId] of sources.entries()) {
      const isBad = index % (place + 3) === 0;
      const body = {
        sessionId: `${sourceId}-${1_000 + index}`,
        clientIp: isBad ? '203.0.114.7' : `9${place}.12.${index}.3`,
        userAgent: isBad ? driver : honest[index % honest.length],
        respondentId: isBad ? `r-${sourceId}-${index % 5}` : `r-${sourceId}-${index}`,
        ...(isBad ? { deviceHash: 'a'.repeat(64) } : {}),
        ...{ sourceId, studyId: index % 2 === 0 ? 'coffee-2026' : 'mobility-q4' },
      };
      await service.call('POST', '/lite/score', { body });
    }
  const events = sources.flatMap((sourceId, place) =>
    Array.from({ length: sessionsOf }, (_, index) => ({
      sessionId: `${sourceId}-${1_000 + index}`,
      type: index % (place + 3) === 0 ? 'ban' : 'complete',
      occurredAt: new Date(Date.now() - (index % 4 === 0 ? 70 : 2) * 86_400_000).toISOString(),
    })),
  );
  await service.call('POST', '/lite/events', { body: { events } });
  const total = sources.length * sessionsOf;
  await waitUntil(async () => {
    const { sessions = [] } = (await service.call('GET', '/lite/sessions?limit=200')).body as { sessions?: unknown[] };
    return sessions.length === total;
  }, 'the sample is listed');
  // Scored again, under another address.
  const again = {
    ...{ sessionId: 'lucid-1004', clientIp: '198.51.101.9', userAgent: driver, sourceId: 'lucid' },
    ...{ studyId: 'coffee-2026', respondentId: 'r-lucid-4', deviceHash: 'a'.repeat(64) },
  };
  await service.call('POST', '/lite/score', { body: again });
  await verifyPeople(service);
  await raiseFlags(service);
  const webhookId = await sendEvents(service);
  const studyId = await fillStudy(service);
  return [
    'overview',
    'sessions',
    'sessions/lucid-1004',
    'flags',
    'suppliers',
    'thresholds',
    'studies',
    `studies/${studyId}`,
    'verification',
    'webhooks',
    `webhooks/${webhookId}`,
    'settings',
    'keys',
    'audit',
  ];
}

/** Verifications without a camera; every third comes from an automated browser. */
async function verifyPeople(service: TestService): Promise<void> {
  const total = 9;
  for (let index = 0; index < total; index += 1)
    await verify(service, await createSession(service), index % 3 === 0 ? automated : {});
  await waitUntil(async () => {
    const path = `/projects/${service.bootstrap.projectId}/analytics`;
    return ((await service.call('GET', path)).body as { totalVerifications?: number }).totalVerifications === total;
  }, 'the verifications are counted');
}

/** Respondents who paste their answers, or give them too fast. */
async function raiseFlags(service: TestService): Promise<void> {
  const { projectId, organizationKey } = service.bootstrap;
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { monitoring: { question: { maxPastes: 2, minTimeMs: 1_000 } } } },
    headers: { 'x-api-key': organizationKey },
  });
  for (const [pasteCount, timeOnQuestionMs] of [
    [5, 9_000],
    [0, 300],
    [3, 700],
  ]) {
    const { sessionId, clientSecret } = await createSession(service, { respondentId: `r-${timeOnQuestionMs}` });
    const question = { questionId: 'q7', timeOnQuestionMs, pasteCount, mouseMoveCount: 4, keyCount: 12, ended: true };
    await service.call('POST', `/public/sessions/${sessionId}/activity`, {
      body: { questions: [{ ...question, focusEntries: 1, focusExits: 0 }] },
      headers: { ...pageHeaders, 'x-client-secret': clientSecret },
    });
  }
}

/** A study with two suppliers’ respondents, of whom some are programs, and most complete. */
async function fillStudy({ bootstrap }: TestService): Promise<string> {
  const call = callerOf(bootstrap.audienceUrl, bootstrap.projectKey);
  const { name, audience, ...rest } = creationExample;
  const quotas = [
    { name: 'Germany', country: 'DE', limit: 8 },
    { name: 'Women under 40', gender: 'female', ageMax: 39, limit: 3 },
  ];
  const limits = { perAddress: 100 };
  const study = await fieldStudy(call, {
    ...{ name, ...rest, survey: { minimumSeconds: 0 } },
    audience: { ...audience, sample_size: 12, quotas, limits },
  });
  for (let index = 0; index < 14; index += 1) {
    const isProgram = index % 4 === 3;
    const { location } = await enter(study, {
      ...{ rid: `panelist-${index + 1}`, src: index % 3 === 0 ? 'lucid' : 'cint-eu' },
      ...(isProgram ? { agent: driver } : {}),
      more: { country: index % 3 === 0 ? 'AT' : 'DE', gender: index % 2 === 0 ? 'female' : 'male', age: '31' },
    });
    if (isProgram || location?.includes('vh_token') !== true || index % 5 === 4) continue;
    await call('POST', `/studies/${study.studyId}/returns`, { place: placeAt(location), status: 'complete' });
  }
  await call('POST', '/studies', { ...creationExample, name: 'Mobility, fourth quarter' });
  return study.studyId;
}

/** A webhook whose receiver is not there, with a delivery that failed. */
async function sendEvents(service: TestService): Promise<string> {
  const path = `/projects/${service.bootstrap.projectId}/webhooks`;
  const body = { url: 'https://billing.example.com/hooks', description: 'Billing' };
  const { webhookId } = (await service.call('POST', path, { body })).body as { webhookId: string };
  await service.call('POST', `${path}/${webhookId}/test`);
  await waitUntil(async () => {
    const { deliveries } = (await service.call('GET', `${path}/${webhookId}/deliveries`)).body as {
      deliveries: readonly { attempts: readonly { error: string | null }[] }[];
    };
    return deliveries[0]?.attempts.some(({ error }) => error !== null) === true;
  }, 'a delivery has failed');
  return webhookId;
}
