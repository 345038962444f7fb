/**
 * The last pass over the generated API document: shares shapes and error replies, describes tags, and marks optional bodies.
 * Pure: it does not change the generator's document.
 */
import { tagDescriptions } from '../contract/tags.js';
import { nameShapes } from './name-shapes.js';
import { shareReplies } from './share-replies.js';

interface Operation {
  readonly tags?: readonly string[];
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
}

export function finishDocument<const T extends object>(document: T): T {
  const finished = shareReplies(nameShapes(document)) as T & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const operations = Object.values(finished.paths).flatMap((methods) => Object.values(methods));
  for (const { requestBody } of operations) {
    if (requestBody !== undefined) requestBody.required = !Object.values(requestBody.content).some(takesNull);
  }
  const used = new Set(operations.flatMap(({ tags }) => tags ?? []));
  const tags = Object.entries(tagDescriptions)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  return { ...finished, tags };
}

/** A route gets a missing body as null. */
function takesNull({ schema }: { readonly schema?: object }): boolean {
  const { anyOf = [] } = (schema ?? {}) as { readonly anyOf?: readonly { readonly type?: string }[] };
  return anyOf.some(({ type }) => type === 'null');
}
