/**
 * Bench of fairness: one organization does each heavy thing as fast as it can, while another scores, verifies, enters a study, receives webhooks and
 * reads. On the running stack, or on embedded stores where none runs (or with `--embedded`).
 *
 * For each heavy thing: the neighbour alone, both, the storm alone. Reported are the ratios of the neighbour’s latencies with and without the storm, its
 * failures, and how much longer the storm’s work takes than alone. What the storm is refused (429) it repeats when Retry-After says.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { SessionReply } from '../src/contract/session.js';
import type { BenchResult } from './bench-result.js';
import { quantile } from './load.js';
import { markdownTable } from './markdown.js';
import type { Neighbourhood, Tenant } from './neighbours-server.js';
import { serve } from './process.js';
import { scoreBodies } from './score-bodies.js';
import { findStack, withStack } from './stack.js';

export interface NeighboursOptions {
  /** Length of each of the three phases of a heavy thing. */
  readonly seconds: number;
  readonly embedded?: boolean;
  /** Calls of the neighbour a second. */
  readonly perSecond?: number;
  readonly places?: number;
  readonly only?: readonly HeavyThing[];
}

const origin = 'https://survey.example';
const slowMs = 9_300;
const slowEndpoints = 40;

/** Calls at once, of the storm. */
const heavyThings = { recount: 20, export: 4, simulate: 8, recommendations: 8, erasure: 8, webhooks: 8 } as const;
type HeavyThing = keyof typeof heavyThings;

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly text: string;
}

const agent = new Agent({ connections: 256, headersTimeout: 60_000, bodyTimeout: 60_000 });

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await request(url, { method, dispatcher: agent, headers: { ...headers, ...type }, ...json });
  const text = await answer.body.text();
  return { status: answer.statusCode, retryAfterMs: Number(answer.headers['retry-after'] ?? 0) * 1_000, text };
}

