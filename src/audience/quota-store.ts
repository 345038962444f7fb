/**
 * Quotas of a study and how many places each counts. Every change of a place changes them with it (reservation-store.ts). A quota with new
 * conditions is counted once, from the kinds of respondents and in pieces, as a draft:
 *
 *   kinds by id:   1 2 3 4 5 6 │ 7 8 9 …
 *                  counted_to ─┘  the next piece
 *
 * A change of a place counts in a draft if its kind is counted already; else the piece that comes to the kind includes it. So the sum is that of
 * a full count, whatever happens between two pieces.
 */
import type { StudyQuota } from '../contract/study.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { normalTrait } from './study-rules.js';

interface QuotaOwner {
  readonly studyId: string;
  readonly organizationId: string;
}

/** Whether a quota `q` counts a reservation, or a kind of them, `p`. Unknown traits of the respondent count as met. */
export const quotaCounts = `(q.country IS NULL OR p.country IS NULL OR q.country = p.country)
  AND (q.gender IS NULL OR p.gender IS NULL OR q.gender = p.gender)
  AND (q.age_min IS NULL OR p.age IS NULL OR q.age_min <= p.age)
  AND (q.age_max IS NULL OR p.age IS NULL OR q.age_max >= p.age)
  AND (q.profession IS NULL OR p.profession IS NULL OR q.profession = p.profession)`;

const conditions = ['country', 'gender', 'age_min', 'age_max', 'profession'] as const;
type Conditions = Readonly<Record<(typeof conditions)[number], string | number | null>>;
type Counted = Conditions & Row & Readonly<Record<'held' | 'verified' | 'completed', number>>;

const conditionsOf = (quota: StudyQuota): Conditions => ({
  country: quota.country?.toUpperCase() ?? null,
  gender: quota.gender === undefined ? null : normalTrait(quota.gender),
  age_min: quota.ageMin ?? null,
  age_max: quota.ageMax ?? null,
  profession: quota.profession === undefined ? null : normalTrait(quota.profession),
});
const keyOf = (quota: Conditions): string => JSON.stringify(conditions.map((name) => quota[name]));

const listOf = (alias: string): string => conditions.map((name) => `${alias}.${name}`).join(', ');
const areSame = (a: string, b: string): string => `ROW(${listOf(a)}) IS NOT DISTINCT FROM ROW(${listOf(b)})`;
const columnTypes = 'country text, gender text, age_min int, age_max int, profession text';

/** Kinds that one statement counts, for each quota. */
const kindsPerPiece = 1_000;

/** Counts the next piece of those quotas whose conditions are new. Answers whether more is left. The study is locked. */
export async function countNewQuotas(
  tx: Queryable,
  study: QuotaOwner,
  quotas: readonly StudyQuota[],
  kindsMax = kindsPerPiece,
): Promise<boolean> {
  await prepareDrafts(tx, study, quotas);
  return countPiece(tx, study.studyId, kindsMax);
}

/** Makes a draft for each new set of conditions, and removes other drafts, as of a call that failed. */
async function prepareDrafts(
  tx: Queryable,
  { studyId, organizationId }: QuotaOwner,
  quotas: readonly StudyQuota[],
): Promise<void> {
  await tx.query(
    `WITH asked AS (SELECT DISTINCT * FROM jsonb_to_recordset($3::jsonb) AS asked (${columnTypes})),
     dropped AS (DELETE FROM study_quota_drafts d WHERE d.study_id = $1 AND NOT EXISTS (SELECT 1 FROM asked WHERE ${areSame('asked', 'd')}))
     INSERT INTO study_quota_drafts (study_id, organization_id, ${conditions.join(', ')})
     SELECT $1, $2, ${listOf('asked')} FROM asked
      WHERE NOT EXISTS (SELECT 1 FROM study_quotas q WHERE q.study_id = $1 AND ${areSame('asked', 'q')}) ON CONFLICT DO NOTHING`,
    [studyId, organizationId, JSON.stringify(quotas.map(conditionsOf))],
  );
}

async function countPiece(tx: Queryable, studyId: string, kindsMax: number): Promise<boolean> {
  const [draft] = await tx.query<{ kinds: number }>(
    `WITH piece AS MATERIALIZED (
       SELECT * FROM study_kinds WHERE study_id = $1 AND kind_id > (SELECT min(counted_to) FROM study_quota_drafts WHERE study_id = $1)
        ORDER BY kind_id LIMIT $2),
     counted AS (
       SELECT q.draft_id, coalesce(sum(p.held), 0)::int AS held, coalesce(sum(p.verified), 0)::int AS verified, coalesce(sum(p.completed), 0)::int AS completed
         FROM study_quota_drafts q LEFT JOIN piece p ON p.kind_id > q.counted_to AND ${quotaCounts} WHERE q.study_id = $1 GROUP BY q.draft_id)
     UPDATE study_quota_drafts d SET held = d.held + counted.held, verified = d.verified + counted.verified, completed = d.completed + counted.completed,
            counted_to = greatest(d.counted_to, (SELECT max(kind_id) FROM piece))
       FROM counted WHERE d.draft_id = counted.draft_id RETURNING (SELECT count(*) FROM piece)::int AS kinds`,
    [studyId, kindsMax],
  );
  return draft?.kinds === kindsMax;
}

/** Replaces the quotas of a locked study. Conditions that were there before keep their counts; new ones are counted as far as they are not yet. */
export async function replaceQuotas(tx: Queryable, study: QuotaOwner, quotas: readonly StudyQuota[]): Promise<void> {
  const { studyId, organizationId } = study;
  if (quotas.length > 0) while (await countNewQuotas(tx, study, quotas));
  const columns = `${conditions.join(', ')}, held, verified, completed`;
  const known = await tx.query<Counted>(
    `WITH quotas AS (DELETE FROM study_quotas WHERE study_id = $1 RETURNING ${columns}),
          drafts AS (DELETE FROM study_quota_drafts WHERE study_id = $1 RETURNING ${columns})
     SELECT * FROM quotas UNION ALL SELECT * FROM drafts`,
    [studyId],
  );
  if (quotas.length === 0) return;
  const counts = new Map(known.map((quota) => [keyOf(quota), quota]));
  const rows = quotas.map((quota, position) => {
    const asked = conditionsOf(quota);
    const { held, verified, completed } = counts.get(keyOf(asked)) ?? uncounted(quota);
    return { ...asked, position, name: quota.name, most: quota.limit, held, verified, completed };
  });
  await tx.query(
    `INSERT INTO study_quotas (study_id, organization_id, position, name, most, ${columns})
     SELECT $1, $2, position, name, most, ${columns}
       FROM jsonb_to_recordset($3::jsonb) AS q (position int, name text, most int, ${columnTypes}, held int, verified int, completed int)`,
    [studyId, organizationId, JSON.stringify(rows)],
  );
}

const uncounted = ({ name }: StudyQuota): never => {
  throw new Error(`the quota ${name} was not counted`);
};
