/**
 * Limits that requests are held to: those of a key, of public calls by address and by project and origin pattern, and the end of a trial.
 *
 * A key’s calls are counted under the same names as its scoring calls, so that the ceilings are shared. While the counters store is
 * away a call passes and is counted as a failure of the store: a limit protects from too much, and an outage that refuses everybody
 * would be the greater harm.
 */
import type { KeyCaller } from '../kernel/caller.js';
import type { RateState } from '../contract/rate.js';
import { rateLimited } from '../kernel/faults.js';
import { Fault } from '../errors.js';
import { isCarrierOrCampus, type NetworkClass } from '../contract/facts.js';
import { linkSessionsPerUse } from '../contract/hosted-link.js';
import type { Address } from '../net/address.js';
import type { Counters, RateLimit } from '../stores/counters/port.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { withoutCounters } from '../telemetry/without-counters.js';
import type { HostedLink } from './hosted-links.js';
import type { StoredOrganization } from './organization-store.js';

export interface LimitDeps {
  readonly counters: Pick<Counters, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly findOrganization: (organizationId: string) => Promise<StoredOrganization | null>;
  /** Sessions, and completions, a minute for a project and origin pattern; 0 for no limit. */
  readonly publicPerMinute: number;
  /** Public calls of a kind a minute for an address; 0 for no limit. */
  readonly publicPerAddress: number;
  readonly networkOf: (address: Address) => NetworkClass | null;
}

export type Limits = ReturnType<typeof createLimits>;

const demoKeysPerMinute = 10;
const tokensPerMinute = 120;
const failedAuthenticationsPerMinute = 30;
const unknownClientsPerMinute = 600;
/** More than retries, reloads and a household of tabs make. */
const deviceSessionsPerMinute = 20;
/** More than the limit of a minute lets an address make in an hour. */
const sessionsCountMax = 1_000_000;
/** How many times as much as a household a network gets where strangers share addresses: carriers, campuses. */
export const sharedAddressFactor = 10;
/** More than a respondent who reloads makes. */
const respondentVisitsPerMinute = 60;
/**
 * A check makes about eight reads and five challenges, which count as reads, and a respondent of a study about three visits: whoever may make a session finishes it, and a class that starts
 * at once is served. Requests for sessions that are refused cost the service as little as a read.
 */
const factors: Readonly<Record<string, number>> = { reads: 10, requests: 10, visits: 10, probes: 10 };
/** The part of a page’s minute that one /24 or /48 gets. */
const networkShare = 1 / 4;

export function createLimits(deps: LimitDeps) {
  const skip = withoutCounters(deps.metrics, (internal) => deps.logger.warn({ internal }, 'rate limits skipped'));
  const tryRate: TryRate = (tag, limits) => deps.counters.takeRate(tag, deps.now(), limits).catch(skip);
  const take: Take = async (who, tag, limits, what) => {
    const rate = await tryRate(tag, limits);
    if (rate !== null && !rate.allowed) throw rateLimited(who, rate, what);
  };

  const limitOf = createAddressLimit(deps);
  /** Nothing is taken of a page for a network that has used its share up. */
  const takePage = async (
    kind: string,
    projectId: string,
    page: string | null,
    address: Address | null = null,
  ): Promise<void> => {
    if (deps.publicPerMinute === 0) return;
    const key = `${kind}:${page ?? ''}`;
    const what = kind === 'probe' ? 'calls' : kind;
    if (address !== null && limitOf(address) > 0 && !isCarrierOrCampus(deps.networkOf(address))) {
      const share = Math.max(limitOf(address), Math.ceil(deps.publicPerMinute * networkShare));
      await take('This network', projectId, perMinute(`${key}:${address.prefix}`, share), what);
    }
    await take('This page', projectId, perMinute(key, deps.publicPerMinute), what);
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
        `The trial ended on ${endsAt.toISOString().slice(0, 10)}. Upgrade to continue.`,
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
    ...addressLimits(deps, limitOf, take, tryRate),
    /** One session of a browser, by the keyed hash of the token that it keeps. */
    takeDevice: (projectId: string, deviceRef: string): Promise<void> =>
      take('This browser', projectId, perMinute(`sessions:${deviceRef}`, deviceSessionsPerMinute), 'sessions'),
    /** One session or completion of a page; `page` is the registered pattern that allows it, null where none is registered. */
    takeWork: (kind: 'sessions' | 'completions', projectId: string, page: string | null, address: Address | null) =>
      takePage(kind, projectId, page, address),
    /** One message of a probe, or report of a session. */
    takeProbeRate: (projectId: string, page: string | null, address: Address | null) =>
      takePage('probe', projectId, page, address),
    /** An access token for a client that authenticated. */
    takeToken: (clientId: string) =>
      take('This client', clientId, perMinute('tokens', tokensPerMinute), 'access tokens'),
    /** A failed authentication as a client; null stands for all that name none that is known. */
    takeFailedAuthentication: (clientId: string | null) =>
      take(
        'This client',
        clientId ?? 'oauth',
        perMinute('failures', clientId === null ? unknownClientsPerMinute : failedAuthenticationsPerMinute),
        'failed authentications',
      ),
    /** One demo key of a project. */
    takeDemoKey: (projectId: string) =>
      take('This project', projectId, perMinute('demo-keys', demoKeysPerMinute), 'demo keys'),
  };
}

