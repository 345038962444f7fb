import { randomBytes } from 'node:crypto';
import t from 'tap';
import { operator } from '../../src/administration/audit.js';
import { insertOrganization } from '../../src/administration/organization-store.js';
import { insertProject } from '../../src/administration/project-store.js';
import type { VerificationEvent } from '../../src/contract/session-event.js';
import { createTargetClassifier } from '../../src/net/target-address.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { inOrganization } from '../../src/stores/database/tenant.js';
import { deliveryIdOf, insertDeliveries } from '../../src/webhooks/delivery-store.js';
import { erasePayloads, markErasedSessions } from '../../src/webhooks/payload-erasure.js';
import { createRegistrationService } from '../../src/webhooks/registration-service.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import { verificationEvent } from '../helpers/session-events.js';

const database = await openTestDatabase(t);
const organizationId = await database.transaction((tx) =>
  insertOrganization(tx, { name: 'Erasure', tier: 'free', liteEnabled: false }),
);
const registrations = createRegistrationService({
  database,
  secrets: createSecretStore(randomBytes(32)),
  target: { classify: createTargetClassifier(), allowPrivate: true },
  onChange: () => undefined,
});

async function makeProject(name: string, webhooks: number) {
  const project = await insertProject(database, organizationId, { name });
  const owner = { organizationId, projectId: project?.projectId ?? '', mode: 'live' } as const;
  const webhookIds: string[] = [];
  for (let made = 0; made < webhooks; made++)
    webhookIds.push((await registrations.create(operator, owner, { url: 'http://127.0.0.1:1/' })).webhookId);
  return { owner, webhookIds };
}

/** Delivered to each webhook, with one attempt. */
async function deliver(event: VerificationEvent, webhookIds: readonly string[]): Promise<void> {
  const { eventId, sessionId, type: eventType } = event;
  const deliveries = webhookIds.map((webhookId) => ({
    ...{ webhookId, organizationId, eventId, eventType, sessionId, leased: false },
    deliveryId: deliveryIdOf(eventId, webhookId),
  }));
  await insertDeliveries(database, [{ ...event, body: JSON.stringify(event) }], deliveries, 0);
  for (const { webhookId, deliveryId } of deliveries)
    await database.query(
      `INSERT INTO delivery_attempts (webhook_id, delivery_id, attempt, organization_id, state, response_body, duration_ms, started_at)
       VALUES ($1, $2, 1, $3, 'SUCCEEDED', 'thanks, resp-1', 1, now())`,
      [webhookId, deliveryId, organizationId],
    );
}

const rowsOf = async (sessionId: string): Promise<readonly number[]> => {
  const [row] = await database.query<{ events: number; deliveries: number; attempts: number }>(
    `SELECT (SELECT count(*)::int FROM webhook_events WHERE session_id = $1) AS events,
            (SELECT count(*)::int FROM deliveries WHERE session_id = $1) AS deliveries,
            (SELECT count(*)::int FROM delivery_attempts JOIN deliveries USING (webhook_id, delivery_id) WHERE session_id = $1) AS attempts`,
    [sessionId],
  );
  return [row?.events ?? -1, row?.deliveries ?? -1, row?.attempts ?? -1];
};
const attemptCount = async () => (await database.query('SELECT 1 FROM delivery_attempts')).length;

t.test('a session’s events, deliveries and attempts go, and nothing of another session or project', async (t) => {
  const [ours, theirs] = [await makeProject('Ours', 2), await makeProject('Theirs', 1)];
  const erased = verificationEvent(ours.owner);
  const passed = verificationEvent(ours.owner, {}, { sessionId: erased.sessionId, type: 'verification.passed' });
  const kept = verificationEvent(ours.owner);
  const foreign = verificationEvent(theirs.owner, {}, { sessionId: erased.sessionId });
  for (const event of [erased, passed, kept]) await deliver(event, ours.webhookIds);
  await deliver(foreign, theirs.webhookIds);
  t.equal(await attemptCount(), 7);

  const count = await database.transaction((tx) => erasePayloads(tx, ours.owner.projectId, [erased.sessionId]));
  t.equal(count, 2);
  t.same(await rowsOf(erased.sessionId), [1, 1, 1], 'what is left is the other project’s');
  t.same(await rowsOf(kept.sessionId), [1, 2, 2]);
  t.equal(await attemptCount(), 3, 'no attempt is left without its delivery');
  t.equal(await database.transaction((tx) => erasePayloads(tx, ours.owner.projectId, [erased.sessionId])), 0);
});

t.test('what the log brings of a session after its erasure is written for no webhook', async (t) => {
  const [ours, theirs] = [await makeProject('Late', 1), await makeProject('Others', 1)];
  const late = verificationEvent(ours.owner);
  const kept = verificationEvent(ours.owner);
  const foreign = verificationEvent(theirs.owner, {}, { sessionId: late.sessionId });
  const mark = () =>
    inOrganization(database, organizationId, (tx) =>
      markErasedSessions(tx, ours.owner, [late.sessionId, late.sessionId]),
    );
  await mark();
  await mark();
  const write = (event: VerificationEvent, webhookIds: readonly string[]) =>
    insertDeliveries(
      database,
      [{ ...event, body: JSON.stringify(event) }],
      webhookIds.map((webhookId) => ({
        ...{ webhookId, organizationId, eventId: event.eventId, eventType: event.type, sessionId: event.sessionId },
        ...{ leased: false, deliveryId: deliveryIdOf(event.eventId, webhookId) },
      })),
      0,
    );
  t.same(await write(late, ours.webhookIds), []);
  t.equal((await write(kept, ours.webhookIds)).length, 1);
  t.equal((await write(foreign, theirs.webhookIds)).length, 1, 'another project may use the same id');
  t.same(await rowsOf(late.sessionId), [1, 1, 0]);
  const [row] = await database.query('SELECT * FROM erased_sessions');
  t.notOk(JSON.stringify(row).includes(late.sessionId), 'the mark names nobody');
});
