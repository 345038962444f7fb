/**
 * Limits that requests are held to: those of a key, of public calls by project and origin, and the end of a trial.
 *
 * A key’s calls are counted under the same names as its scoring calls, so that the ceilings are shared. While the counters store is
 * away a call passes and is counted as a failure of the store: a limit protects from too much, and an outage that refuses everybody
 * would be the greater harm.
 */
import type { KeyCaller } from '../kernel/caller.js';
import { rateLimited } from '../kernel/faults.js';
import { Fault } from '../errors.js';
import type { Counters, RateLimit } from '../stores/counters/port.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { StoredOrganization } from './organization-store.js';

export interface LimitDeps {
  readonly counters: Pick<Counters, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly findOrganization: (organizationId: string) => Promise<StoredOrganization | null>;
  /** Public calls a minute for a project and origin; 0 for no limit. */
  readonly publicPerMinute: number;
}

export type Limits = ReturnType<typeof createLimits>;

const demoKeysPerMinute = 10;
const tokensPerMinute = 120;
const failedAuthenticationsPerMinute = 30;
const unknownClientsPerMinute = 600;

export function createLimits(deps: LimitDeps) {
  async function take(who: string, tag: string, limits: readonly RateLimit[]): Promise<void> {
    const nowMs = deps.now();
    const rate = await deps.counters.takeRate(tag, nowMs, limits).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'STORE_UNAVAILABLE') throw error;
      deps.metrics.storeFailures.inc({ store: 'counters' });
      deps.logger.warn({ internal: error.details.internal }, 'a call passed without its limits');
      return null;
    });
    if (rate !== null && !rate.allowed) throw rateLimited(who, rate);
  }

  const takePublic = async (kind: string, projectId: string, origin: string | null): Promise<void> => {
    if (deps.publicPerMinute === 0) return;
    await take('This page', projectId, [
      { key: `${kind}:${origin ?? ''}`, limit: deps.publicPerMinute, windowSeconds: 60 },
    ]);
  };

  return {
    takeKeyRate: (caller: KeyCaller): Promise<void> =>
      caller.client === true
        ? take('This client', caller.organizationId, keyRateLimits(caller))
        : take('This key', caller.projectId ?? caller.organizationId, keyRateLimits(caller)),
    async requireTrial(organizationId: string): Promise<void> {
      const organization = await deps.findOrganization(organizationId);
      const endsAt = organization?.trialEndsAt ?? null;
      if (organization === null || endsAt === null || endsAt.getTime() > deps.now()) return;
      throw new Fault(
        'TRIAL_EXPIRED',
        `The trial of this organization ended on ${endsAt.toISOString().slice(0, 10)}. Upgrade to go on.`,
        {
          context: {
            trialEndsAt: endsAt.toISOString(),
            limit: organization.monthlyQuota,
            usage: null,
            resetDate: null,
          },
        },
      );
    },
    /** One public call; `origin` null stands for those that name none or may not call. */
    takePublicRate: (projectId: string, origin: string | null) => takePublic('public', projectId, origin),
    /** The same for probes, counted apart: a busy survey must not keep its own pages from their configuration. */
    takeProbeRate: (projectId: string, origin: string | null) => takePublic('probe', projectId, origin),
    /** An access token for a client that authenticated. */
    takeToken: (clientId: string) =>
      take('This client', clientId, [{ key: 'tokens', limit: tokensPerMinute, windowSeconds: 60 }]),
    /** A failed authentication as a client; null stands for all that name none that is known. */
    takeFailedAuthentication: (clientId: string | null) =>
      take('This client', clientId ?? 'oauth', [
        {
          key: 'failures',
          limit: clientId === null ? unknownClientsPerMinute : failedAuthenticationsPerMinute,
          windowSeconds: 60,
        },
      ]),
    /** One demo key of a project. */
    takeDemoKey: (projectId: string) =>
      take('A project', projectId, [{ key: 'demo-keys', limit: demoKeysPerMinute, windowSeconds: 60 }]),
  };
}

/** The limits of a key, shared by its lineage and by all calls. Those of an OAuth client hold over all projects. */
function keyRateLimits({ lineage, limits }: Pick<KeyCaller, 'lineage' | 'limits'>): readonly RateLimit[] {
  return [
    { key: `${lineage}:minute`, limit: limits.perMinute, windowSeconds: 60 },
    { key: `${lineage}:day`, limit: limits.perDay, windowSeconds: 86_400 },
  ];
}

/** What scoring takes off a project’s limits as it counts; nothing for an OAuth client, whose call was taken off its own already. */
export const scoringRateLimits = (caller: KeyCaller): readonly RateLimit[] =>
  caller.client === true ? [] : keyRateLimits(caller);
