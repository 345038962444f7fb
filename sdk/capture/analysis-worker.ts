/**
 * The page’s end of the worker: starts it from a file that was held against its hash, hands it frames, and waits for each answer with a
 * deadline. Rejects with `LookError` when models or worker fail, and ends the worker then; after `close` nothing is answered.
 */
import { modelFiles, workerKey } from './model-files.js';
import type { FromWorker, ToWorker } from './protocol.js';
import type { FrameAnalysis, Summary } from './frame-analysis.js';
import { trust } from '../lite/trusted.js';
import type { LoadedBytes, ModelsRequest } from '../widget/ports.js';

export class AnalysisError extends Error {}

export interface AnalysisWorker {
  /** Resolves when frames can be looked at. */
  readonly ready: Promise<void>;
  hasFailed(): boolean;
  /** Calls back with how much has arrived, now and until it is ready. */
  watchLoading(onBytes: (bytes: LoadedBytes) => void): void;
  analyze(bitmap: ImageBitmap): Promise<FrameAnalysis>;
  conclude(): Promise<Summary>;
  close(): void;
}

/** Deadlines, ms: of loading everything, of one frame, and of the summary, which waits for the models that load last. */
const deadlines = { load: 90_000, analyze: 15_000, conclude: 90_000 } as const;

interface Settle {
  readonly resolve: (answer: FromWorker) => void;
  readonly reject: (error: AnalysisError) => void;
}

type AnswerOf<T extends FromWorker['type']> = Extract<FromWorker, { readonly type: T }>;

export function startAnalysisWorker({ baseUrl, demographics, takesPictures }: ModelsRequest): AnalysisWorker {
  const base = new URL(baseUrl, location.href).href;
  const stop = new AbortController();
  let arrived: LoadedBytes | null = null;
  let onBytes: ((bytes: LoadedBytes) => void) | null = null;
  let worker: Worker | null = null;
  let failure: AnalysisError | null = null;
  let settle: Settle | null = null;

  function fail(message: string): void {
    failure ??= new AnalysisError(message);
    stop.abort();
    worker?.terminate();
    worker = null;
    settle?.reject(failure);
    settle = null;
  }

  async function ask<T extends FromWorker['type']>(
    message: ToWorker,
    type: T,
    deadlineMs: number,
    transfer: Transferable[] = [],
  ): Promise<AnswerOf<T>> {
    if (failure !== null) throw failure;
    const timer = setTimeout(() => fail(`the worker did not answer ${message.type} in ${deadlineMs} ms`), deadlineMs);
    try {
      const answer = await new Promise<FromWorker>((resolve, reject) => {
        settle = { resolve, reject };
        worker?.postMessage(message, transfer);
      });
      if (answer.type !== type) throw new AnalysisError(`the worker answered ${message.type} with ${answer.type}`);
      return answer as AnswerOf<T>;
    } finally {
      clearTimeout(timer);
    }
  }

  async function start(): Promise<void> {
    try {
      worker = await openWorker(base, stop);
    } catch (error) {
      fail(String(error));
      throw failure ?? error;
    }
    worker.onerror = (event) => fail(`the worker stopped: ${event.message || 'no reason given'}`);
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'failed') fail(data.message);
      else if (data.type === 'progress') {
        arrived = data;
        onBytes?.(data);
      } else settle?.resolve(data);
    };
    await ask({ type: 'load', baseUrl: base, files: modelFiles, demographics, takesPictures }, 'ready', deadlines.load);
    onBytes = null;
  }

  const ready = start();
  // Whoever does not come to wait for it hears of the failure from the next question.
  ready.catch(() => undefined);
  return {
    ready,
    hasFailed: () => failure !== null,
    watchLoading(watch) {
      onBytes = watch;
      if (arrived !== null) watch(arrived);
    },
    analyze: async (bitmap) =>
      (await ask({ type: 'analyze', bitmap }, 'analyzed', deadlines.analyze, [bitmap])).analysis,
    conclude: async () => (await ask({ type: 'conclude' }, 'concluded', deadlines.conclude)).summary,
    close: () => fail('closed'),
  };
}

async function openWorker(base: string, stop: AbortController): Promise<Worker> {
  const timer = setTimeout(() => stop.abort(), deadlines.load);
  const url = URL.createObjectURL(await fetchWorker(base, stop.signal));
  clearTimeout(timer);
  const worker = new Worker(trusted(url));
  URL.revokeObjectURL(url);
  return worker;
}

/** A page that allows no policy may still allow the worker. */
function trusted(url: string): string {
  try {
    return trust('createScriptURL', url);
  } catch {
    return url;
  }
}

async function fetchWorker(base: string, signal: AbortSignal): Promise<Blob> {
  const file = modelFiles[workerKey];
  if (file === undefined) throw new AnalysisError('this bundle was built without a worker');
  const response = await fetch(base + file.name, { signal, credentials: 'omit' });
  if (!response.ok) throw new AnalysisError(`${file.name} was answered with ${response.status}`);
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  if (btoa(String.fromCharCode(...digest)) !== file.sha256)
    throw new AnalysisError(`${file.name} is not the file that this bundle was built with`);
  return new Blob([bytes], { type: 'text/javascript' });
}
