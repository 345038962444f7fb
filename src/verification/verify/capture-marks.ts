/**
 * Marks of captures that sessions of an organization sent before, those of each mode apart. The first session that sends a mark has it; marks that another one has
 * say that the capture was sent twice.
 */
import type { CaptureMarks, ReplayFacts } from '../../contract/verdict.js';
import type { Queryable } from '../../stores/database/port.js';
import type { StoredSession } from '../sessions/session-store.js';

type MarkedSession = Pick<StoredSession, 'organizationId' | 'mode' | 'sessionId'>;

const embeddingMark = (mark: string): string => `e:${mark}`;
const frameMark = (mark: string): string => `f:${mark}`;
const motionMark = (mark: string): string => `m:${mark}`;

/** Those that are kept; with `sought`, those that are looked up. */
const namesOf = ({ embedding, frames, motion }: CaptureMarks, sought = motion): readonly string[] => [
  ...new Set([
    ...(embedding === null ? [] : [embeddingMark(embedding)]),
    ...frames.map(frameMark),
    ...[...motion, ...sought].map(motionMark),
  ]),
];

export interface SeenMarks {
  readonly replay: ReplayFacts;
  /** How many of the marks to keep another session has. */
  readonly count: number;
}

/** Finds marks that another session of the organization sent before in the same mode, in any project. */
export async function findSeenMarks(
  database: Queryable,
  { organizationId, mode, sessionId }: MarkedSession,
  marks: CaptureMarks,
): Promise<SeenMarks> {
  const names = namesOf(marks, marks.motionSought);
  const rows =
    names.length === 0
      ? []
      : await database.query<{ mark: string; session: string }>(
          'SELECT mark, session_id AS session FROM capture_marks WHERE organization_id = $1 AND mode = $2 AND mark = ANY($3::text[]) AND session_id <> $4',
          [organizationId, mode, names, sessionId],
          { recurring: true },
        );
  const seen = new Set(rows.map((row) => row.mark));
  const replay = {
    embeddingSeen: marks.embedding !== null && seen.has(embeddingMark(marks.embedding)),
    frameMarksSeen: marks.frames.filter((mark) => seen.has(frameMark(mark))).length,
    frameMarks: marks.frames.length,
    motionMarksSeen: mostOfOneSession(rows.filter(({ mark }) => mark.startsWith(motionMark('')))),
    motionMarks: marks.motion.length,
  };
  return { replay, count: namesOf(marks).filter((name) => seen.has(name)).length };
}

/** Marks of motion are coarse: chance ones are of many sessions, those of a copy are of one. */
function mostOfOneSession(rows: readonly { readonly session: string }[]): number {
  const counts = new Map<string, number>();
  for (const { session } of rows) counts.set(session, (counts.get(session) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Keeps the marks that were new. False where one of those was taken meanwhile: the verdict rests on a look that is no longer true. */
export async function keepMarks(
  tx: Queryable,
  { organizationId, mode, sessionId }: MarkedSession,
  marks: CaptureMarks,
  seen: SeenMarks,
): Promise<boolean> {
  const names = namesOf(marks);
  if (names.length === 0) return true;
  const kept = await tx.query(
    `INSERT INTO capture_marks (organization_id, mode, mark, session_id) SELECT $1, $2, name, $4 FROM unnest($3::text[]) AS name ORDER BY name
     ON CONFLICT DO NOTHING RETURNING mark`,
    [organizationId, mode, names, sessionId],
    { recurring: true },
  );
  return kept.length >= names.length - seen.count;
}

/**
 * Whether a capture that completed meanwhile moves more like this one than any that was found. A copy at another pace keeps marks of its own, so that
 * keeping them shows nothing. The second of two completions waits for the first; the lock is held for the commit only, so ask last.
 */
export async function movedAlikeMeanwhile(
  tx: Queryable,
  session: MarkedSession,
  marks: CaptureMarks,
  { replay }: SeenMarks,
): Promise<boolean> {
  if (marks.motionSought.length === 0) return false;
  const { organizationId, mode } = session;
  const name = `capture marks ${organizationId} ${mode}`;
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name], { recurring: true });
  const now = await findSeenMarks(tx, session, { ...marks, embedding: null, frames: [] });
  return now.replay.motionMarksSeen > replay.motionMarksSeen;
}
