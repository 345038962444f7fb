/**
 * Calls to the service. A request may take 15 s, is repeated twice with jitter where the network or the service failed, and all of it ends
 * after 45 s. A refusal (4xx) is final, and so is a request that the page's policy blocks; too many requests wait once for as long as
 * Retry-After says, and again where that is a moment. Never throws: what came of a call is a Reply or a Trouble.
 */
import type { CspWatch } from './csp.js';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the transport’s own: how long one request may take, and how often it is repeated. */
  readonly requestMs?: number;
  readonly retries?: number;
  /** How long a Retry-After of 429 may be beyond the end of all requests; 0 by default. */
  readonly waitMsMax?: number;
}

/** An answer of the service: 2xx, 304 or 4xx. `body` is what its JSON says; `repeated` that an earlier try may have arrived. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | null;
  readonly repeated: boolean;
  /** The wait that a 429 requests. */
  readonly retryAfterMs?: number | null;
}

/** No answer that counts. `message` begins with E030 for the network. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly reason: 'network' | 'timeout' | 'server';
  readonly message: string;
}

export interface TransportDeps {
  readonly fetch: typeof fetch;
  readonly random: () => number;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly csp: Pick<CspWatch, 'find'>;
  readonly limits: TransportLimits;
}

export interface TransportLimits {
  readonly requestMs: number;
  readonly totalMs: number;
  readonly retries: number;
  readonly backoffMs: number;
}

export const transportLimits: TransportLimits = { requestMs: 15_000, totalMs: 45_000, retries: 2, backoffMs: 500 };

/** The longest Retry-After of a limit on calls at once: another call is under way. */
const momentMs = 2_000;

export type Transport = (call: Call, signal: AbortSignal) => Promise<Reply | Trouble>;

/** Rejects with the signal's reason where the mount was called off, and never otherwise. */
export function createTransport(deps: TransportDeps): Transport {
  const { limits } = deps;
  return async (call, signal) => {
    const { requestMs = limits.requestMs, retries = limits.retries, waitMsMax = 0 } = call;
    let endMs = deps.now() + limits.totalMs;
    let hasWaited = false;
    for (let tries = 0, failures = 0; ; tries++) {
      const tried: Tried = await tryOnce(deps, call, Math.min(requestMs, endMs - deps.now()), signal);
      const waits: boolean = tried.kind === 'reply' && tried.status === 429 && tried.retryAfterMs !== null;
      const isFirst: boolean = waits && !hasWaited;
      const isBrief = waits && (tried.retryAfterMs ?? 0) <= momentMs;
      if (tried.kind === 'reply' && !isFirst && !isBrief) return { ...tried, repeated: tries > 0 };
      if (tried.isBlocked || (!isFirst && failures++ >= retries)) return finish(tried);
      hasWaited ||= isFirst;
      const waitMs = tried.retryAfterMs ?? limits.backoffMs * jitter(failures, deps.random());
      if (isFirst && waitMs <= waitMsMax) endMs += waitMs;
      if (deps.now() + waitMs >= endMs) return finish(tried);
      await deps.wait(waitMs, signal);
    }
  };
}

type Tried = (Omit<Reply, 'repeated' | 'retryAfterMs'> | Trouble) & {
  readonly retryAfterMs: number | null;
  readonly isBlocked?: true;
};

function finish(tried: Tried): Reply | Trouble {
  return tried.kind === 'reply' ? { ...tried, repeated: true } : tried;
}

/** Half to one and a half of a step that doubles. */
const jitter = (failures: number, random: number): number => 2 ** (failures - 1) * (0.5 + random);

/** Seconds, or a date of HTTP, from now; null where neither. */
export function readRetryAfter(text: string | null, nowMs: number): number | null {
  if (text === null || text.trim() === '') return null;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

async function tryOnce(deps: TransportDeps, call: Call, timeoutMs: number, signal: AbortSignal): Promise<Tried> {
  const abort = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort.abort();
  }, timeoutMs);
  const calledOff = () => abort.abort();
  signal.addEventListener('abort', calledOff);
  try {
    signal.throwIfAborted();
    return await exchange(deps, call, abort.signal);
  } catch {
    signal.throwIfAborted();
    const host = new URL(call.url).host;
    if (isLate)
      return trouble(
        'timeout',
        `${host} did not answer within ${(call.requestMs ?? deps.limits.requestMs) / 1000} seconds.`,
      );
    const blocked = await deps.csp.find(call.url);
    if (blocked !== null) return { ...trouble('network', blocked), isBlocked: true };
    return trouble('network', `E030: ${host} can’t be reached. Check the connection and apiEndpoint.`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', calledOff);
  }
}

const trouble = (reason: Trouble['reason'], message: string, retryAfterMs: number | null = null): Tried => ({
  kind: 'trouble',
  reason,
  message,
  retryAfterMs,
});

async function exchange(
  { fetch }: TransportDeps,
  { method, url, body, headers }: Call,
  signal: AbortSignal,
): Promise<Tried> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'omit',
    // The page's address may hold what is nobody's business.
    referrerPolicy: 'origin',
    signal,
  });
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
  if (status >= 500) return trouble('server', `The service returned status ${status}. Try again later.`, retryAfterMs);
  const answer = parse(await response.text());
  // A portal or a proxy that answers in the service’s place.
  if (response.ok && (typeof answer !== 'object' || answer === null))
    return trouble('server', `${new URL(url).host} did not return a JSON object. Check apiEndpoint.`);
  return { kind: 'reply', status, body: answer, etag: response.headers.get('etag'), retryAfterMs };
}

/** Undefined for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
