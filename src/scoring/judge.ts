/**
 * Judges a score: in the pool where a batch of scores goes there or where it is large, and where it is gathered otherwise. What is decided is
 * the same in both places.
 */
import type { ScoreFacts } from '../contract/facts.js';
import type { PoolResults } from '../contract/pool.js';
import type { Pool } from '../pool/pool.js';
import { assembleFacts } from '../record/assemble-facts.js';
import type { Counted, ScoreBase } from '../record/types.js';

/** Facts of more than this are many pages of the probe, or many sessions to be compared with: judging them would hold up everybody else’s calls. */
const hereBytesMax = 8_192;

export interface Judged {
  readonly base: ScoreBase;
  /** null where the counters did not answer. */
  readonly counted: Counted | null;
  /** The two, packed. */
  readonly facts: Uint8Array;
  /** Whether the reply is that of an earlier call. */
  readonly replayed: boolean;
}

export type Judge = (score: Judged) => Promise<PoolResults['score']>;

export interface JudgeDeps {
  readonly pool: Pick<Pool, 'run'>;
  /** The core's judgement, on the calling thread. */
  readonly judgeScore: (facts: ScoreFacts, replayed: boolean) => PoolResults['score'];
}

export function createJudge({ pool, judgeScore }: JudgeDeps): Judge {
  return ({ base, counted, facts, replayed }) => {
    const here = () => judgeScore(assembleFacts(base, counted), replayed);
    return pool.run({ kind: 'score', facts, replayed }, facts.length > hereBytesMax ? undefined : here);
  };
}
