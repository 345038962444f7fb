/**
 * For receivers of webhooks: checks whether a request is the service’s, unchanged and recent. Published as `verifyhuman/webhooks`; needs
 * nothing but Node.js.
 *
 * Takes the body as the bytes or text that came, before any parsing. Never throws for what a stranger sends; a missing secret, a parsed body and
 * an option that cannot be used are mistakes of the receiver’s and throw.
 *
 * It checks `webhook-signature`, because that one covers the id of the event and, during an overlap, carries the replaced secret too.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type WebhookRefusal = 'MISSING_HEADERS' | 'STALE_TIMESTAMP' | 'WRONG_SIGNATURE';

export interface VerifiedWebhook {
  readonly valid: true;
  /** The event that the signed body names; empty if it names none. */
  readonly event: string;
  /** The signed id of the event at this endpoint, the same on every attempt. */
  readonly dedupeKey: string;
  /** From a header that is not signed; for logs. */
  readonly attempt: number;
}

export type WebhookVerification = VerifiedWebhook | { readonly valid: false; readonly reason: WebhookRefusal };

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

/** Verifies the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookVerification {
  checkOptions(options);
  const { headers, body, nowSeconds = Date.now() / 1_000, toleranceSeconds = toleranceDefault } = options;
  const header = (name: string): string | undefined => {
    const value = isHeaders(headers) ? headers.get(name) : headers[name];
    return typeof value === 'string' ? value : value?.[0];
  };
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (!id || timestamp === undefined || signature === undefined) return { valid: false, reason: 'MISSING_HEADERS' };
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds)
    return { valid: false, reason: 'STALE_TIMESTAMP' };
  const claimed = signaturesOf(signature);
  const secrets = [options.secret].flat().filter((secret) => secret !== '');
  const isRight = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
    return claimed.some((each) => each.length === expected.length && timingSafeEqual(expected, each));
  });
  if (!isRight) return { valid: false, reason: 'WRONG_SIGNATURE' };
  const attempt = header('x-service-attempt') ?? '';
  return { valid: true, event: eventOf(body), dedupeKey: id, attempt: /^\d{1,4}$/.test(attempt) ? Number(attempt) : 1 };
}

const names = {
  secret: true,
  headers: true,
  body: true,
  toleranceSeconds: true,
  nowSeconds: true,
} as const satisfies Readonly<Record<keyof VerifyWebhookOptions, true>>;

/** An unset variable would otherwise switch a check off, and a misspelt option have no effect. */
function checkOptions(options: VerifyWebhookOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined)
    throw new TypeError(`"${unknown}" is unknown to verifyWebhook, which takes ${Object.keys(names).join(', ')}.`);
  const secrets: readonly unknown[] = [options.secret].flat();
  if (secrets.some((secret) => typeof secret !== 'string') || secrets.every((secret) => secret === ''))
    throw new TypeError(
      'verifyWebhook needs the secret of the webhook: a text, or a list of texts. Check its variable.',
    );
  if (typeof options.headers !== 'object' || options.headers === null)
    throw new TypeError('verifyWebhook needs the headers of the request.');
  if (typeof options.body !== 'string' && !(options.body instanceof Uint8Array))
    throw new TypeError(
      'verifyWebhook needs the body as it came. Pass await request.text(), or the bytes of express.raw(), and parse it afterwards.',
    );
  for (const name of ['toleranceSeconds', 'nowSeconds'] as const) {
    const value: unknown = options[name];
    if (value !== undefined && !(Number.isFinite(value) && (value as number) >= 0))
      throw new TypeError(`${name} of verifyWebhook is a number of seconds, 0 or more. Omit it for its default.`);
  }
}

const isHeaders = (headers: VerifyWebhookOptions['headers']): headers is Pick<Headers, 'get'> =>
  typeof headers['get'] === 'function';

/** One header holds several while a secret is being replaced. */
const signaturesOf = (header: string): readonly Buffer[] =>
  header
    .split(' ')
    .slice(0, 10)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'));

/** A holder of the secret can sign a body that no webhook has; that one names no event. */
function eventOf(body: string | Uint8Array): string {
  try {
    const named = (JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8')) ?? {}) as {
      readonly event?: unknown;
    };
    return typeof named.event === 'string' ? named.event : '';
  } catch {
    return '';
  }
}
