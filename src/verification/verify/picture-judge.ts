/**
 * Threads that judge pictures of captures with the models of the browser SDK. They start with the first picture and end when none has come for a
 * while, so that a service whose projects ask for no pictures holds no model. Every call settles: with what was found, or with OVERLOADED where
 * too many wait, the deadline passed or a thread died. Nobody passes because nobody looked.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import type { PictureFindings, PictureTask } from '../../contract/evidence-frames.js';
import { overloaded } from '../../errors.js';
import { packageRoot } from '../../package-root.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface PictureJudgeOptions {
  readonly threads: number;
  readonly metrics: Pick<Metrics, 'pictureJudgements'>;
  /** Captures that wait for a thread. Default 8 for each. */
  readonly queueMax?: number;
  /** Waiting included. Default 10 s, less than a page waits for an answer; where a thread starts, the models take some of it. */
  readonly deadlineMs?: number;
  /** The thread’s file, as scripts/build-sdk.mjs makes it. */
  readonly entry?: string;
}

export interface PictureJudge {
  judge(pictures: PictureTask['pictures']): Promise<PictureFindings>;
  close(): Promise<void>;
}

const defaults = { queuePerThread: 8, deadlineMs: 10_000, idleMs: 600_000 } as const;
const directory = join(packageRoot, 'dist/sdk/v1/models');

export function createPictureJudge(options: PictureJudgeOptions): PictureJudge {
  const { threads, metrics, deadlineMs = defaults.deadlineMs } = options;
  const { queueMax = threads * defaults.queuePerThread } = options;
  const entry = options.entry ?? join(packageRoot, 'dist/workers/judge-pictures.js');
  let underWay = 0;
  let piscina: Piscina<PictureTask, PictureFindings> | null = null;

  /** Piscina starts threads of its own accord once there is one: not before there is work. */
  const open = (): Piscina<PictureTask, PictureFindings> =>
    (piscina ??= new Piscina({
      filename: entry,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: defaults.idleMs,
      atomics: 'disabled',
      recordTiming: false,
    }));

  return {
    async judge(pictures) {
      if (!existsSync(entry)) throw new Error(`${entry} is not there: run npm run build`);
      underWay += 1;
      try {
        if (underWay > threads + queueMax) throw new Error('the queue is full');
        const findings = await open().run({ directory, pictures }, { signal: AbortSignal.timeout(deadlineMs) });
        metrics.pictureJudgements.inc({ result: 'judged' });
        return findings;
      } catch (error) {
        metrics.pictureJudgements.inc({ result: 'refused' });
        throw overloaded('pictures could not be judged', error);
      } finally {
        underWay -= 1;
      }
    },
    async close() {
      await piscina?.destroy();
    },
  };
}
