/** Whether Redis still holds what was counted in it; see `Completeness`. Each is one script on the project's slot. */
import { storeUnavailable } from '../../../errors.js';
import type { Namespace } from '../namespace.js';
import type { Completeness } from '../port.js';
import { tagOf } from '../counting/keys.js';
import type { RedisConnection } from './connection.js';
import type { Argument, Script, Scripts } from './scripts.js';

export function createCompleteness(connection: RedisConnection, scripts: Scripts, now: () => number): Completeness {
  const ask = async (script: Script, namespace: Namespace, args: readonly Argument[]): Promise<string> =>
    String(await connection.run(script, tagOf(namespace), args));
  return {
    checkComplete: async (namespace) => {
      const answer = await ask(scripts.checkComplete, namespace, [formatTimestamp(now())]);
      if (answer === 'complete') return { isComplete: true, keptUpToMs: null };
      return { isComplete: false, keptUpToMs: answer === '' ? null : Number(answer) };
    },
    claimRebuild: async (namespace, owner, isRenewal) => {
      const answer = await ask(scripts.claimRebuild, namespace, [owner, isRenewal ? '1' : '']);
      if (answer === 'held' || answer === 'taken' || answer === 'interrupted') return answer;
      throw storeUnavailable(`counters in Redis: unexpected answer to a claim: ${answer.slice(0, 100)}`);
    },
    noteRebuilt: async (namespace, owner, downTo) =>
      (await ask(scripts.noteRebuilt, namespace, [owner, downTo])) === 'noted',
    rebuiltDownTo: async (namespace) => (await ask(scripts.noteRebuilt, namespace, ['', ''])) || null,
    markComplete: async (namespace, owner = '') =>
      (await ask(scripts.markComplete, namespace, [formatTimestamp(now()), owner])) === 'complete',
    interruptions: () => connection.interruptions(),
  };
}

/** Times sort as texts in the scripts. */
const formatTimestamp = (nowMs: number): string => String(nowMs).padStart(13, '0');
