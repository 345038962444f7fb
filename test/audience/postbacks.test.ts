/** The postbacks that are written of the places of a study. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { writePostbacks } from '../../src/audience/postbacks.js';
import { createSecretStore } from '../../src/crypto/secret-store.js';
import { postbackDeliveries } from '../../src/webhooks/postbacks.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { allowed, instanceOf, makeStudy, tokenOf, visitOf } from '../helpers/reservations.js';

t.setTimeout(120_000);

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
  const secrets = createSecretStore(new Uint8Array(32));
  const { sealed } = secrets.make('sup_p');
  await database.query(
    `INSERT INTO suppliers (supplier_id, organization_id, is_test, name, source_id, redirects, postback_url, sealed)
     VALUES ('sup_p', $1, false, 'P', 's', '{}', 'https://panel.example/pb', $2)`,
    [study.organizationId, sealed],
  );
  await database.query(`UPDATE study_places SET supplier_id = 'sup_p', exit_due = true WHERE study_id = $1`, [
    study.studyId,
  ]);
  t.equal(await writePostbacks({ database, secrets, postbacks: postbackDeliveries, now: Date.now }), 2);
  const sent = await database.query<{ status: string }>(
    `SELECT body::jsonb->'data'->>'status' AS status FROM webhook_events WHERE organization_id = $1`,
    [study.organizationId],
  );
  t.same(sent, [{ status: 'complete' }]);
});
