/**
 * A server under load in a process of its own, so that its CPU time and wake-ups, all threads counted, can be read from the kernel.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { watchMessages, type MainThread } from './main-thread.js';

export interface Served<T> {
  readonly info: T;
  /** CPU time used so far by all threads, user and system, in microseconds. */
  cpuMicroseconds(): number;
  /** How often any of its threads went to sleep so far (voluntary context switches), each a wake-up later. */
  wakeUps(): number;
  /** Memory that it holds. */
  rssBytes(): number;
  /** Most memory that it ever held at once. */
  rssPeakBytes(): number;
  /** Watches the main thread until the returned function is called. */
  watch(withDelay: boolean): () => Promise<MainThread>;
  stop(): Promise<void>;
}

const stopDeadlineMs = 10_000;
/** Ticks a second in /proc/PID/stat on Linux. */
const ticksPerSecond = 100;

const watcher = new URL('./main-thread.js', import.meta.url).href;

/** How `npm start` has the allocator keep memory. */
export const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/** Forks `entry`, which sends one message once it listens. */
export async function serve<T>(entry: URL, environment: Readonly<Record<string, string>> = {}): Promise<Served<T>> {
  const child: ChildProcess = fork(entry, {
    env: { PATH: process.env['PATH'] ?? '', ...allocator, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, '--import', watcher],
  });
  const failed = once(child, 'exit').then(() =>
    Promise.reject(new Error(`${entry.pathname} exited before it listened`)),
  );
  const [info] = (await Promise.race([once(child, 'message'), failed])) as [T];
  failed.catch(() => undefined);
  const read = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  return {
    info,
    cpuMicroseconds() {
      const fields = read('stat').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
    },
    wakeUps: () =>
      readdirSync(`/proc/${child.pid}/task`).reduce(
        (sum, thread) => sum + (numberOf(read(`task/${thread}/status`), /^voluntary_ctxt_switches:\s+(\d+)/m) ?? 0),
        0,
      ),
    rssBytes: () => (numberOf(read('status'), /VmRSS:\s+(\d+)/) ?? 0) * 1_024,
    rssPeakBytes: () => (numberOf(read('status'), /VmHWM:\s+(\d+)/) ?? 0) * 1_024,
    watch(withDelay) {
      child.send(withDelay ? watchMessages.beginDelay : watchMessages.begin);
      return async () => {
        child.send(watchMessages.end);
        return ((await once(child, 'message')) as [MainThread])[0];
      };
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      // Its remaining work may be long, and is of no interest here.
      const timer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function numberOf(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
