/**
 * Headers and signatures of a delivery. The key is the secret as shown: its 64 hexadecimal characters. A replaced secret signs the
 * additional header alone, if its owner asked for an overlap.
 */
import { createHmac } from 'node:crypto';
import type { DeliveredType } from '../contract/postback.js';
import type { Secrets } from '../administration/secret-store.js';
import { wellFormed } from '../kernel/body.js';

export interface Signed {
  readonly event: DeliveredType;
  readonly sessionId: string;
  /** Unique per event and endpoint, the same on every attempt. */
  readonly messageId: string;
  readonly attempt: number;
  readonly body: string;
}

export function signedHeaders(
  { event, sessionId, messageId, attempt, body }: Signed,
  { current, previous }: Secrets,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = [current, ...(previous === null ? [] : [previous])].map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'VerifyHuman-Webhooks/1',
    'accept-encoding': 'identity',
    'x-service-event': event,
    'x-service-signature': `sha256=${createHmac('sha256', current).update(`${timestamp}.${body}`).digest('hex')}`,
    'x-service-timestamp': timestamp,
    'x-service-idempotency-key': inHeader(sessionId),
    'x-service-attempt': String(attempt),
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Percent-encoded are the characters that a header cannot hold, and the percent sign: a session id is any text of the caller’s. */
const inHeader = (text: string): string => wellFormed(text).replace(/[^!-$&-~]+/g, encodeURIComponent);

/** Standard Webhooks joins id, time and body with dots, so that an id has none. */
export const messageIdOf = (eventId: string, webhookId: string): string => `${eventId}_${webhookId}`;
