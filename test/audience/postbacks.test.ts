/** The postbacks that are written of the places of a study. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { underLock } from '../../src/audience/fielding.js';
import { markUndelivered, writePostbacks } from '../../src/audience/postbacks.js';
import { findReservation, type QuotaReservation } from '../../src/audience/reservation-store.js';
import { restore, reverseAll } from '../../src/audience/reversals.js';
import type { Study } from '../../src/audience/study-store.js';
import { postbackType, type PostbackEvent } from '../../src/contract/postback.js';
import { makeId } from '../../src/crypto/ids.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import type { Database } from '../../src/stores/database/port.js';
import { postbackDeliveries } from '../../src/webhooks/postbacks.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { placeOf } from '../helpers/fielding.js';
import { allowed, instanceOf, makeStudy, tokenOf, visitOf } from '../helpers/reservations.js';

t.setTimeout(120_000);

const secrets = createSecretStore(new Uint8Array(32));
const write = (database: Database): Promise<number> =>
  writePostbacks({ database, secrets, postbacks: postbackDeliveries, now: Date.now });

/** Makes all places of the study those of a supplier with an address. */
async function giveToSupplier(database: Database, study: Study): Promise<void> {
  await database.query(
    `INSERT INTO suppliers (supplier_id, organization_id, is_test, name, source_id, redirects, postback_url, sealed)
     VALUES ('sup_p', $1, false, 'P', 's', '{}', 'https://panel.example/pb', $2)`,
    [study.organizationId, secrets.make('sup_p').sealed],
  );
  await database.query(`UPDATE study_places SET supplier_id = 'sup_p', exit_due = true WHERE study_id = $1`, [
    study.studyId,
  ]);
}

const arrive = (database: Database) => database.query(`UPDATE deliveries SET state = 'SUCCEEDED'`);

async function placeIn(database: Database, token: string): Promise<QuotaReservation> {
  const found = await findReservation(database, placeOf(token));
  if (found === null) throw new Error('no place');
  return found;
}

const dispute = (database: Database, place: QuotaReservation) =>
  underLock(database, place, (tx, study, now) =>
    reverseAll(tx, study, [{ place: now, rejection: { by: 'dispute', reason: 'fraud', note: null, at: new Date() } }]),
  );

const withdraw = (database: Database, place: QuotaReservation) => underLock(database, place, restore);

/** The statuses that were written, in their order. */
const statusesIn = async (database: Database): Promise<readonly string[]> =>
  (
    await database.query<{ status: string }>(
      `SELECT body::jsonb->'data'->>'status' AS status FROM webhook_events ORDER BY event_id`,
    )
  ).map(({ status }) => status);

t.test('a browser that stands aside posts nothing back over the honest respondent of the same rid', async (t) => {
  const database = await openTestDatabase(t);
  let isRefused = true;
  const instance = await instanceOf(t, database, randomBytes(32), {
    score: () =>
      Promise.resolve(isRefused ? JSON.stringify({ ...JSON.parse(allowed), recommendation: 'block' }) : allowed),
  });
  const study = await makeStudy(database, 5);
  t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'bot' })), { page: 'declined' });
  isRefused = false;
  const token = tokenOf(await instance.entries.enter(visitOf(study, 'r', { device: 'honest' })));
  await instance.returns.comeBack(token, 'complete');
  await giveToSupplier(database, study);
  t.equal(await write(database), 2);
  t.same(await statusesIn(database), ['complete']);
});

t.test('a complete that counted is posted as reversed once it does not, even if it was never posted', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, randomBytes(32));
  const study = await makeStudy(database, 5);
  const token = tokenOf(await instance.enter(study, 'r'));
  await instance.returns.comeBack(token, 'complete');
  await giveToSupplier(database, study);
  const place = await placeIn(database, token);
  await dispute(database, place);
  await write(database);
  t.same(await statusesIn(database), ['reversed'], 'the browser was told of the complete');
  await arrive(database);
  await withdraw(database, place);
  await write(database);
  t.same(await statusesIn(database), ['reversed', 'complete']);
});

