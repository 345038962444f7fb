/**
 * Bench of webhooks on the running stack: deliveries confirmed by a receiver in another process, from the commit of the event through
 * outbox, log, fan-out and sender. The baseline is a bare undici loop that POSTs the same bodies to the same receiver in the same run.
 * In the second round a tenth of the endpoints hangs. In the last (optional) one, many due retries to other endpoints wait in the table.
 * Uses a separate database and topics, dropped at the end.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import type { BenchResult } from './bench-result.js';
import type { Database } from '../src/stores/database/port.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import { openKafkaLog } from '../src/stores/log/kafka/log.js';
import { createOutbox, type Outbox } from '../src/stores/outbox/outbox.js';
import { createLogger } from '../src/telemetry/logger.js';
import { createMetrics } from '../src/telemetry/metrics.js';
import { payloadOf } from '../src/webhooks/payload.js';
import { makeProject, makeWebhook, startTestDeliveries } from '../test/helpers/deliveries.js';
import { verificationEvent } from '../test/helpers/session-events.js';
import { createDatabase, findStack } from '../test/helpers/stores.js';

export interface WebhooksBenchOptions {
  /** Length of the paced load that latency is measured under. */
  readonly seconds: number;
  readonly deliveries?: number;
  /** Due retries of the last round; 0: no such round. */
  readonly due?: number;
}

const endpoints = 20;
const perCommit = 50;
const waitMsMax = 30_000;
const fillDeadlineMs = 600_000;

interface Figures {
  readonly count: number;
  readonly latenciesMs: readonly number[];
}

export async function benchWebhooks({
  seconds,
  deliveries = 5_000,
  due = 0,
}: WebhooksBenchOptions): Promise<BenchResult> {
  const closers: (() => unknown)[] = [];
  const t = {
    teardown: (close: () => Promise<void>) => closers.push(close),
    comment: console.error,
    fail: console.error,
  };
  const stack = findStack(t as never, 'the bench of webhooks');
  if (stack === null) throw new Error('The stack does not run: npm run stack -- start');
  const receiver = fork(new URL('./webhook-receiver.js', import.meta.url));
  closers.push(() => receiver.kill());
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    const logger = createLogger('silent');
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 10, deadlineMs: 10_000 });
    closers.push(() => database.close());
    const brokers = [stack.kafkaBrokers];
    const log = await openKafkaLog({ brokers, clientId: 'bench', logger, prefix: `bench-${randomUUID()}.` });
    closers.push(() => log.close());
    const running = await startTestDeliveries({ database, log }, { timeoutMs: 10_000 });
    closers.push(() => running.stop());
    const outbox = createOutbox({ database, log, logger, metrics: createMetrics() });
    return await measure({ database, outbox, url: `http://127.0.0.1:${port}` }, { seconds, deliveries, due });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface Parts {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly url: string;
}

async function measure(
  parts: Parts,
  { seconds, deliveries, due }: Required<WebhooksBenchOptions>,
): Promise<BenchResult> {
  await deliver(parts, { hooks: 2, hanging: 0, deliveries: 200, perSecond: Infinity });
  const barePerSecond = await postBare(parts.url, deliveries);
  const all = await deliver(parts, { hooks: endpoints, hanging: 0, deliveries, perSecond: Infinity });
  const one = await deliver(parts, { hooks: 1, hanging: 0, deliveries: deliveries / 4, perSecond: Infinity });
  const half = all.perSecond / 2;
  const paced = { hooks: endpoints, deliveries: half * seconds, perSecond: half };
  const calm = await deliver(parts, { ...paced, hanging: 0 });
  const beset = await deliver(parts, { ...paced, hanging: endpoints / 10 });
  if (due > 0) await pileUpRetries(parts, due);
  const loaded =
    due > 0 ? await deliver(parts, { hooks: endpoints, hanging: 0, deliveries, perSecond: Infinity }) : all;
  const pacedLoaded = due > 0 ? await deliver(parts, { ...paced, hanging: 0 }) : calm;
  const ratios = {
    deliveriesPerSecond: Math.round(all.perSecond),
    toOnePerSecond: Math.round(one.perSecond),
    barePerSecond: Math.round(barePerSecond),
    toBare: Math.round((all.perSecond / barePerSecond) * 1_000) / 1_000,
    p50Ms: calm.p50Ms,
    p99Ms: calm.p99Ms,
    p99MsWithHanging: beset.p99Ms,
    ...(due === 0
      ? {}
      : {
          dueRetries: due,
          perSecondWithDue: Math.round(loaded.perSecond),
          p50MsWithDue: pacedLoaded.p50Ms,
          p99MsWithDue: pacedLoaded.p99Ms,
        }),
    missing: [all, one, calm, beset, loaded, pacedLoaded].reduce((sum, { missing }) => sum + missing, 0),
  };
  return {
    table: Object.entries(ratios)
      .map(([name, value]) => `${name.padEnd(24)}${value}`)
      .join('\n'),
    ratios,
  };
}