const perMinute = (key: string, limit: number): readonly RateLimit[] => [{ key, limit, windowSeconds: 60 }];

/** null while the counters store is away. */
type TryRate = (tag: string, limits: readonly RateLimit[]) => Promise<RateState | null>;
/** Throws RATE_LIMIT_EXCEEDED; `what` is counted, in the words of the refusal. */
type Take = (who: string, tag: string, limits: readonly RateLimit[], what?: string) => Promise<void>;

/**
 * Calls a minute of an address, or of its /64; 0 if it is not limited. Addresses that nobody has on the internet are no caller’s own: they are of a
 * network’s inside, or of a proxy that VH_TRUSTED_PROXIES does not name, and limiting that one would stop everybody. Calls with contradictory
 * headers are limited under the address of their proxy: a respondent sends none.
 */
const createAddressLimit =
  ({ publicPerAddress, networkOf }: Pick<LimitDeps, 'publicPerAddress' | 'networkOf'>) =>
  (address: Address | null): number =>
    address?.range === 'public' || address?.isDisputed === true
      ? publicPerAddress * (isCarrierOrCampus(networkOf(address)) ? sharedAddressFactor : 1)
      : 0;

function addressLimits(
  { networkOf }: LimitDeps,
  limitOf: ReturnType<typeof createAddressLimit>,
  take: Take,
  tryRate: TryRate,
) {
  const who = 'This address';
  return {
    /** One public call. */
    async takeAddress(kind: string, address: Address | null): Promise<void> {
      const limit = limitOf(address) * (factors[kind] ?? 1);
      if (address === null || limit === 0) return;
      await take(who, address.place, perMinute(`${kind}:address`, limit), kind);
    },
    /** One visit of a respondent who proves who they are, whatever strangers at their address do. `ref` is their id within the project. */
    takeRespondent: (projectId: string, ref: string): Promise<void> =>
      take('This respondent', projectId, perMinute(`visits:${ref}`, respondentVisitsPerMinute), 'visits'),
    /** One session of a link. Whoever has no address of their own shares one. */
    async takeLink({ linkId, projectId, maxUses }: HostedLink, address: Address | null): Promise<void> {
      if (maxUses === null) return;
      const factor = address !== null && isCarrierOrCampus(networkOf(address)) ? sharedAddressFactor : 1;
      const limit = { limit: maxUses * linkSessionsPerUse * factor, windowSeconds: 3_600 };
      await take(who, projectId, [{ key: `${linkId}:${address?.place ?? ''}`, ...limit }], 'sessions');
    },
    /**
     * Counts a session if it is free, half as many an hour as a minute may have. Otherwise counts nothing, and answers what the hour would then
     * have as a multiple of the free ones; 0 if the session is free.
     */
    async takeFreeSession(address: Address | null): Promise<number> {
      const free = limitOf(address) / 2;
      if (address === null || free === 0) return 0;
      const rate = await tryRate(address.place, [sessionsOfHour(Math.ceil(free))]);
      return rate === null || rate.allowed ? 0 : (rate.used + 1) / free;
    },
    /** Counts a session that a proof pays for. False, and nothing is counted, if the proof was used within the hour. */
    async takePaidSession(address: Address | null, proof: string): Promise<boolean> {
      if (address === null || limitOf(address) === 0) return true;
      const use = { key: `proof:${proof}`, limit: 1, windowSeconds: 3_600 };
      return (await tryRate(address.place, [use, sessionsOfHour(sessionsCountMax)]))?.allowed ?? true;
    },
  };
}

const sessionsOfHour = (limit: number): RateLimit => ({ key: 'sessions:hour', limit, windowSeconds: 3_600 });

/** The limits of a key, shared by its lineage and by all calls. Those of an OAuth client hold over all projects. */
function keyRateLimits({ lineage, limits }: Pick<KeyCaller, 'lineage' | 'limits'>): readonly RateLimit[] {
  return [
    { key: `${lineage}:minute`, limit: limits.perMinute, windowSeconds: 60 },
    { key: `${lineage}:day`, limit: limits.perDay, windowSeconds: 86_400 },
  ];
}

/** The limits that scoring takes a call off as it counts. An OAuth client has none here: its call was taken off its own limits already. */
export const scoringRateLimits = (caller: KeyCaller): readonly RateLimit[] =>
  caller.client === true ? [] : keyRateLimits(caller);
