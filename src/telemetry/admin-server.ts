/**
 * The operator’s port, never public: /metrics, /healthz (the process lives), /readyz (its stores answer) and /trafficz (whether calls
 * should come here), and which organizations use most of what all share (/organizations/top).
 */
import Fastify, { type FastifyInstance } from 'fastify';
import { packageCommit, packageVersion } from '../package-root.js';
import type { Metrics } from './metrics.js';

export interface AdminServerDeps {
  readonly metrics: Metrics;
  /** Checks of the stores; each rejects if its store does not reply. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** Checks of other parts that readiness waits for. They have their own gauges. */
  readonly parts?: Readonly<Record<string, () => Promise<void>>>;
  /** Warnings for operators that do not affect readiness. */
  readonly warnings?: () => Promise<readonly string[]>;
  /** Why calls had better go to another process; null where they need not. */
  readonly refusal: () => string | null;
  /** Called before each scrape, for values that are read rather than counted. */
  readonly refresh: () => void;
  /** Adds addresses of others, for operators only. */
  readonly extend?: (app: FastifyInstance) => void;
}

const checkDeadlineMs = 1_500;

export function createAdminServer({
  metrics,
  checks,
  parts = {},
  warnings,
  refusal,
  refresh,
  extend,
}: AdminServerDeps) {
  const app = Fastify({ forceCloseConnections: true });

  async function check(): Promise<Readonly<Record<string, string>>> {
    const results = await Promise.all(
      Object.entries({ ...checks, ...parts }).map(async ([name, ping]) => {
        const answer = await Promise.race([
          ping().then(
            () => 'ok',
            (error: Error) => error.message,
          ),
          deadline(),
        ]);
        if (name in checks) metrics.storeUp.set({ store: name }, answer === 'ok' ? 1 : 0);
        return [name, answer] as const;
      }),
    );
    return Object.fromEntries(results);
  }

  app.get('/healthz', async () => ({ status: 'ok', version: packageVersion, commit: packageCommit }));
  app.get('/readyz', async (_request, reply) => {
    const results = await check();
    const ready = Object.values(results).every((result) => result === 'ok');
    const found = ready ? await warnings?.().catch(() => []) : [];
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'unavailable', checks: results, ...(found?.length ? { warnings: found } : {}) });
  });
  app.get('/trafficz', async (_request, reply) => {
    const reason = refusal();
    return reply
      .code(reason === null ? 200 : 503)
      .send(reason === null ? { status: 'ok' } : { status: 'unavailable', reason });
  });
  app.get('/organizations/top', async () => metrics.topOrganizations());
  app.get('/metrics', async (_request, reply) => {
    refresh();
    for (const read of metrics.beforeScrape) read();
    await check();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });

  extend?.(app);

  return {
    /** Resolves to the port. */
    async listen(host: string, port: number): Promise<number> {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    close: () => app.close(),
  };
}

function deadline(): Promise<string> {
  return new Promise((resolve) =>
    setTimeout(resolve, checkDeadlineMs, `no answer within ${checkDeadlineMs} ms`).unref(),
  );
}
