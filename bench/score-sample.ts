/** Replies and records of the service for a session without a probe, and for one with a probe. The baselines move as many bytes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ScoreReply } from '../src/contract/score.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { openPostgres } from '../src/stores/database/postgres/open.js';
import { scoreBodies } from './score-bodies.js';
import type { StackEnvironment } from './stack.js';

export interface ScoreSample {
  readonly reply: ScoreReply;
  /** 0 on embedded stores. */
  readonly recordBytes: number;
}

export type ScoreSamples = Readonly<Record<'plain' | 'probed', ScoreSample>>;

/** Sessions that no round scores. */
const sessions = { plain: 1e9, probed: 1e9 + 2 } as const;
const pollMs = 50;

export async function sampleScores(service: Bootstrap, stack: StackEnvironment | null): Promise<ScoreSamples> {
  const { baseUrl, projectKey, probeKey } = service;
  await post(`${baseUrl}/public/lite/probe`, scoreBodies.probe(sessions.probed, probeKey), {});
  const sample = async (n: number): Promise<ScoreSample> => {
    const reply = (await post(`${baseUrl}/lite/score`, scoreBodies.score(n), {
      'x-api-key': projectKey,
    })) as ScoreReply;
    return { reply, recordBytes: stack === null ? 0 : await recordBytesOf(stack, reply.receiptId) };
  };
  return { plain: await sample(sessions.plain), probed: await sample(sessions.probed) };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** Once the consumers have recorded the receipt. */
async function recordBytesOf({ DATABASE_URL: url }: StackEnvironment, receiptId: string): Promise<number> {
  const database = await openPostgres({ url, poolMax: 1, deadlineMs: 10_000 });
  try {
    for (;;) {
      const [row] = await database.query<{ bytes: number }>(
        'SELECT octet_length(record) AS bytes FROM receipts WHERE receipt_id = $1',
        [receiptId],
      );
      if (row !== undefined) return row.bytes;
      await pause(pollMs);
    }
  } finally {
    await database.close();
  }
}
