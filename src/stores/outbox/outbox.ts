/**
 * The outbox: session events on their way into the log. An event is written in the transaction of its change, so that both exist or neither does, and
 * is appended to the log (topic `verifications`) right after the commit.
 *
 *   written ──commit──▶ waiting ──publish──▶ in the log ──fanned out from there──▶ removed
 *                          │                     └──not within a minute (the log lost it, its reader is away)──▶ the sweeper repeats it
 *                          └──not published within seconds (the log was away, the process died)──▶ the sweeper hands it over
 *
 * Nothing is lost, even where the log loses what it took: a row is removed only after its event was fanned out and was in the log. An event
 * may come more than once, always under the same eventId. `publish` never rejects, and what it cannot do is left to the sweeper
 * (outbox-sweeper.ts).
 */
import { Buffer } from 'node:buffer';
import type { SessionEvent } from '../../contract/session-event.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { columnsOf } from '../database/columns.js';
import type { Database, Queryable } from '../database/port.js';
import { packedBytes } from '../log/packing.js';
import type { Log, LogEntry } from '../log/port.js';

export interface OutboxDeps {
  readonly database: Database;
  readonly log: Log;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'outboxEvents'>;
}

export interface Outbox {
  /** Writes events within the transaction of their changes. */
  write(tx: Queryable, events: readonly SessionEvent[]): Promise<void>;
  /** Hands committed events to the log. Resolves when they are there, or are left to the sweeper. */
  publish(events: readonly SessionEvent[]): Promise<void>;
  /** Resolves when no event is on its way, and the log's are noted. */
  close(): Promise<void>;
}

/** No event comes near: what a caller may put into a session is bounded. */
const eventBytesMax = 262_144;
/** Bytes on their way at once; what is beyond is left to the sweeper. Most events have one or two kilobytes, the largest a hundred times as much. */
const publishingBytesMax = 16_777_216;
/** Rows are touched together, a few times a second; most are fanned out and gone by then. */
const noteEveryMs = 50;
/** The sweeper leaves an event alone for this long, so that it does not overtake its writer. */
const graceSeconds = 3;
/** The log may have lost an event that it has taken, if no process has fanned it out for so long. */
const lostSeconds = 60;

export function createOutbox({ database, log, logger, metrics }: OutboxDeps): Outbox {
  let publishingBytes = 0;
  const underWay = new Set<Promise<void>>();
  let published: string[] = [];
  let noting: Promise<void> | null = null;

  const note = async (): Promise<void> => {
    while (published.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, noteEveryMs));
      const eventIds = published;
      published = [];
      await noteInLog(database, eventIds).catch((error: unknown) =>
        logger.warn({ err: error, events: eventIds.length }, 'published events may be sent twice'),
      );
    }
    noting = null;
  };

  const send = async (events: readonly SessionEvent[], entries: readonly LogEntry[], bytes: number): Promise<void> => {
    publishingBytes += bytes;
    try {
      await log.append('verifications', entries);
      metrics.outboxEvents.inc({ event: 'published' }, events.length);
      published.push(...events.map((event) => event.eventId));
      noting ??= note();
    } catch (error) {
      logger.warn({ err: error, events: events.length }, 'writing events to the log failed; the sweeper retries');
    } finally {
      publishingBytes -= bytes;
    }
  };

  return {
    write: writeEvents,
    async publish(events) {
      const entries = events.map((event) => entryOf(event.sessionId, JSON.stringify(event)));
      const bytes = entries.reduce((sum, entry) => sum + packedBytes(entry), 0);
      if (events.length === 0 || publishingBytes + bytes > publishingBytesMax) return;
      const sending = send(events, entries, bytes);
      underWay.add(sending);
      await sending;
      underWay.delete(sending);
    },
    async close() {
      await Promise.all(underWay);
      await noting;
    },
  };
}

/** Writes events within the transaction of their changes. */
export async function writeEvents(tx: Queryable, events: readonly SessionEvent[]): Promise<void> {
  if (events.length === 0) return;
  const bodies = events.map((event) => bodyOf(event));
  await tx.query(
    `INSERT INTO outbox (event_id, organization_id, log_key, body, due_at)
         SELECT id, organization, key, body, now() + ${graceSeconds} * interval '1 second'
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS event (id, organization, key, body)`,
    [...columnsOf(events, 'eventId', 'organizationId', 'sessionId'), bodies],
    { recurring: true },
  );
}

/** An event as it lies in the log; throws for an entry that is none. */
export function eventOf({ value }: LogEntry): SessionEvent {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')) as SessionEvent;
}

export const entryOf = (key: string, body: string): LogEntry => ({ key, value: Buffer.from(body) });

/** The log has the events: those that were fanned out go, the others get time for it. Rows that somebody works on are left to him. */
export async function noteInLog(database: Queryable, eventIds: readonly string[]): Promise<void> {
  await database.query(
    `WITH taken AS (SELECT event_id, fanned_out FROM outbox WHERE event_id = ANY($1::text[]) ORDER BY event_id FOR UPDATE SKIP LOCKED),
          removed AS (DELETE FROM outbox WHERE event_id IN (SELECT event_id FROM taken WHERE fanned_out))
     UPDATE outbox SET due_at = now() + ${lostSeconds} * interval '1 second'
      WHERE event_id IN (SELECT event_id FROM taken WHERE NOT fanned_out)`,
    [eventIds],
    { recurring: true },
  );
}

/** Events that came from the log were fanned out: nothing is left to be done for them. */
export async function removeEvents(database: Queryable, eventIds: readonly string[]): Promise<void> {
  await database.query(
    `DELETE FROM outbox WHERE event_id IN (
       SELECT event_id FROM outbox WHERE event_id = ANY($1::text[]) ORDER BY event_id FOR UPDATE)`,
    [eventIds],
    { recurring: true },
  );
}

/** Deletes waiting events of a project's sessions within the organization of the transaction; returns how many. */
export async function eraseEvents(tx: Queryable, projectId: string, sessionIds: readonly string[]): Promise<number> {
  const rows = await tx.query(
    "DELETE FROM outbox WHERE log_key = ANY($1::text[]) AND body::json ->> 'projectId' = $2 RETURNING event_id",
    [sessionIds, projectId],
  );
  return rows.length;
}

/** Whether a log entry is an event of one of a project's sessions. Throws for an entry that is no event. */
export function isEventOf(value: Uint8Array, projectId: string, sessionIds: ReadonlySet<string>): boolean {
  const event = eventOf({ key: '', value });
  return event.projectId === projectId && sessionIds.has(event.sessionId);
}

function bodyOf(event: SessionEvent): string {
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) > eventBytesMax)
    throw new Error(`event ${event.eventId} has more than ${eventBytesMax} bytes`);
  return body;
}
