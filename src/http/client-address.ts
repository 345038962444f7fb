/** Gives each request of a listener the address of its client, and reports forwarding headers that are not believed. */
import type { FastifyInstance } from 'fastify';
import type { Address } from '../net/address.js';
import { createFindClient, isForwarded, type Network } from '../net/forwarding.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Through trusted proxies; null for a connection that is gone. `ip` is the connection’s own. */
    readonly clientAddress: Address | null;
  }
}

export interface ClientAddressDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'forwardingIgnored'>;
  /** Whose X-Forwarded-For and Forwarded are believed. Default: nobody’s. */
  readonly trustedProxies?: readonly Network[];
}

const warnings = {
  untrusted: 'ignored a forwarding header from an address that is not in VH_TRUSTED_PROXIES',
  malformed: 'a trusted proxy sent a forwarding header without an address',
  contradictory:
    'X-Forwarded-For and Forwarded of a proxy in VH_TRUSTED_PROXIES differ, so it counts as the client; make it remove one',
} as const;

export function registerClientAddress(app: FastifyInstance, deps: ClientAddressDeps): void {
  const find = createFindClient(deps.trustedProxies ?? []);
  app.decorateRequest('clientAddress', {
    getter() {
      return find({ remoteAddress: this.socket.remoteAddress, headers: this.headers }).address;
    },
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, socket } = request;
    const { address, ignored } = isForwarded(headers)
      ? find({ remoteAddress: socket.remoteAddress, headers })
      : { address: null, ignored: null };
    if (ignored !== null) {
      deps.metrics.forwardingIgnored.inc({ reason: ignored });
      // Addresses of the public internet are respondents’.
      const proxy = address === null || address.range === 'public' ? null : address.text;
      deps.logger.warn({ proxy }, warnings[ignored]);
    }
    done();
  });
}
