/**
 * Moves error replies that operations of an API document share to `components.responses`, named after their status. A reply that
 * differs stays with its operation.
 */
import { STATUS_CODES } from 'node:http';

type Replies = Record<string, object>;
interface Document {
  readonly components?: Readonly<Record<string, unknown>>;
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { responses?: Replies }>>>>;
}

/** Returns a copy. */
export function shareReplies<const T extends object>(document: T): T {
  const copy = structuredClone(document) as Document;
  const shared: Replies = {};
  for (const operations of Object.values(copy.paths ?? {})) {
    for (const operation of Object.values(operations)) {
      const { responses } = operation;
      if (responses === undefined) continue;
      operation.responses = Object.fromEntries(
        Object.entries(responses).map(([status, reply]) => [status, shareReply(shared, status, reply)]),
      );
    }
  }
  return { ...copy, components: { ...copy.components, responses: shared } } as unknown as T;
}

function shareReply(shared: Replies, status: string, reply: object): object {
  const words = STATUS_CODES[status];
  if (Number(status) < 400 || words === undefined) return reply;
  const name = words.replaceAll(/[^A-Za-z]/g, '');
  const first = (shared[name] ??= reply);
  return JSON.stringify(first) === JSON.stringify(reply) ? { $ref: `#/components/responses/${name}` } : reply;
}
