/** Sessions as they were counted, from the records of their receipts. */
import { openFacts, openReceipt } from '../../record/record.js';
import type { Pool } from '../../pool/pool.js';
import type { Receipt } from '../../record/types.js';
import type { CountedSession } from '../../stores/counters/port.js';
import type { Row } from '../../stores/database/port.js';
import type { Logger } from '../../telemetry/logger.js';

export interface RecordDeps {
  readonly pool: Pick<Pool, 'run'>;
  readonly logger: Logger;
}

export interface RecordRow extends Row {
  readonly receipt_id: string;
  readonly record: Uint8Array;
}

export const countedSessions = (
  { pool, logger }: RecordDeps,
  rows: readonly RecordRow[],
): Promise<readonly CountedSession[]> =>
  Promise.all(rows.flatMap((row) => open(row, logger)).map((receipt) => countedSessionOf(pool, receipt)));

type Opened = Pick<Receipt, 'trace'> & { readonly facts: ReturnType<typeof openFacts> };

/** Nothing of a record that cannot be read (a damaged row): the project comes back without it, and not at all if it had to wait for it. */
function open(row: RecordRow, logger: Logger): readonly Opened[] {
  try {
    const { trace, facts } = openReceipt(row.record);
    return [{ trace, facts: openFacts(facts) }];
  } catch (error) {
    logger.warn(
      { err: error, receiptId: row.receipt_id },
      'a receipt cannot be read and is left out of the rebuilding',
    );
    return [];
  }
}

/** What was counted then, with the sketch of the device made again from the recorded probe. */
async function countedSessionOf(pool: Pick<Pool, 'run'>, { trace, facts }: Opened): Promise<CountedSession> {
  const { probe, token = null } = facts;
  const known = { ...trace, device: trace.device ?? token, token };
  if (probe === null) return { ...known, sketch: null, bands: [] };
  return { ...known, ...(await pool.run({ kind: 'sketch', body: probe.body, userAgent: probe.transport.userAgent })) };
}
