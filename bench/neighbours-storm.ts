/** Calls of the organization that does each heavy thing without pause in the bench `neighbours`. */
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { nextOf, sendEntryProbe } from '../test/helpers/entry-probe.js';
import { captureHuman } from '../test/helpers/captures.js';
import { randomDirection, shippedEmbeddingOf } from '../test/helpers/faces.js';
import { desktopAgent } from '../test/helpers/fielding.js';
import { createRandom } from '../workers/seeded-random.js';
import { play } from './forge-session.js';
import { drawForger } from './forger.js';
import { call, keyOf, scoreCall, type Answer } from './neighbours-calls.js';
import type { Neighbourhood } from './neighbours-server.js';

/** Calls at once. */
export const heavyThings = {
  recount: 20,
  entry: 16,
  faces: 48,
  rebuild: 1,
  export: 4,
  simulate: 8,
  recommendations: 8,
  erasure: 8,
  webhooks: 8,
} as const;
export type HeavyThing = keyof typeof heavyThings;
export type StormCalls = Readonly<Record<HeavyThing, (n: number) => Promise<Answer>>>;

export function stormCalls(target: Neighbourhood): StormCalls {
  const { baseUrl, audienceUrl, storm } = target;
  const key = keyOf(storm);
  const { projectId, studyId } = storm;
  const quotas = (n: number) =>
    Array.from({ length: 20 }, (_, index) => ({
      name: `q${index}`,
      country: 'DE',
      ageMin: 18 + ((n + index) % 30),
      limit: 900_000,
    }));
  const webhooks = `${baseUrl}/projects/${projectId}/webhooks`;
  return {
    recount: (n) => call('PATCH', `${audienceUrl}/studies/${studyId}`, key, { audience: { quotas: quotas(n) } }),
    entry: (n) => enterStudy(target, n),
    faces: (n) => showFace(target, n),
    rebuild: (n) => rebuildCounters(target, n),
    export: () => call('GET', `${audienceUrl}/studies/${studyId}/export?format=csv`, key),
    simulate: (n) =>
      call('POST', `${baseUrl}/lite/simulate`, key, {
        projectId,
        reviewLow: 20 + (n % 9),
        blockThreshold: 60,
        flips: 100,
      }),
    recommendations: () => call('GET', `${baseUrl}/lite/threshold-recommendations?projectId=${projectId}`, key),
    erasure: (n) => call('DELETE', `${baseUrl}/projects/${projectId}/respondents/nobody-${n}`, key),
    webhooks: async (n) => {
      const { text } = await call('GET', `${webhooks}?limit=200`, key);
      const ids = (JSON.parse(text) as { webhooks: { webhookId: string }[] }).webhooks;
      return call('POST', `${webhooks}/${ids[n % ids.length]?.webhookId}/test`, key);
    },
  };
}

const answered: Answer = { status: 200, retryAfterMs: 0, text: '' };

/** From the entry link through the page that checks the browser to the survey's address, or to the page that refuses. */
async function enterStudy({ audienceUrl, storm }: Neighbourhood, n: number): Promise<Answer> {
  const link = `${audienceUrl}/enter/${storm.studyId}?rid=storm-${n}&src=panel`;
  const address = `81.${(n >> 16) % 256}.${(n >> 8) % 256}.${n % 256}`;
  const headers = { 'user-agent': desktopAgent, 'x-forwarded-for': address };
  const page = await call('GET', link, headers);
  const next = nextOf(page.text);
  if (page.status >= 400 || next === null) return page;
  const sent = await sendEntryProbe(page.text, { agent: desktopAgent, address, seed: `storm-${n}` });
  if (sent.status >= 400) return { ...answered, status: sent.status };
  const cookie = page.cookie === undefined ? {} : { cookie: page.cookie };
  const entered = await call('GET', new URL(next, link).href, { ...headers, ...cookie });
  return entered.status < 400 ? answered : entered;
}

/** A whole session in front of a camera: its face is compared with all faces of the project. */
async function showFace({ baseUrl, storm }: Neighbourhood, n: number): Promise<Answer> {
  const random = createRandom(n);
  const face = shippedEmbeddingOf(randomDirection(random), random);
  const make: Parameters<typeof play>[1]['make'] = (challenges) =>
    captureHuman({ ...drawForger(n).capture, challenges });
  await play({ baseUrl, siteKey: storm.siteKey }, { seed: n, make, face });
  return answered;
}

const rebuildMsMax = 60_000;

/** Takes the marks of a complete project from Redis, as a failover does, so that the next score has its counts restored. */
async function rebuildCounters(target: Neighbourhood, n: number): Promise<Answer> {
  if (target.redisUrl === null) throw new Error('embedded counters are rebuilt at a start alone');
  const redis = new Redis(target.redisUrl);
  const base = `{${target.storm.projectId}}:`;
  try {
    await redis.del(['complete', 'epoch', 'lost', 'rebuild', 'rebuilt'].map((name) => base + name));
    const untilMs = performance.now() + rebuildMsMax;
    for (let at = n * 1_000; performance.now() < untilMs; at += 1) {
      const scored = await scoreCall(target, target.storm, at);
      if (scored.status >= 400) return scored;
      if ((await redis.exists(`${base}complete`)) === 1) return answered;
      await pause(100);
    }
    throw new Error(`the counters are not complete after ${rebuildMsMax} ms`);
  } finally {
    redis.disconnect();
  }
}