interface Load {
  readonly hooks: number;
  readonly hanging: number;
  /** To endpoints that answer, and to those that hang as many each. */
  readonly deliveries: number;
  readonly perSecond: number;
}

async function deliver({ database, outbox, url }: Parts, { hooks, hanging, deliveries, perSecond }: Load) {
  const owner = await makeProject(database);
  for (let n = 0; n < hooks; n++) await makeWebhook(database, owner, n < hanging ? `${url}/hangs` : `${url}/${n}`);
  await figuresOf(url);
  const events = Math.max(1, Math.round(deliveries / hooks));
  const wanted = events * (hooks - hanging);
  const startedMs = performance.now();
  const lot = perSecond === Infinity ? perCommit : Math.max(1, Math.round(perSecond / hooks / 20));
  for (let sent = 0; sent < events; sent += lot) {
    const batch = Array.from({ length: Math.min(lot, events - sent) }, () => verificationEvent(owner));
    await database.transaction((tx) => outbox.write(tx, batch));
    void outbox.publish(batch);
    const aheadMs = ((sent + lot) * hooks * 1_000) / perSecond - (performance.now() - startedMs);
    if (aheadMs > 0) await pause(aheadMs);
  }
  let count = 0;
  const latenciesMs: number[] = [];
  while (count < wanted && performance.now() - startedMs < waitMsMax) {
    const figures = await figuresOf(url);
    count += figures.count;
    latenciesMs.push(...figures.latenciesMs);
    if (count < wanted) await pause(20);
  }
  const tookMs = performance.now() - startedMs;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
  return { perSecond: (count * 1_000) / tookMs, p50Ms: at(0.5), p99Ms: at(0.99), missing: Math.max(0, wanted - count) };
}

/** Retries that are due, of one event, to as many endpoints of another project; the receiver answers them and does not count them. */
async function pileUpRetries({ database, url }: Parts, due: number): Promise<void> {
  const owner = await makeProject(database);
  const event = verificationEvent(owner);
  await database.query(
    'INSERT INTO webhook_events (event_id, organization_id, project_id, session_id, body) VALUES ($1, $2, $3, $4, $5)',
    [event.eventId, owner.organizationId, owner.projectId, event.sessionId, JSON.stringify(event)],
  );
  for (let n = 0; n < endpoints; n++) {
    await database.query(
      `INSERT INTO deliveries (webhook_id, delivery_id, organization_id, event_id, event_type, session_id, attempt, lane, due_at)
       SELECT $1, 'due-' || n, $2, $3, $4, $5, 2, 'retry', now() - n * interval '1 millisecond' FROM generate_series(1, $6::int) AS n`,
      [
        await makeWebhook(database, owner, `${url}/retries/${n}`),
        owner.organizationId,
        event.eventId,
        event.type,
        event.sessionId,
        Math.ceil(due / endpoints),
      ],
      { deadlineMs: fillDeadlineMs },
    );
  }
  await database.query('ANALYZE deliveries', [], { deadlineMs: fillDeadlineMs });
}

const figuresOf = async (url: string): Promise<Figures> => (await (await fetch(`${url}/figures`)).json()) as Figures;

/** Sends as many requests at once as the sender has at most. */
async function postBare(url: string, count: number): Promise<number> {
  const agent = new Agent();
  const body = JSON.stringify(payloadOf(verificationEvent({ organizationId: 'org_1', projectId: 'proj_1' }), 'v2'));
  const headers = { 'content-type': 'application/json' };
  let sent = 0;
  const startedMs = performance.now();
  const loop = async (): Promise<void> => {
    while (sent++ < count) {
      const answer = await agent.request({ origin: url, path: '/bare', method: 'POST', body, headers });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 256 }, loop));
  const perSecond = (count * 1_000) / (performance.now() - startedMs);
  await agent.close();
  return perSecond;
}
