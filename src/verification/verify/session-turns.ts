/** Pictures of one session are judged one envelope at a time, and a few times in all: a session ends with its first verdict. */
import { overloaded } from '../../errors.js';

/** A verdict that could not be recorded is made again. */
const turnsMax = 4;
const sessionsMax = 10_000;

export type SessionTurns = ReturnType<typeof createSessionTurns>;

export function createSessionTurns() {
  const underWay = new Set<string>();
  /** The turns of recently judged sessions. */
  const turns = new Map<string, number>();
  return {
    /** null after the last turn. Throws OVERLOADED while another envelope of the session is judged; a job that throws takes no turn. */
    async run<T>(sessionId: string, job: () => Promise<T>): Promise<T | null> {
      if (underWay.has(sessionId)) throw overloaded('pictures of this session are being judged');
      const count = turns.get(sessionId) ?? 0;
      if (count >= turnsMax) return null;
      underWay.add(sessionId);
      try {
        const done = await job();
        const [oldest] = turns.size < sessionsMax ? [] : turns.keys();
        if (oldest !== undefined) turns.delete(oldest);
        turns.set(sessionId, count + 1);
        return done;
      } finally {
        underWay.delete(sessionId);
      }
    },
  };
}
