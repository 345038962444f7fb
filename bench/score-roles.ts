/** Other set-ups under the score bench's load, one at a time: role api with a separate consumer process, and embedded stores. */
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { median, type Load } from './load.js';
import { serve } from './process.js';
import { createSessions, saturate, scoring, settle } from './score-rounds.js';
import { withStack } from './stack.js';
import { scoresPerSecondFirst, warmUp, type WarmUp } from './warm-up.js';

export interface RoleMeasured {
  readonly perSecond: number;
  readonly cpuPerRequest: number;
  readonly errors: number;
  /** Most memory at the end of a round, in bytes: what making the database took at the start is given back. */
  readonly rssBytes: number;
}

export interface RoleLoad {
  readonly load: Load;
  readonly warm: WarmUp;
  readonly seconds: number;
  readonly rounds: number;
}

const serviceEntry = new URL('./service-server.js', import.meta.url);

/** One process answers requests, another one consumes. */
export const measureApi = (roleLoad: RoleLoad): Promise<RoleMeasured> =>
  withStack(async (stack) => {
    const consumers = await serve(serviceEntry, { ...stack, VH_ROLES: 'consumers' });
    try {
      return await measure({ ...stack, VH_ROLES: 'api' }, roleLoad);
    } finally {
      await consumers.stop();
    }
  });

export const measureEmbedded = (roleLoad: RoleLoad): Promise<RoleMeasured> => measure({}, roleLoad);

async function measure(
  environment: Readonly<Record<string, string>>,
  { load, warm, seconds, rounds }: RoleLoad,
): Promise<RoleMeasured> {
  const service = await serve<Bootstrap>(serviceEntry, environment);
  try {
    const contestant = scoring(service);
    const sessions = createSessions(load, service.info);
    await warmUp(load, contestant, sessions, warm);
    const measured = [];
    for (let round = 0; round < rounds; round += 1) {
      const body = await sessions.take(seconds * (measured.at(-1)?.perSecond ?? scoresPerSecondFirst) * 1.5);
      await settle([service], seconds);
      const figures = await saturate(load, contestant, body, seconds, null);
      measured.push({ ...figures, rssBytes: service.rssBytes() });
    }
    return {
      perSecond: median(measured.map(({ perSecond }) => perSecond)),
      cpuPerRequest: median(measured.map(({ cpuPerRequest }) => cpuPerRequest)),
      errors: measured.reduce((sum, { errors }) => sum + errors, 0),
      rssBytes: Math.max(...measured.map(({ rssBytes }) => rssBytes)),
    };
  } finally {
    await service.stop();
  }
}
