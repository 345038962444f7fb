/**
 * Marks of captures that sessions of a project sent before. The first session that sends a mark has it; a mark that another one has
 * says that the capture was sent twice.
 */
import type { CaptureMarks, ReplayFacts } from '../../contract/verdict.js';
import type { Queryable } from '../../stores/database/port.js';
import type { StoredSession } from '../sessions/session-store.js';

type MarkedSession = Pick<StoredSession, 'organizationId' | 'projectId' | 'sessionId'>;

const embeddingMark = (mark: string): string => `e:${mark}`;
const frameMark = (mark: string): string => `f:${mark}`;

const namesOf = ({ embedding, frames }: CaptureMarks): readonly string[] => [
  ...new Set([...(embedding === null ? [] : [embeddingMark(embedding)]), ...frames.map(frameMark)]),
];

export interface SeenMarks {
  readonly replay: ReplayFacts;
  /** How many distinct marks another session has. */
  readonly count: number;
}

/** What another session of the project sent before. */
export async function findSeenMarks(
  database: Queryable,
  { projectId, sessionId }: MarkedSession,
  marks: CaptureMarks,
): Promise<SeenMarks> {
  const names = namesOf(marks);
  const rows =
    names.length === 0
      ? []
      : await database.query<{ mark: string }>(
          'SELECT mark FROM capture_marks WHERE project_id = $1 AND mark = ANY($2::text[]) AND session_id <> $3',
          [projectId, names, sessionId],
          { recurring: true },
        );
  const seen = new Set(rows.map((row) => row.mark));
  const replay = {
    embeddingSeen: marks.embedding !== null && seen.has(embeddingMark(marks.embedding)),
    frameMarksSeen: marks.frames.filter((mark) => seen.has(frameMark(mark))).length,
    frameMarks: marks.frames.length,
  };
  return { replay, count: seen.size };
}

/** Keeps the marks that were new. False where one of those was taken meanwhile: the verdict rests on a look that is no longer true. */
export async function keepMarks(
  tx: Queryable,
  { organizationId, projectId, sessionId }: MarkedSession,
  marks: CaptureMarks,
  seen: SeenMarks,
): Promise<boolean> {
  const names = namesOf(marks);
  if (names.length === 0) return true;
  const kept = await tx.query(
    `INSERT INTO capture_marks (organization_id, project_id, mark, session_id) SELECT $1, $2, name, $4 FROM unnest($3::text[]) AS name ORDER BY name
     ON CONFLICT DO NOTHING RETURNING mark`,
    [organizationId, projectId, names, sessionId],
    { recurring: true },
  );
  return kept.length >= names.length - seen.count;
}
