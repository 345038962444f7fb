/**
 * Turns events into deliveries: one for each webhook of the project that asks for the type. An event that comes twice makes no second one, so that
 * whoever hands events in (the log, or the outbox while the log is away) may repeat them.
 *
 * This process leases deliveries that it can send soon as it writes them, which saves a round through the database; the rest is written as due, for
 * whoever has room. Rejects where the database is away; the batch then comes again.
 */
import type { DeliveredEvent } from '../contract/postback.js';
import type { SessionEvent } from '../contract/session-event.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { deliveryIdOf, insertDeliveries, type NewDelivery } from './delivery-store.js';
import type { Sender } from './sender.js';
import type { TargetConfig, TargetConfigs } from './target-configs.js';

export interface FanOutDeps {
  readonly database: Database;
  readonly configs: Pick<TargetConfigs, 'ofProjects'>;
  readonly sender: Pick<Sender, 'hold' | 'room' | 'places'>;
  /** Whether deliveries of the endpoint wait in the database already: then new ones queue up behind them. */
  readonly isBehind: (webhookId: string) => boolean;
  /** Deliveries were left for whoever has room. */
  readonly onLeft: (webhookId: string) => void;
  readonly leaseMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** Rows of one statement. */
const deliveriesPerWrite = 1_000;

export type FanOut = (events: readonly SessionEvent[]) => Promise<void>;

export function createFanOut(deps: FanOutDeps): FanOut {
  const { database, configs, sender, leaseMs, clock } = deps;

  return async (given) => {
    // One that comes twice in a batch is written once by the database, and would be held twice.
    const events = [...new Map(given.map((event) => [event.eventId, event])).values()];
    const targets = await configs.ofProjects([...new Set(events.map((event) => event.projectId))]);
    // In one order everywhere: whoever writes the same deliveries at the same moment waits and does not deadlock.
    const inOrder = [...events].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
    const plan = inOrder.flatMap((event) => targetsOf(event, targets).map((config) => ({ event, config })));
    for (let from = 0; from < plan.length; from += deliveriesPerWrite) {
      const planned = plan.slice(from, from + deliveriesPerWrite);
      const leasedAtMs = clock();
      const leasable = createBudget(deps);
      const deliveries = planned.map(({ event, config }) => deliveryOf(event, config.webhookId, leasable(config)));
      const planEvents = [...new Set(planned.map(({ event }) => event))];
      const written = await insertDeliveries(database, planEvents.map(storedForm), deliveries, leaseMs);
      const isNew = new Set(written.map(({ webhookId, deliveryId }) => webhookId + deliveryId));
      deliveries.forEach((delivery, index) => {
        const event = planned[index]?.event;
        if (event === undefined || !isNew.has(delivery.webhookId + delivery.deliveryId)) return;
        if (!delivery.leased) return deps.onLeft(delivery.webhookId);
        const { organizationId, webhookId, deliveryId } = delivery;
        sender.hold({
          organizationId,
          webhookId,
          deliveryId,
          event,
          attempt: 1,
          attemptsFrom: 1,
          token: 1,
          lane: 'first',
          leasedAtMs,
        });
      });
    }
  };
}

const targetsOf = (event: SessionEvent, targets: readonly TargetConfig[]): readonly TargetConfig[] =>
  targets.filter(
    ({ projectId, organizationId, mode, enabled, includeTest, events }) =>
      enabled &&
      (event.isDemo ? includeTest : mode === 'live') &&
      projectId === event.projectId &&
      organizationId === event.organizationId &&
      events.includes(event.type),
  );

/** Decides delivery by delivery which of them this process takes, up to what it has room for. */
function createBudget({ sender, isBehind }: FanOutDeps): (config: TargetConfig) => boolean {
  let places = sender.places('first');
  const rooms = new Map<string, number>();
  const shares = new Map<string, number>();
  return ({ organizationId, webhookId, parking }) => {
    const room = rooms.get(webhookId) ?? (parking === null && !isBehind(webhookId) ? sender.room(webhookId) : 0);
    const share = shares.get(organizationId) ?? sender.places('first', organizationId);
    const isTaken = room > 0 && share > 0 && places > 0;
    if (isTaken) places -= 1;
    shares.set(organizationId, isTaken ? share - 1 : share);
    rooms.set(webhookId, isTaken ? room - 1 : 0);
    return isTaken;
  };
}

export const deliveryOf = (event: DeliveredEvent, webhookId: string, leased: boolean): NewDelivery => ({
  webhookId,
  deliveryId: deliveryIdOf(event.eventId, webhookId),
  organizationId: event.organizationId,
  eventId: event.eventId,
  eventType: event.type,
  sessionId: event.sessionId,
  leased,
});

/** An event as the table of events keeps it. */
export const storedForm = (event: DeliveredEvent) => ({ ...event, body: JSON.stringify(event) });

/** Events that the log should have had by now. */
const strandedSeconds = 5;
const strandedMax = 100;

/** Fans out events that are stuck in the outbox, so that webhooks go on while the log is away. Answers how many there were. */
export async function fanOutStranded(database: Queryable, fanOut: FanOut): Promise<number> {
  const rows = await database.query<{ event_id: string; body: string }>(
    `SELECT event_id, body FROM outbox WHERE NOT fanned_out AND written_at < now() - ${strandedSeconds} * interval '1 second'
      ORDER BY event_id LIMIT ${strandedMax}`,
  );
  if (rows.length === 0) return 0;
  await fanOut(rows.map((row) => JSON.parse(row.body) as SessionEvent));
  await database.query('UPDATE outbox SET fanned_out = true WHERE event_id = ANY($1::text[])', [
    rows.map((row) => row.event_id),
  ]);
  return rows.length;
}
