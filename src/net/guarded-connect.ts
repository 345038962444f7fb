/**
 * Connecting to a server that a customer named. The name is resolved here, every address that it has must be of the public internet, and the
 * connection goes to one of those very addresses: what the name says a moment later changes nothing. A literal address is vetted the same way.
 *
 * Stands in the place of undici’s own connector, because a hook for look-ups alone is not asked for literal addresses. Refuses with a TargetRefused; fails
 * with the error of the look-up or of the last address tried. The deadline is the caller’s, who closes what is no longer waited for.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { ClassifyTarget } from './target-address.js';

/** The name leads, or the address is, where no request of ours may go. */
export class TargetRefused extends Error {
  constructor(host: string, address: string, kind: string) {
    super(host === address ? `${address} is ${kind}` : `${host} resolves to ${address}, which is ${kind}`);
    this.name = 'TargetRefused';
  }
}

/** All addresses of a name, IPv4 and IPv6. Rejects where there are none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface GuardedConnectOptions {
  readonly resolve: ResolveHost;
  /** null: any address will do. */
  readonly classify: ClassifyTarget | null;
  /** For one address; the next is tried after it. */
  readonly timeoutMs: number;
  /** Additional certificate authorities, as PEM; for tests. */
  readonly ca?: string;
}

/** Addresses of one name that are tried. */
const addressesMax = 4;

export function createGuardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const { resolve, classify, timeoutMs, ca } = options;
  const connectTo = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });

  const vet = async (host: string): Promise<readonly string[]> => {
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    for (const address of addresses) {
      const verdict = classify?.(address) ?? { allowed: true };
      if (!verdict.allowed) throw new TargetRefused(host, address, verdict.kind);
    }
    return addresses.slice(0, addressesMax);
  };
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const tryNext = (addresses: readonly string[]): void => {
      const [address, ...others] = addresses;
      if (address === undefined) return callback(new Error(`${host} has no address`), null);
      // The name stays the one that the certificate is checked for; for an address there is none to send along.
      const servername = target.servername ?? (isIP(host) === 0 ? host : '');
      connectTo({ ...target, hostname: address, servername }, (...result) => {
        if (result[0] !== null && others.length > 0) tryNext(others);
        else callback(...result);
      });
    };
    vet(host).then(tryNext, (error: unknown) => callback(error as Error, null));
  };
}

const resolveTimeoutMs = 2_000;
const resolveTries = 2;

/** Asks the name servers, off the threads that files and keys need. */
export function createResolveHost(): ResolveHost {
  const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: resolveTries });
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failed = answers.find((answer) => answer.status === 'rejected');
    throw failed?.reason instanceof Error ? failed.reason : new Error(`${host} has no address`);
  };
}

/** Resolves like other programs of the machine, with its file of hosts: a development set-up needs that for localhost. */
export const resolveLocally: ResolveHost = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
