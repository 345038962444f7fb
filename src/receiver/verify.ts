/**
 * For receivers of webhooks: checks whether a request is the service’s, unchanged and recent. Published as `verifyhuman/webhooks`; needs
 * nothing but Node.js.
 *
 * Takes the body as the bytes or text that came, before any parsing. Never throws for what a stranger sends; a missing secret and a parsed body
 * are mistakes of the receiver’s and throw.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type WebhookRefusal = 'MISSING_HEADERS' | 'STALE_TIMESTAMP' | 'WRONG_SIGNATURE';

export type WebhookVerification =
  | { readonly valid: true; readonly attempt: number; readonly event: string; readonly dedupeKey: string }
  | { readonly valid: false; readonly reason: WebhookRefusal };

export interface VerifyWebhookOptions {
  /** The secret shown when the webhook was made or its secret rotated; several while one replaces another. */
  readonly secret: string | readonly string[];
  /** The headers of node:http, or any object with lower-case names, or the Headers of a fetch request, as in Next.js, Hono and Bun. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> | Pick<Headers, 'get'>;
  /** The bytes or text that came. A parsed body throws a TypeError. */
  readonly body: string | Uint8Array;
  /** Difference of the clocks that is let pass, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
  /** Unix seconds; default: now. */
  readonly nowSeconds?: number;
}

const toleranceDefault = 300;

/** Verifies X-Service-Signature, or webhook-signature where only that is there. */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookVerification {
  const secrets = [options.secret].flat().filter((secret) => secret !== '');
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs the secret of the webhook');
  if (typeof options.body !== 'string' && !(options.body instanceof Uint8Array))
    throw new TypeError(
      'verifyWebhook needs the body as it came. Pass await request.text(), or the bytes of express.raw(), and parse it afterwards.',
    );
  const { headers } = options;
  const header = (name: string): string | undefined => {
    const value = isHeaders(headers) ? headers.get(name) : headers[name];
    return typeof value === 'string' ? value : value?.[0];
  };
  const own = { timestamp: header('x-service-timestamp'), signature: header('x-service-signature') };
  const standard = {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
  };
  const isOwn = own.timestamp !== undefined && own.signature !== undefined;
  const timestamp = isOwn ? own.timestamp : standard.timestamp;
  const hasStandard = standard.id !== undefined && standard.signature !== undefined;
  if (timestamp === undefined || !(isOwn || hasStandard)) return { valid: false, reason: 'MISSING_HEADERS' };
  const age = Math.abs((options.nowSeconds ?? Date.now() / 1_000) - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > (options.toleranceSeconds ?? toleranceDefault))
    return { valid: false, reason: 'STALE_TIMESTAMP' };
  const mac = (secret: string, prefix: string): Buffer =>
    createHmac('sha256', secret).update(prefix).update(options.body).digest();
  const isRight = secrets.some((secret) =>
    isOwn
      ? same(mac(secret, `${timestamp}.`), hexOf(own.signature))
      : signaturesOf(standard.signature).some((claimed) => same(mac(secret, `${standard.id}.${timestamp}.`), claimed)),
  );
  if (!isRight) return { valid: false, reason: 'WRONG_SIGNATURE' };
  const event = header('x-service-event') ?? '';
  return {
    valid: true,
    attempt: Number(header('x-service-attempt') ?? 1),
    event,
    dedupeKey: standard.id ?? `${header('x-service-idempotency-key') ?? ''} ${event}`,
  };
}

const isHeaders = (headers: VerifyWebhookOptions['headers']): headers is Pick<Headers, 'get'> =>
  typeof headers['get'] === 'function';

const same = (expected: Buffer, claimed: Buffer): boolean =>
  claimed.length === expected.length && timingSafeEqual(expected, claimed);

const hexOf = (signature: string | undefined): Buffer =>
  Buffer.from(/^sha256=([0-9a-f]{64})$/.exec(signature ?? '')?.[1] ?? '', 'hex');

/** Several may stand in one header while a secret is being replaced. */
const signaturesOf = (header: string | undefined): readonly Buffer[] =>
  (header ?? '')
    .split(' ')
    .slice(0, 10)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'));