/** Takes webhooks: at once below /fast, late below /slow. `ages`: from an event to its arrival, milliseconds. */
async function startReceiver() {
  const ages: number[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.url?.startsWith('/slow') === true) return void setTimeout(() => response.end('ok'), slowMs);
      const at = /"timestamp":"([^"]+)"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
      if (at !== undefined) ages.push(Date.now() - Date.parse(at));
      response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { ages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const keyOf = ({ organizationKey }: Tenant): Readonly<Record<string, string>> => ({ 'x-api-key': organizationKey });

/** The calls of the neighbour, in turns. */
function neighbourCalls({
  baseUrl,
  audienceUrl,
  neighbour,
}: Neighbourhood): readonly ((n: number) => Promise<Answer>)[] {
  const key = keyOf(neighbour);
  const { projectId, siteKey, studyId } = neighbour;
  return [
    (n) =>
      call(
        'POST',
        `${baseUrl}/lite/score`,
        { ...key, 'x-project-id': projectId },
        { ...(JSON.parse(scoreBodies.score(n)) as object), projectId },
      ),
    async (n) => {
      const opened = await call('POST', `${baseUrl}/public/sessions`, { origin }, { siteKey });
      if (opened.status !== 201) return opened;
      const session = JSON.parse(opened.text) as SessionReply;
      const headers = { origin, 'user-agent': deviceOnlyExample.device.ua.ua, 'x-client-secret': session.clientSecret };
      return call('POST', `${baseUrl}/public/verify`, headers, {
        ...deviceOnlyExample,
        behavior: { ...deviceOnlyExample.behavior, ms: deviceOnlyExample.behavior.ms + n + 1 },
        device: { ...deviceOnlyExample.device, ...scoreBodies.device(n) },
        sessionId: session.sessionId,
        nonce: session.challengeConfig.nonce,
      });
    },
    (n) => call('GET', `${audienceUrl}/enter/${studyId}?rid=visit-${n}&src=panel`, {}),
    () => call('GET', `${audienceUrl}/studies/${studyId}`, key),
    () => call('GET', `${baseUrl}/projects/${projectId}/webhooks`, key),
  ];
}

/** What the storm does without pause, by what it is. */
function stormCalls({
  baseUrl,
  audienceUrl,
  storm,
}: Neighbourhood): Readonly<Record<HeavyThing, (n: number) => Promise<Answer>>> {
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

interface Felt {
  readonly latencies: Float64Array;
  readonly ages: Float64Array;
  readonly failures: number;
}

interface Done {
  readonly perSecond: number;
  readonly failures: number;
}

/** An open loop: calls leave when they are due, whatever became of those before. */
async function live(
  target: Neighbourhood,
  ages: number[],
  { seconds, perSecond = 50 }: NeighboursOptions,
  from: number,
): Promise<Felt> {
  const calls = neighbourCalls(target);
  const latencies: number[] = [];
  let failures = 0;
  ages.length = 0;
  const startMs = performance.now();
  const pending: Promise<void>[] = [];
  for (let n = 0; n < seconds * perSecond; n += 1) {
    const dueMs = startMs + (n * 1_000) / perSecond;
    if (dueMs > performance.now()) await pause(dueMs - performance.now());
    const one = calls[n % calls.length]?.(from + n).catch(() => ({ status: 0, text: '' }));
    pending.push(
      Promise.resolve(one).then((answer) => {
        latencies.push(performance.now() - dueMs);
        if ((answer?.status ?? 0) >= 400 || answer?.status === 0) failures += 1;
      }),
    );
  }
  await Promise.all(pending);
  return { latencies: Float64Array.from(latencies).sort(), ages: Float64Array.from(ages).sort(), failures };
}

/** A closed loop of many callers that heed Retry-After, until `isOver`. */
async function rage(work: (n: number) => Promise<Answer>, callers: number, isOver: () => boolean): Promise<Done> {
  const startMs = performance.now();
  let [done, failures, n] = [0, 0, 0];
  const caller = async (): Promise<void> => {
    while (!isOver()) {
      const { status, retryAfterMs } = await work((n += 1)).catch(() => ({ status: 0, retryAfterMs: 0 }));
      if (status >= 200 && status < 300) done += 1;
      else if (status !== 429) failures += 1;
      if (status === 429) await pause(retryAfterMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { perSecond: (done * 1_000) / (performance.now() - startMs), failures };
}

export async function benchNeighbours(options: NeighboursOptions): Promise<BenchResult> {
  const secrets = { VH_MASTER_KEY: randomBytes(32).toString('base64'), VH_BOOTSTRAP: 'on' };
  if (options.embedded ?? findStack() === null) return run(options, secrets);
  return withStack((stack) => run(options, { ...secrets, ...stack }));
}

async function run(options: NeighboursOptions, environment: Readonly<Record<string, string>>): Promise<BenchResult> {
  const { seconds, places = 20_000, only = Object.keys(heavyThings) as HeavyThing[] } = options;
  const service = await serve<Neighbourhood>(new URL('./neighbours-server.js', import.meta.url), {
    ...environment,
    ...{ BENCH_PLACES: String(places), BENCH_SESSIONS: String(places * 5) },
  });
  const receiver = await startReceiver();
  const target = service.info;
  try {
    const register = (tenant: Tenant, path: string): Promise<Answer> =>
      call('POST', `${target.baseUrl}/projects/${tenant.projectId}/webhooks`, keyOf(tenant), {
        url: receiver.url + path,
      });
    await register(target.neighbour, '/fast');
    await Promise.all(Array.from({ length: slowEndpoints }, (_, n) => register(target.storm, `/slow/${n}`)));
    await live(target, receiver.ages, { ...options, seconds: 2 }, 0);
    const rows: Row[] = [];
    for (const [index, thing] of only.entries()) {
      const from = (index + 1) * 1_000_000;
      const work = stormCalls(target)[thing];
      const alone = await live(target, receiver.ages, options, from);
      let isOver = false;
      const storm = rage(work, heavyThings[thing], () => isOver);
      const felt = await live(target, receiver.ages, options, from + 500_000);
      isOver = true;
      const inStorm = await storm;
      const until = performance.now() + seconds * 1_000;
      const stormAlone = await rage(work, heavyThings[thing], () => performance.now() > until);
      rows.push({ thing, alone, felt, inStorm, stormAlone });
    }
    return report(rows);
  } finally {
    receiver.close();
    await service.stop();
  }
}

interface Row {
  readonly thing: HeavyThing;
  readonly alone: Felt;
  readonly felt: Felt;
  readonly inStorm: Done;
  readonly stormAlone: Done;
}

const round = (value: number): number => Math.round(value * 100) / 100;

function report(rows: readonly Row[]): BenchResult {
  const figures = rows.map(({ thing, alone, felt, inStorm, stormAlone }) => ({
    thing,
    p50: quantile(felt.latencies, 0.5),
    p99: quantile(felt.latencies, 0.99),
    p50Ratio: round(quantile(felt.latencies, 0.5) / quantile(alone.latencies, 0.5)),
    p99Ratio: round(quantile(felt.latencies, 0.99) / quantile(alone.latencies, 0.99)),
    webhookP99: quantile(felt.ages, 0.99),
    failures: felt.failures,
    alonePerSecond: stormAlone.perSecond,
    stormRatio: round(stormAlone.perSecond / inStorm.perSecond),
    stormFailures: inStorm.failures,
  }));
  return {
    table: markdownTable(
      [
        'storm of',
        'p50 ms',
        'ratio',
        'p99 ms',
        'ratio',
        'webhook p99 ms',
        'failed calls',
        'storm alone /s',
        'takes longer by',
      ],
      figures.map((row) => [
        ...[row.thing, row.p50.toFixed(1), String(row.p50Ratio), row.p99.toFixed(1), String(row.p99Ratio)],
        ...[row.webhookP99.toFixed(0), String(row.failures), row.alonePerSecond.toFixed(1), String(row.stormRatio)],
      ]),
    ),
    ratios: Object.fromEntries(
      figures.flatMap(({ thing, p50Ratio, p99Ratio, failures, stormRatio, stormFailures }) =>
        Object.entries({
          P50: p50Ratio,
          P99: p99Ratio,
          Failures: failures,
          Storm: stormRatio,
          StormFailures: stormFailures,
        }).map(([name, value]) => [thing + name, value]),
      ),
    ),
  };
}
