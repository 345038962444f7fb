/**
 * Calls an operation on behalf of whoever called the tool: with their token, inside this process, within a deadline. What the operation
 * refuses comes back in its own words.
 */
import type { FastifyInstance } from 'fastify';
import type { ErrorBody } from '../contract/common.js';
import type { OperationCall } from './tool.js';

export interface Callee {
  readonly app: Pick<FastifyInstance, 'inject'>;
  readonly prefix: string;
}

export interface RelayDeps {
  /** The applications that serve the operations, and the paths of their roots. */
  readonly api: Callee;
  readonly audience: Callee;
  readonly deadlineMs: number;
}

export interface RelayedBy {
  readonly authorization: string;
  readonly requestId: string;
  /** Runs before an operation is called, and counts the call against the caller’s limits. */
  readonly onCall: () => void;
  /** Runs on a fault of the service, not on a refusal. */
  readonly onFailure: (error: unknown) => void;
}

export type Relayed =
  { readonly ok: true; readonly reply: unknown } | { readonly ok: false; readonly error: Partial<ErrorBody> };

export async function relay(
  { api, audience, deadlineMs }: RelayDeps,
  { authorization, requestId, onCall }: RelayedBy,
  { api: named, method, path, query = {}, body, projectId }: OperationCall,
): Promise<Relayed> {
  const present = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const { app, prefix } = named === 'audience' ? audience : api;
  onCall();
  const calling = app.inject({
    method,
    url: prefix + path,
    query: Object.fromEntries(present) as Record<string, string>,
    headers: {
      authorization,
      'x-request-id': requestId,
      ...(projectId === undefined ? {} : { 'x-project-id': projectId }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const answer = await within(calling, deadlineMs);
  if (answer === null)
    return {
      ok: false,
      error: { code: 'OVERLOADED', message: `It took longer than ${deadlineMs / 1_000} s. Try again.` },
    };
  const reply: unknown = answer.json();
  return answer.statusCode < 300 ? { ok: true, reply } : { ok: false, error: reply as ErrorBody };
}

/** null where it takes too long; what it comes to then is nobody’s. */
async function within<T>(work: Promise<T>, deadlineMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), deadlineMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
