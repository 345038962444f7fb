/** Whether Redis still holds what was counted in it; see `Completeness`. Each is one script on the project's slot. */
import { storeUnavailable } from '../../../errors.js';
import type { Completeness } from '../port.js';
import { layouts, tagOf } from './arguments.js';
import type { RedisConnection } from './connection.js';
import type { Scripts } from './scripts.js';

export function createCompleteness(connection: RedisConnection, scripts: Scripts, now: () => number): Completeness {
  return {
    checkComplete: async (namespace) => {
      const reply = await connection.run(scripts.checkComplete, tagOf(namespace), layouts.checkComplete.write(now()));
      const answer = String(reply);
      if (answer === 'complete') return { isComplete: true, keptUpToMs: null };
      return { isComplete: false, keptUpToMs: answer === '' ? null : Number(answer) };
    },
    claimRebuild: async (namespace, owner, isRenewal) => {
      const answer = String(
        await connection.run(scripts.claimRebuild, tagOf(namespace), layouts.claimRebuild.write({ owner, isRenewal })),
      );
      if (answer === 'held' || answer === 'taken' || answer === 'interrupted') return answer;
      throw storeUnavailable(`counters in Redis: unexpected answer to a claim: ${answer.slice(0, 100)}`);
    },
    noteRebuilt: async (namespace, owner, downTo) => {
      return (
        String(
          await connection.run(scripts.noteRebuilt, tagOf(namespace), layouts.noteRebuilt.write({ owner, downTo })),
        ) === 'noted'
      );
    },
    rebuiltDownTo: async (namespace) => {
      return (
        String(
          await connection.run(
            scripts.noteRebuilt,
            tagOf(namespace),
            layouts.noteRebuilt.write({ owner: '', downTo: '' }),
          ),
        ) || null
      );
    },
    markComplete: async (namespace, owner = '') => {
      return (
        String(
          await connection.run(
            scripts.markComplete,
            tagOf(namespace),
            layouts.markComplete.write({ nowMs: now(), owner }),
          ),
        ) === 'complete'
      );
    },
    interruptions: () => connection.interruptions(),
  };
}
