/** The postbacks that are written of the places of a study. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { underLock } from '../../src/audience/fielding.js';
import { writePostbacks } from '../../src/audience/postbacks.js';
import { findReservation } from '../../src/audience/reservation-store.js';
import { restore, reverseAll } from '../../src/audience/reversals.js';
import type { Study } from '../../src/audience/study-store.js';
import { createSecretStore } from '../../src/crypto/secret-store.js';
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
  const found = await findReservation(database, placeOf(token));
  if (found === null) throw new Error('no place');
  await giveToSupplier(database, study);
  const rejection = { by: 'dispute', reason: 'fraud', note: null, at: new Date() } as const;
  await underLock(database, found, (tx, current, place) => reverseAll(tx, current, [{ place, rejection }]));
  await write(database);
  t.same(await statusesIn(database), ['reversed'], 'the browser was told of the complete');
  await underLock(database, found, restore);
  await write(database);
  t.same(await statusesIn(database), ['reversed', 'complete']);
});

t.test('a complete that never counted is not posted, and neither is its rejection', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, randomBytes(32));
  const study = await makeStudy(database, 5);
  await database.query("UPDATE studies SET returns = 'confirmed' WHERE study_id = $1", [study.studyId]);
  const token = tokenOf(await instance.enter(study, 'r'));
  await instance.returns.comeBack(token, 'complete');
  const found = await findReservation(database, placeOf(token));
  if (found === null) throw new Error('no place');
  await giveToSupplier(database, study);
  const rejection = { by: 'dispute', reason: 'fraud', note: null, at: new Date() } as const;
  await underLock(database, found, (tx, current, place) => reverseAll(tx, current, [{ place, rejection }]));
  t.equal(await write(database), 1);
  t.same(await statusesIn(database), []);
});
