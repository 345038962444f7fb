/**
 * How far the recorder of receipts has counted them for the score mix (docs/adr/0017): a run of offsets for each partition of the log, moved in the
 * transaction that counts. The mix's own reader waits a little for the recorder and counts what is left: what an earlier version recorded, and
 * what the recorder could not count.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { FunctionCall } from '../../stores/database/call-functions.js';
import type { Database } from '../../stores/database/port.js';
import type { LogEntry } from '../../stores/log/port.js';

export interface Run {
  /** The first offset that is counted. */
  readonly from: number;
  /** One past the last. */
  readonly to: number;
}

export interface MixMarks {
  /** The entries, of one partition and in order, that the recorder has not counted, after waiting for it as long as it comes nearer. */
  leftOf(entries: readonly LogEntry[], signal: AbortSignal): Promise<readonly LogEntry[]>;
}

/** Nothing for entries that come from elsewhere than the log: who replays one counts it for himself. */
export function marking(entries: readonly LogEntry[]): readonly FunctionCall[] {
  const [first, last] = [entries[0]?.place, entries.at(-1)?.place];
  if (first === undefined || last?.stream !== first.stream) return [];
  return [{ name: 'mark_score_mix', values: [first.stream, first.offset, last.offset + 1] }];
}

/** The recorder takes what comes within tenths of a second; one that has not come nearer for so long does not count here, or stands. */
const patienceDefault = { ms: 1_000, msMax: 5_000 };

const lookEveryMs = 200;

/** Once `stopping` is aborted nobody is waited for. */
export function createMixMarks(database: Database, stopping: AbortSignal, patience = patienceDefault): MixMarks {
  /** By stream: where the recorder was waited for in vain. It is not waited for again until it moves. */
  const inVain = new Map<string, number>();

  const waitFor = async (stream: string, first: number, end: number, signal: AbortSignal): Promise<Run | null> => {
    const sinceMs = performance.now();
    let movedMs = sinceMs;
    let run = await readRun(database, stream);
    // A run that began later never comes to these.
    while ((run === null || run.from <= first) && (run?.to ?? 0) < end) {
      const nowMs = performance.now();
      const isOver = nowMs - movedMs >= patience.ms || nowMs - sinceMs >= patience.msMax;
      if (isOver) inVain.set(stream, run?.to ?? 0);
      if (isOver || stopping.aborted || signal.aborted || inVain.get(stream) === (run?.to ?? 0)) break;
      await pause(lookEveryMs, undefined, { signal: stopping }).catch(() => undefined);
      const before = run?.to ?? 0;
      run = await readRun(database, stream);
      if (run !== null && run.to !== before) movedMs = performance.now();
    }
    return run;
  };

  return {
    async leftOf(entries, signal) {
      const [first, last] = [entries[0]?.place, entries.at(-1)?.place];
      if (first === undefined || last === undefined) return entries;
      const run = await waitFor(first.stream, first.offset, last.offset + 1, signal);
      return run === null ? entries : entries.filter(({ place }) => !isIn(run, place));
    },
  };
}

const isIn = ({ from, to }: Run, place: LogEntry['place']): boolean =>
  place !== undefined && place.offset >= from && place.offset < to;

async function readRun(database: Database, stream: string): Promise<Run | null> {
  const [run] = await database.query<{ from: number; to: number }>(
    'SELECT from_offset AS "from", to_offset AS "to" FROM score_mix_marks WHERE stream = $1',
    [stream],
    { recurring: true },
  );
  return run ?? null;
}
