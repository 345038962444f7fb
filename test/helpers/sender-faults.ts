/**
 * The points at which a sender can be ended: before and after each of its writes, and between the steps of an attempt.
 *
 *   fan-out:before ▸ fan-out:after ▸ held ▸ sending ▸ answered ▸ result:before ▸ result:after ▸ written      a first attempt
 *   lease:before ▸ lease:after ▸ held ▸ …                                                                   a repetition
 */
import type { Database, Queryable } from '../../src/stores/database/port.js';
import type { TraceStep } from '../../src/webhooks/attempt.js';

const writes = {
  'fan-out': /INSERT INTO deliveries /,
  lease: /SET leased = true/,
  result: /INSERT INTO delivery_attempts/,
};

export const faultSteps = [
  'fan-out:before',
  'fan-out:after',
  'lease:before',
  'lease:after',
  'held',
  'sending',
  'answered',
  'result:before',
  'result:after',
  'written',
] as const;

export interface Fault {
  /** One of faultSteps, or none. */
  readonly step: string;
  readonly nth: number;
  readonly end: () => void;
}

/** The database and the trace of a sender that ends at the fault. */
export function withFaults(
  database: Database,
  { step, nth, end }: Fault,
): { readonly database: Database; readonly trace: (step: TraceStep) => void } {
  let times = 0;
  const pass = (at: string): void => {
    if (at === step && ++times === nth) end();
  };
  const query: Queryable['query'] = async (sql, values, options) => {
    const write = Object.entries(writes).find(([, pattern]) => pattern.test(sql))?.[0];
    if (write === undefined) return database.query(sql, values, options);
    pass(`${write}:before`);
    const rows = await database.query(sql, values, options);
    pass(`${write}:after`);
    return rows as never;
  };
  return { database: { ...database, query }, trace: pass };
}