t.test('a status deletes what has not arrived of earlier ones, with its attempts, and nothing else', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, randomBytes(32));
  const study = await makeStudy(database, 5);
  const places = [];
  for (const rid of ['a', 'b']) {
    const token = tokenOf(await instance.enter(study, rid));
    await instance.returns.comeBack(token, 'complete');
    places.push(await placeIn(database, token));
  }
  await giveToSupplier(database, study);
  await write(database);
  await database.query(
    `INSERT INTO delivery_attempts (organization_id, webhook_id, delivery_id, attempt, state, duration_ms, started_at)
     SELECT organization_id, webhook_id, delivery_id, 1, 'EXHAUSTED', 1, now() FROM deliveries`,
  );
  await database.query(`UPDATE deliveries SET state = 'EXHAUSTED'`);
  const [place] = places;
  if (place === undefined) throw new Error('no place');
  for (const [change, expected] of [
    [dispute, ['complete', 'reversed']],
    [withdraw, ['complete', 'complete']],
  ] as const) {
    await change(database, place);
    await write(database);
    t.same(await statusesIn(database), expected);
    for (const [table, rows] of [
      ['deliveries', 2],
      ['delivery_attempts', 1],
    ] as const)
      t.same(await database.query(`SELECT count(*)::int AS rows FROM ${table}`), [{ rows }], table);
  }
  await arrive(database);
  await dispute(database, place);
  await write(database);
  t.same(await statusesIn(database), ['complete', 'complete', 'reversed'], 'what arrived is kept');
});

t.test('a complete that never counted is not posted, and neither is its rejection', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, randomBytes(32));
  const study = await makeStudy(database, 5);
  await database.query("UPDATE studies SET returns = 'confirmed' WHERE study_id = $1", [study.studyId]);
  const token = tokenOf(await instance.enter(study, 'r'));
  await instance.returns.comeBack(token, 'complete');
  await giveToSupplier(database, study);
  await dispute(database, await placeIn(database, token));
  t.equal(await write(database), 1);
  t.same(await statusesIn(database), []);
});

t.test('the places of a supplier that is deleted are read in pages', async (t) => {
  const database = await openTestDatabase(t);
  const { organizationId, projectId, studyId } = await makeStudy(database, 5);
  const postbacks = Array.from({ length: 1_001 }, (_, n) => {
    const data = { study_id: studyId, place_id: `plc_${n}`, rid: `r-${n}`, status: 'full', entry: 'open' } as const;
    const event: PostbackEvent = {
      type: postbackType,
      ...{ eventId: makeId('event'), organizationId, projectId, sessionId: data.place_id },
      ...{ isDemo: false, occurredAt: new Date().toISOString(), data, placeholders: {} },
    };
    return { supplierId: 'sup_p', event };
  });
  await postbackDeliveries.insert(database, postbacks);
  const pages: number[] = [];
  const read = new Set<string>();
  await markUndelivered(database, 'sup_p', {
    ...postbackDeliveries,
    findUndelivered: async (...args) => {
      const page = await postbackDeliveries.findUndelivered(...args);
      pages.push(page.places.length);
      for (const place of page.places) read.add(place);
      return page;
    },
  });
  t.same([pages, read.size], [[500, 500, 1], 1_001]);
});

t.test('a flood of one organization does not hold back the postbacks of another', async (t) => {
  const database = await openTestDatabase(t);
  const flood = await makeStudy(database, 5);
  const neighbour = await makeStudy(database, 5);
  const giveDue = ({ studyId, organizationId, projectId }: Study, from: number, count: number) =>
    database.query(
      `INSERT INTO study_places (place_id, study_id, organization_id, project_id, respondent_id, source_id, respondent_ref, state, entry, exit_due)
       SELECT 'plc_' || lpad(to_hex(n), 32, '0'), $1, $2, $3, 'r', 's', 'r-' || n, 'terminated', 'open', true FROM generate_series($4::int, $5::int) AS n`,
      [studyId, organizationId, projectId, from, from + count - 1],
    );
  await giveDue(flood, 1, 1_000);
  await giveDue(neighbour, 2_000, 50);
  const dueOf = async ({ studyId }: Study): Promise<number> =>
    (await database.query('SELECT 1 FROM study_places WHERE study_id = $1 AND exit_due', [studyId])).length;
  const written = await write(database);
  t.equal(await dueOf(neighbour), 0);
  for (let looked = written; looked < 1_050;) looked += await write(database);
  t.equal(await dueOf(flood), 0);
  t.equal(await write(database), 0);
});
