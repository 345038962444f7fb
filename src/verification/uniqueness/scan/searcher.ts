/**
 * The main thread’s side of the search threads: a bounded queue, a deadline, and another thread where one ends.
 *
 * Every search settles: with what was found, or with OVERLOADED where too many wait, the deadline passed or the thread died. A gallery is sent
 * to each thread once; from then on the thread sees whatever is written, until the gallery is closed.
 */
import { Worker } from 'node:worker_threads';
import { Fault } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import type { EncodedTemplate } from './encoder.js';
import type { Gallery } from './gallery.js';
import { threadIsReady, type OpenGallery, type SearchMessage, type ThreadMessage, type Found } from './search.js';

export interface SearcherOptions {
  /** 1 to 8. */
  readonly threads: number;
  /** Most searches at once, waiting ones included. */
  readonly searchesMax: number;
  readonly deadlineMs: number;
  /** Added to the deadline while a thread is still loading, on a machine that is busy starting. Default 10 s. */
  readonly loadMsMax?: number;
  readonly logger: Logger;
}

export interface SearchQuery {
  readonly cells: readonly string[];
  readonly template: EncodedTemplate;
  /** Least likeness that is found. */
  readonly likenessMin: number;
  /** From here on no more than one in a thousand is missed. */
  readonly likenessSure: number;
  readonly sinceSeconds: number;
  readonly bestMax: number;
}

export interface Searcher {
  search(gallery: Gallery, query: SearchQuery): Promise<Found>;
  /** Lets go of the memory of a gallery that is searched no more; a search of it that comes late is OVERLOADED. */
  closeGallery(gallery: Gallery): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (found: Found) => void;
  readonly reject: (fault: Fault) => void;
  readonly timer: NodeJS.Timeout;
}

interface SearchThread {
  readonly worker: Worker;
  /** It has loaded; a search that is given to it before waits for that too. */
  isReady: boolean;
  readonly waiting: Map<number, Waiting>;
}

/** Bits are lost to chance with about this many standard deviations to spare. */
const bitsSpare = 3.1;
/** Signed bytes move a likeness by less than this. */
const byteError = 0.01;
const loadMsDefault = 10_000;
const entry = new URL('./search-thread.js', import.meta.url);

/** How far two codes of `codeBits` may differ when their templates are alike by `likeness` or more. */
export function bitsFor(likeness: number, codeBits: number): number {
  const share = Math.acos(Math.min(1, Math.max(-1, likeness))) / Math.PI;
  return Math.ceil(codeBits * share + bitsSpare * Math.sqrt(codeBits * share * (1 - share)));
}

export function createSearcher(options: SearcherOptions): Searcher {
  const { threads: count, searchesMax, deadlineMs, loadMsMax = loadMsDefault, logger } = options;
  const threads: SearchThread[] = [];
  const galleries = createOpenGalleries((message) => threads.forEach(({ worker }) => worker.postMessage(message)));
  let lastId = 0;
  let isClosing = false;

  function start(index: number): void {
    const worker = new Worker(entry);
    const thread: SearchThread = { worker, isReady: false, waiting: new Map() };
    threads[index] = thread;
    for (const gallery of galleries.list()) thread.worker.postMessage(gallery);
    thread.worker.on('message', (message: ThreadMessage) => {
      if (message === threadIsReady) thread.isReady = true;
      else take(thread, message.id)?.resolve({ recent: message.recent, earlier: message.earlier });
    });
    thread.worker.on('error', (error) => logger.error({ err: error }, 'a face search thread exited; starting another'));
    thread.worker.on('exit', () => {
      for (const id of [...thread.waiting.keys()]) take(thread, id)?.reject(overloaded('the search thread ended'));
      if (!isClosing) start(index);
    });
    thread.worker.unref();
  }

  for (let index = 0; index < count; index += 1) start(index);
  return {
    search(gallery, { cells, template, likenessMin, likenessSure, sinceSeconds, bestMax }) {
      if (galleries.isClosed(gallery)) return Promise.reject(overloaded('the gallery was replaced'));
      const heads = gallery.headsOf(cells);
      if (heads.length === 0) return Promise.resolve({ recent: [], earlier: [] });
      const thread = threads.reduce((least, other) => (other.waiting.size < least.waiting.size ? other : least));
      const waiting = threads.reduce((sum, other) => sum + other.waiting.size, 0);
      if (isClosing || waiting >= searchesMax) return Promise.reject(overloaded('too many searches wait'));
      const id = (lastId += 1);
      const message: SearchMessage = {
        ...template,
        kind: 'search',
        id,
        gallery: galleries.open(gallery),
        heads,
        bitsMax: bitsFor(likenessSure, gallery.layout.codeBits),
        likenessMin: likenessMin - byteError,
        sinceSeconds,
        bestMax,
      };
      return new Promise((resolve, reject) => {
        const waitMs = thread.isReady ? deadlineMs : deadlineMs + loadMsMax;
        const timer = setTimeout(() => take(thread, id)?.reject(overloaded('a search took too long')), waitMs);
        thread.waiting.set(id, { resolve, reject, timer });
        thread.worker.postMessage(message);
      });
    },
    closeGallery: galleries.close,
    async close() {
      isClosing = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The galleries that were sent to the threads. */
function createOpenGalleries(send: (message: SearchMessage) => void) {
  const opened = new Map<Gallery, OpenGallery>();
  const closed = new WeakSet<Gallery>();
  let last = 0;
  return {
    list: () => opened.values(),
    isClosed: (gallery: Gallery): boolean => closed.has(gallery),
    /** The number that the threads know it by. */
    open(gallery: Gallery): number {
      const known = opened.get(gallery);
      if (known !== undefined) return known.gallery;
      const message: OpenGallery = { kind: 'open', gallery: (last += 1), space: gallery.space };
      opened.set(gallery, message);
      send(message);
      return message.gallery;
    },
    close(gallery: Gallery): void {
      closed.add(gallery);
      const known = opened.get(gallery);
      opened.delete(gallery);
      if (known !== undefined) send({ kind: 'close', gallery: known.gallery });
    },
  };
}

function take({ waiting }: SearchThread, id: number): Waiting | undefined {
  const found = waiting.get(id);
  clearTimeout(found?.timer);
  waiting.delete(id);
  return found;
}

const overloaded = (internal: string): Fault =>
  new Fault('OVERLOADED', 'Face matching is at capacity. Retry later.', {
    headers: { 'retry-after': '1' },
    internal,
  });
