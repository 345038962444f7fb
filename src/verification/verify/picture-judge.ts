/**
 * Threads that judge pictures of captures with the models of the browser SDK. They start with the first picture and end when none has come for a
 * while, so that a service whose projects ask for no pictures holds no model. Organizations take turns, and captures of one wait in a queue of
 * their own; those of respondents whom a backend or a link named in another, which strangers cannot fill. Every call settles: with what was found, or with OVERLOADED where too many wait, the deadline passed or a thread died. Nobody
 * passes because nobody looked. A capture begins with enough time left to end: one that the deadline interrupts ends its thread, and the next
 * captures wait for another to start.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { PictureFindings, PictureTask, PictureThread } from '../../contract/evidence-frames.js';
import { overloaded } from '../../errors.js';
import { createFairLimiter } from '../../fair-limiter.js';
import { packageRoot } from '../../package-root.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface PictureJudgeOptions {
  readonly threads: number;
  readonly metrics: Pick<Metrics, 'pictureJudgements' | 'noteShare'>;
  /** Captures of one queue that wait for a thread. Default 8 for each. */
  readonly queueMax?: number;
  /** Waiting included, which takes at most 0.7 of it. Default 10 s, less than a page waits for an answer. A thread that is still starting goes on starting. */
  readonly deadlineMs?: number;
  /** The thread’s file, as scripts/build-sdk.mjs makes it. */
  readonly entry?: string;
}

export interface PictureJudge {
  judge(
    session: { readonly organizationId: string; readonly respondentTrusted: boolean },
    pictures: PictureTask['pictures'],
  ): Promise<PictureFindings>;
  close(): Promise<void>;
}

const defaults = { queuePerThread: 8, deadlineMs: 10_000, idleMs: 600_000 } as const;
const waitShareMax = 0.7;
/** Ends the name of the queue of named respondents. */
const ofNamed = ' named';
const thread: PictureThread = { directory: join(packageRoot, 'dist/sdk/v1/models') };

export function createPictureJudge(options: PictureJudgeOptions): PictureJudge {
  const { threads, metrics, deadlineMs = defaults.deadlineMs } = options;
  const { queueMax = threads * defaults.queuePerThread } = options;
  const entry = options.entry ?? join(packageRoot, 'dist/workers/judge-pictures.js');
  /** Alone, an organization holds half of the places: as many as there are threads. */
  const turns = createFairLimiter({
    ...{ operation: 'pictures', places: threads * 2 },
    observer: (use) => metrics.noteShare({ ...use, organizationId: use.organizationId.replace(ofNamed, '') }),
  });
  const underWay = new Map<string, number>();
  let piscina: Piscina<PictureTask, PictureFindings> | null = null;

  /** Piscina starts threads of its own accord once there is one: not before there is work. */
  const open = (): Piscina<PictureTask, PictureFindings> =>
    (piscina ??= new Piscina({
      filename: entry,
      workerData: thread,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: defaults.idleMs,
      atomics: 'disabled',
      recordTiming: false,
    }));

  return {
    async judge({ organizationId, respondentTrusted }, pictures) {
      if (!existsSync(entry)) throw new Error(`${entry} is not there: run npm run build`);
      const queue = respondentTrusted ? organizationId + ofNamed : organizationId;
      const count = underWay.get(queue) ?? 0;
      underWay.set(queue, count + 1);
      try {
        if (count >= threads + queueMax) throw new Error('the queue is full');
        const signal = AbortSignal.timeout(deadlineMs);
        const release = await turns.acquire(queue, AbortSignal.timeout(deadlineMs * waitShareMax));
        const findings = await open().run({ pictures }, { signal }).finally(release);
        metrics.pictureJudgements.inc({ result: 'judged' });
        return findings;
      } catch (error) {
        metrics.pictureJudgements.inc({ result: 'refused' });
        throw overloaded('pictures could not be judged', error);
      } finally {
        const left = (underWay.get(queue) ?? 1) - 1;
        if (left === 0) underWay.delete(queue);
        else underWay.set(queue, left);
      }
    },
    async close() {
      await piscina?.destroy();
    },
  };
}
