/**
 * Keeps what the nodes of a cluster and the Sentinels said lately, by address. The client’s own error names none of them, and calls of a cluster fail
 * without any.
 */
import type { Cluster, Redis } from 'ioredis';
import { wordsOf } from '../../../telemetry/logged-error.js';

/** Nodes that are away are tried more often than this; what is older was of another outage. */
const recentMs = 5_000;
/** The client says this of each call to a node that it has no connection to, also after it said why. */
const closed = 'Connection is closed.';

export function watchNodeErrors(client: Redis | Cluster, now: () => number = () => performance.now()) {
  const byNode = new Map<string, { readonly reason: string; readonly atMs: number }>();
  const note = (node: string, reason: string): void => {
    dropOld();
    if (reason !== closed || !byNode.has(node)) byNode.set(node, { reason, atMs: now() });
  };
  const dropOld = (): void => {
    for (const [node, { atMs }] of byNode) if (now() - atMs > recentMs) byNode.delete(node);
  };
  client.on('node error', (error: Error, node: string) => note(node, wordsOf(error)));
  client.on('sentinelError', (error: Error) => {
    const [, sentinel, reason = ''] = /sentinel (\S+) (?:because )?(.*)/s.exec(wordsOf(error)) ?? [];
    if (sentinel !== undefined) note(`Sentinel ${sentinel}`, reason);
  });
  return {
    /** The words of an error of the client, with those of the nodes. */
    explain: (error: unknown): string => {
      dropOld();
      const nodes = [...byNode].map(([node, { reason }]) => `${node}: ${reason}`).join('; ');
      return nodes === '' ? wordsOf(error) : `${wordsOf(error)} ${nodes}`;
    },
  };
}
