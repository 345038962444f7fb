/** Measures the free bytes of the data directory while a process writes to it. While they cannot be read, the last figure stays. */
import { statfs } from 'node:fs/promises';
import { type Rounds, startRounds } from './rounds.js';

const everyMs = 15_000;

export function watchDiskSpace(directory: string, onFree: (bytes: number) => void): Pick<Rounds, 'stop'> {
  const measure = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(directory);
    onFree(bavail * bsize);
  };
  return startRounds({ everyMs, firstMs: 0, work: measure });
}
