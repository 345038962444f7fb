/**
 * Counts visits by links that open nothing, by study, supplier and reason. Anyone may send such links, so a visit writes nothing: counts are kept
 * in memory and written together every few seconds. A process that is killed loses those of its last seconds.
 */
import { reportRefusedLinksMax, type RefusedLink } from '../contract/study-report.js';
import type { LinkProblem } from '../contract/supplier.js';
import { columnsOf } from '../stores/database/columns.js';
import type { Queryable, Row } from '../stores/database/port.js';
import { startRounds, type Rounds } from '../stores/rounds.js';
import type { Logger } from '../telemetry/logger.js';
import type { Study } from './study-store.js';

interface Counted {
  readonly studyId: string;
  readonly organizationId: string;
  readonly supplierId: string;
  readonly reason: LinkProblem;
  visits: number;
}

/** Kinds that are kept until the next write; further ones are not counted. */
export const refusedLinksMax = 10_000;

export type RefusedLinks = ReturnType<typeof createRefusedLinks>;

export function createRefusedLinks(database: Queryable) {
  let counts = new Map<string, Counted>();
  const add = (one: Counted): void => {
    const key = `${one.studyId} ${one.supplierId} ${one.reason}`;
    const known = counts.get(key);
    if (known !== undefined) known.visits += one.visits;
    else if (counts.size < refusedLinksMax) counts.set(key, one);
  };
  return {
    /** `named`: the supplier that src names, whoever sent the link. */
    note(
      { studyId, organizationId }: Pick<Study, 'studyId' | 'organizationId'>,
      { named, reason }: { readonly named: string | null; readonly reason: LinkProblem },
    ): void {
      add({ studyId, organizationId, supplierId: named ?? '', reason, visits: 1 });
    },

    /** Writes what was counted. After a failure, which it throws, the counts wait for the next write. */
    async write(): Promise<void> {
      const written = [...counts.values()];
      if (written.length === 0) return;
      counts = new Map();
      try {
        await insert(database, written);
      } catch (error) {
        written.forEach(add);
        throw error;
      }
    },
  };
}

const everyMs = 2_000;

/** Writes in rounds; the answer stops them, and writes the last counts. */
export function startWritingRefusedLinks({ write }: Pick<RefusedLinks, 'write'>, logger: Logger): Pick<Rounds, 'stop'> {
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'counting refused links failed; the next round retries');
  const rounds = startRounds({ everyMs, work: write, onError });
  return { stop: () => rounds.stop().then(write).catch(onError) };
}

/** In one order, so that two instances do not wait for each other. */
const insert = (database: Queryable, counts: readonly Counted[]): Promise<unknown> =>
  database.query(
    `INSERT INTO study_refused_links AS known (study_id, supplier_id, reason, organization_id, visits)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS counted (study_id, supplier_id, reason, organization_id, visits)
      ORDER BY study_id, supplier_id, reason
     ON CONFLICT (study_id, supplier_id, reason) DO UPDATE SET visits = known.visits + excluded.visits, last_at = now()`,
    columnsOf(counts, 'studyId', 'supplierId', 'reason', 'organizationId', 'visits'),
  );

/** Most visits first. */
export async function readRefusedLinks(tx: Queryable, studyId: string): Promise<RefusedLink[]> {
  const rows = await tx.query<Omit<RefusedLink, 'lastAt'> & { readonly lastAt: Date } & Row>(
    `SELECT nullif(r.supplier_id, '') AS "supplierId", s.source_id AS "sourceId", s.name, r.reason, r.visits, r.last_at AS "lastAt"
       FROM study_refused_links r LEFT JOIN suppliers s ON s.supplier_id = r.supplier_id
      WHERE r.study_id = $1 ORDER BY r.visits DESC, r.supplier_id, r.reason LIMIT ${reportRefusedLinksMax}`,
    [studyId],
  );
  return rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: lastAt.toISOString() }));
}
