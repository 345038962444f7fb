/** The app without capabilities: no key, token or project is known, nothing is limited, and nothing is logged, unless the test says otherwise. */
import { createApp, type AppDeps } from '../../src/http/app.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';

export const createBareApp = (over: Partial<AppDeps> = {}): ReturnType<typeof createApp> =>
  createApp({
    findKey: async () => null,
    verifyDashboardToken: () => Promise.reject(new Error('not used')),
    findProjectOwner: async () => null,
    findKeyOwner: async () => null,
    takeKeyRate: async () => undefined,
    requireTrial: async () => undefined,
    logger: createLogger('silent'),
    metrics: createMetrics(),
    ...over,
  });
