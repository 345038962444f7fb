/**
 * Erasures are compared with exports: every table of the one is in the other, or stands below with the reason why the
 * respondent learns nothing from it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { operator } from '../../src/administration/audit.js';
import { eraseReservations } from '../../src/audience/reservation-erasure.js';
import { createMakeRef } from '../../src/crypto/master-key.js';
import { packageRoot } from '../../src/package-root.js';
import type { Database, Row } from '../../src/stores/database/port.js';
import { openErasures, openExport, recordSources } from '../../src/wiring/data-subjects.js';
import { onBothStores } from '../helpers/both-stores.js';
import { instanceOf, makeStudy } from '../helpers/reservations.js';

/** Erased, and not shown. */
const notShown: Readonly<Record<string, string>> = {
  fingerprint_bands: 'hashes of the device of a fingerprint, which is shown',
  fingerprint_changes: 'numbers of fingerprints',
  recent_faces: 'hashes of a face, which is a descriptor',
  capture_marks: 'hashes of a capture',
  watched_verdicts: 'hashes of a scored session, which is shown',
  scored_sessions: 'counts of scored sessions, which are shown',
  outcome_subjects: 'the subjects of a scored session, by hash',
  receipt_batches: 'digests of receipts',
  adjudication_work: 'a queue of hashes',
  label_work: 'a queue of hashes',
  study_claimants: 'numbers of places by hash',
  deliveries: 'the way of a webhook event, which is shown',
  delivery_attempts: 'the way of a webhook event, which is shown',
  outbox: 'events of the last seconds, which become webhook events',
  dead_letters: 'copies of records that a consumer set aside',
  changes: 'tells other processes that a session changed',
  erased_respondents: 'remembers the erasure',
  erased_sessions: 'remembers the erasure',
};
/** Changed by an erasure, and about nobody. */
const aboutNobody = ['audit_entries', 'studies', 'study_tallies', 'study_quotas', 'study_quota_drafts', 'study_kinds'];
const shown = new Set(recordSources.map(({ table }) => table));
const makeRef = createMakeRef(new Uint8Array(32).fill(7));
const placeId = `plc_${'0'.repeat(32)}`;
const respondent = { organizationId: 'org', projectId: 'proj', respondentId: 'r' };

/** Answers every statement with one row, so that an erasure goes everywhere, and collects the tables that it writes. */
function everywhere(tables: Set<string>): Database {
  const rowOf = (sql: string): Row =>
    new Proxy<Row>(
      {},
      {
        get: (_row, name) => {
          if (name === 'value') return new Uint8Array([0xc1]);
          if (name === 'count' || name === 'batch_seq') return 1;
          if (name === 'id' && sql.includes('study_id AS id')) return `study_${'0'.repeat(32)}`;
          return name === 'namespace' ? 'proj' : placeId;
        },
      },
    );
  const query = (sql: string): Promise<readonly never[]> => {
    for (const [, table = ''] of sql.matchAll(/(?:DELETE FROM|INSERT INTO|(?<!FOR |DO |KEY )UPDATE) (\w+)/g))
      tables.add(table);
    return Promise.resolve([rowOf(sql) as never]);
  };
  return { query, transaction: (run) => run({ query }) } as Pick<Database, 'query' | 'transaction'> as Database;
}

t.test('an export shows every table from which an erasure removes something', async (t) => {
  const tables = new Set<string>();
  const none = () => Promise.resolve();
  const { erase } = openErasures(
    {
      settings: { VH_UNREADABLE_DAYS: 30 },
      database: everywhere(tables),
      counters: { forgetReceipts: none, forgetProbes: none },
      now: () => 0,
    },
    makeRef,
    () => undefined,
  );
  await erase(operator, respondent);
  const erased = [...tables].filter((table) => !(table in notShown) && !aboutNobody.includes(table));
  t.ok(erased.length >= 9, erased.join());
  t.strictSame(
    erased.filter((table) => !shown.has(table)),
    [],
    'erased, and not shown',
  );
  // History is emptied by the consumers, which the erasure orders.
  t.strictSame(
    [...shown].filter((table) => !tables.has(table)),
    ['history'],
    'shown, and not erased',
  );
});

t.test('an export shows every table that the privacy page says is erased', async (t) => {
  const page = readFileSync(join(packageRoot, 'docs', 'explanation', 'privacy.md'), 'utf8');
  const [, section = ''] = /## Retention\n([^]*?)\n## /.exec(page) ?? [];
  const erased = section
    .split('\n')
    .filter((line) => / (?:id and salt )?yes\b[^|]*\|$/.test(line))
    .flatMap((line) => [...(line.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, table = '']) => table));
  t.ok(erased.length > 15, String(erased.length));
  t.strictSame(
    erased.filter((table) => !shown.has(table) && !(table in notShown)),
    [],
  );
});

onBothStores(t, 'exports', (t, open) => {
  t.test('places are found by the name that suppliers send, and the pages end', async (t) => {
    const { database } = await open(t);
    const study = await makeStudy(database, 10);
    const instance = await instanceOf(t, database, randomBytes(32));
    await instance.enter(study, 'r');
    await instance.enter(study, 'other');
    const exports = openExport(database, makeRef);
    const { organizationId, projectId } = study;
    const whole = await exports.export(operator, { organizationId, projectId, respondentId: 'r' }, { limit: 1 });
    t.match(whole, { records: [{ kind: 'place', data: { respondentId: 'r', state: String } }], nextCursor: null });
    const nobody = await exports.export(operator, { organizationId, projectId, respondentId: 'nobody' }, {});
    t.same(nobody, { records: [], nextCursor: null });
    await eraseReservations(database, { ...study, respondentId: 'r' }, () => Promise.resolve(0));
    for (const respondentId of ['r', 'erased'])
      t.same(
        (await exports.export(operator, { organizationId, projectId, respondentId }, {})).records,
        [],
        respondentId,
      );
  });
});
