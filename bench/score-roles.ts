/** Other set-ups under the score bench's load, one at a time: role api with a separate consumer process, and embedded stores. */
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { median, type Load } from './load.js';
import { serve } from './process.js';
import { saturate, scoring, settle, type Round } from './score-rounds.js';
import { probedIn, warmUp, type WarmUp } from './score-turns.js';
import { withStack } from './stack.js';

export interface RoleMeasured extends Pick<Round, 'perSecond' | 'cpuPerRequest' | 'errors'> {
  /** Most memory at the end of a round, in bytes: what the start takes to make the database is given back. */
  readonly rssBytes: number;
  /** CPU of a load message of the probe, microseconds. */
  readonly cpuPerProbe: number;
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
  const served = await serve<Bootstrap>(serviceEntry, environment);
  try {
    const contestant = scoring(served, load);
    await warmUp(load, contestant, warm);
    const measured: Round[] = [];
    let rssBytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      const body = await contestant.sessions.take(probedIn(seconds, measured));
      await settle([served], seconds);
      measured.push(await saturate(load, contestant, body, { seconds, stack: null }));
      rssBytes = Math.max(rssBytes, served.rssBytes());
    }
    const { probes } = contestant.sessions;
    if (probes === null) throw new Error('the service takes probes');
    const intake = await saturate(load, { served, target: probes }, probes.body, { seconds, stack: null });
    return {
      cpuPerProbe: intake.cpuPerRequest,
      perSecond: median(measured.map(({ perSecond }) => perSecond)),
      cpuPerRequest: median(measured.map(({ cpuPerRequest }) => cpuPerRequest)),
      errors: [...measured, intake].reduce((sum, { errors }) => sum + errors, 0),
      rssBytes,
    };
  } finally {
    await served.stop();
  }
}
