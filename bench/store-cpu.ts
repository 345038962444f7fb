/**
 * CPU time of the stores' processes on this machine, as the kernel counts it. For PostgreSQL, only backends of one database count. Redis
 * and Kafka do not separate clients, so other use of them counts too.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Names of the processes; Kafka runs in the only JVM. */
const storeOf = { postgres: 'postgres', 'redis-server': 'redis', java: 'kafka' } as const;
type Store = (typeof storeOf)[keyof typeof storeOf];
/** Ticks a second in /proc/PID/stat on Linux. */
const ticksPerSecond = 100;

type Usage = ReadonlyMap<string, { readonly store: Store; readonly microseconds: number }>;

/** Starts a count. The returned function gives the CPU microseconds of each store since then. Processes that ended meanwhile do not count. */
export function countStoresCpu(database: string): () => Readonly<Record<Store, number>> {
  const before = readUsage(database);
  return () => {
    const sum: Record<Store, number> = { postgres: 0, redis: 0, kafka: 0 };
    for (const [pid, { store, microseconds }] of readUsage(database))
      sum[store] += microseconds - (before.get(pid)?.microseconds ?? 0);
    return sum;
  };
}

function readUsage(database: string): Usage {
  const usage = new Map<string, { store: Store; microseconds: number }>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(pid, 'stat');
    const store = storeOf[(/\((.*)\)/.exec(stat)?.[1] ?? '') as keyof typeof storeOf];
    if (store === undefined || (store === 'postgres' && !read(pid, 'cmdline').includes(database))) continue;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    usage.set(pid, { store, microseconds: (ticks * 1_000_000) / ticksPerSecond });
  }
  return usage;
}

/** Empty where the process has just ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
