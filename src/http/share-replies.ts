/**
 * Lets operations of an API document share their error replies: what every operation answers with a status stands once
 * under `components.responses`, named after the status. A reply that differs stays where it is.
 */
import { STATUS_CODES } from 'node:http';

type Replies = Record<string, object>;
interface Document {
  readonly components?: Readonly<Record<string, unknown>>;
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { responses?: Replies }>>>>;
}

/** Returns the document with references in place of repeated error replies. */
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
