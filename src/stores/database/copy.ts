/**
 * Copies all rows of one database into another of the same schema: from the embedded one to PostgreSQL. Rows that are there already stay, so
 * that an interrupted copy is begun again. No service may use either database meanwhile.
 */
import type { Database, Queryable, Row } from './port.js';

export interface CopyObserver {
  /** Called after each batch, and once for a table without rows. */
  readonly onRows: (table: string, copied: number, total: number) => void;
  /** Makes what holds the rows of a partition, by its name, in the target. */
  readonly makePartition: (target: Database, name: string) => Promise<void>;
}

interface Table {
  readonly name: string;
  /** The table that rows are inserted into: a partition's whole. */
  readonly whole: string;
  readonly columns: readonly string[];
}

/** Rows are read by their place in the file, some of them at once: a receipt or a face takes kilobytes. */
const rowsAtOnce = 500;
const deadlineMs = 60_000;
/** Tables about the database itself. */
const own = ['migrations', 'store_checks'];

/** Copies, and resolves to the number of rows of each table. Rejects if the target holds rows that the source has not, or counts differ at the end. */
export async function copyDatabase(
  source: Queryable,
  target: Database,
  { onRows, makePartition }: CopyObserver,
): Promise<Readonly<Record<string, number>>> {
  const tables = await readTables(source);
  const rows: Record<string, number> = {};
  for (const table of tables) {
    if (table.name !== table.whole) await makePartition(target, table.name);
    const total = await countRows(source, table.name);
    await copyTable(source, target, table, (copied) => onRows(table.name, copied, total));
    if (total === 0) onRows(table.name, 0, 0);
    rows[table.name] = total;
  }
  await copySequences(source, target);
  for (const [name, total] of Object.entries(rows)) {
    const found = await countRows(target, name);
    if (found !== total)
      throw new Error(
        `${name} has ${found} rows in the target and ${total} in the source. Copy into an empty database that no service uses.`,
      );
  }
  return rows;
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function countRows(database: Queryable, table: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${identifier(table)}`, [], {
    deadlineMs,
  });
  return row?.count ?? 0;
}

/** Tables that hold rows, each after those that it refers to; without generated columns. */
async function readTables(source: Queryable): Promise<readonly Table[]> {
  const found = await source.query<{ name: string; whole: string; columns: string[]; refers: string[] }>(
    `SELECT c.relname AS name, coalesce(parent.relname, c.relname) AS whole,
            (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
            ARRAY(SELECT other.relname::text FROM pg_constraint k JOIN pg_class other ON other.oid = k.confrelid
                  WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS refers
     FROM pg_class c
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     LEFT JOIN pg_class parent ON parent.oid = i.inhparent
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND NOT c.relname = ANY ($1)
     ORDER BY c.relname`,
    [own],
  );
  const placed = new Set<string>();
  const ordered: Table[] = [];
  while (ordered.length < found.length) {
    const ready = found.filter(({ name, refers }) => !placed.has(name) && refers.every((other) => placed.has(other)));
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle.');
    for (const { name, whole, columns } of ready) {
      placed.add(name);
      ordered.push({ name, whole, columns });
    }
  }
  return ordered;
}

async function copyTable(
  source: Queryable,
  target: Database,
  { name, whole, columns }: Table,
  onRows: (copied: number) => void,
): Promise<void> {
  const listed = columns.map(identifier).join(', ');
  let [place, copied] = ['(0,0)', 0];
  for (;;) {
    // Rows travel as text, so that numbers beyond 2^53 and bytes come through unchanged.
    const batch = await source.query<{ place: string; row: string }>(
      `SELECT ctid::text AS place, to_jsonb(t)::text AS row FROM ${identifier(name)} t WHERE ctid > $1::tid ORDER BY ctid LIMIT ${rowsAtOnce}`,
      [place],
      { deadlineMs },
    );
    if (batch.length === 0) return;
    await target.transaction(
      async (tx) => {
        // The notes that triggers take of a change are among the copied rows.
        await tx.query(`ALTER TABLE ${identifier(whole)} DISABLE TRIGGER USER`);
        await tx.query(
          `INSERT INTO ${identifier(whole)} (${listed}) OVERRIDING SYSTEM VALUE
           SELECT ${listed} FROM jsonb_populate_recordset(NULL::${identifier(whole)}, $1::jsonb) ON CONFLICT DO NOTHING`,
          [`[${batch.map(({ row }) => row).join()}]`],
        );
        await tx.query(`ALTER TABLE ${identifier(whole)} ENABLE TRIGGER USER`);
      },
      { deadlineMs },
    );
    place = batch.at(-1)?.place ?? place;
    copied += batch.length;
    onRows(copied);
  }
}

async function copySequences(source: Queryable, target: Queryable): Promise<void> {
  const sequences = await source.query<{ name: string; last: string | null } & Row>(
    'SELECT sequencename AS name, last_value::text AS last FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL',
  );
  for (const { name, last } of sequences)
    await target.query('SELECT setval($1::regclass, $2::bigint)', [identifier(name), last]);
}
