/**
 * Pictures of one session are judged one envelope at a time, and a few times in all: a session ends with its first verdict. Verdicts that could not
 * be recorded (a store away, a quota used up) are no fault of the respondent: after the last turn the session is refused and stays open, never failed.
 */
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
    /** Throws OVERLOADED while another envelope of the session is judged, and after the last turn; a job that throws takes no turn. */
    async run<T>(sessionId: string, job: () => Promise<T>): Promise<T> {
      if (underWay.has(sessionId)) throw overloaded('pictures of this session are being judged');
      const count = turns.get(sessionId) ?? 0;
      if (count >= turnsMax) throw overloaded('pictures of this session were judged as often as they may be');
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
