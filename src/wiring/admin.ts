/** The operator’s port: metrics, health, and the operator’s commands. Explanations run on the thread that asks. */
import type { Directories } from '../administration/directories.js';
import { countNoun } from '../contract/plural.js';
import { registerOperatorChannel } from '../projects/operator/operator-channel.js';
import { checkWrite } from '../stores/database/server.js';
import { nameStores, reportedCheck } from '../stores/store-report.js';
import { countIncompleteConsents } from '../administration/consent-terms.js';
import { createAdminServer } from '../telemetry/admin-server.js';
import type { OpenUniqueness } from '../verification/uniqueness/open-uniqueness.js';
import type { NamedConsumer } from './consumers.js';
import { listenerUrl, type Parts } from './parts.js';
import { deriveSigningKey } from '../crypto/master-key.js';
import { createExplain, type Explain, type ExplainServiceDeps } from '../scoring/receipts/explain-service.js';
import { explainFacts } from '../../workers/evidence/explain.js';
import { registerClientAddress } from '../http/client-address.js';

/** A consumer whose records wait longer than this is not ready: its log says why. */
const stillSecondsMax = 60;
/** The limit for one store. */
const checkMsMax = 1_400;

/** Requests of the operator’s port to the API in the same process. */
export interface AskedOfApi {
  readonly faces: Pick<OpenUniqueness, 'check' | 'refresh'>;
  readonly shared: { readonly directories: Pick<Directories, 'honoursKeys'> };
}

/** Starts the operator’s port; answers its address. `api` is null in a process without one. */
export async function startAdmin(
  parts: Parts,
  consumers: readonly NamedConsumer[],
  api: AskedOfApi | null,
): Promise<string> {
  const { settings, metrics, logger, stores, masterKeys, now, drain, opened } = parts;
  const names = nameStores(settings);
  const explain = wireExplain({
    database: stores.database,
    counters: stores.counters,
    masterKeys: masterKeys.readable,
    now,
  });
  const admin = createAdminServer({
    metrics,
    checks: {
      database: reportedCheck(names.database, () => checkWrite(stores.database), checkMsMax),
      counters: reportedCheck(names.counters, () => stores.counters.ping(), checkMsMax),
      log: reportedCheck(names.log, () => stores.log.ping(), checkMsMax),
    },
    parts: {
      ...(consumers.length === 0 ? {} : { consumers: async () => requireProgress(consumers) }),
      ...(api === null ? {} : { faces: () => api.faces.check() }),
    },
    async warnings() {
      const count = await countIncompleteConsents(stores.database);
      return count === 0
        ? []
        : [
            `consent_incomplete: ${countNoun(count, 'organization with projects has', 'organizations with projects have')} no privacy page; set consent.privacyUrl`,
          ];
    },
    extend(app) {
      registerClientAddress(app, { logger, metrics, trustedProxies: settings.VH_TRUSTED_PROXIES });
      registerOperatorChannel(app, {
        database: stores.database,
        now,
        masterKey: masterKeys.current,
        stores: Object.values(names),
        explain,
      });
    },
    refusal() {
      if (drain.isLeaving()) return 'the process is shutting down';
      if (api?.shared.directories.honoursKeys() === false)
        return 'the database is unavailable and cached keys have expired';
      return stores.takesReceipts() ? null : 'the log is unavailable and the spool is full';
    },
    refresh() {
      for (const { group, consumer } of consumers) metrics.consumerTickAge.set({ group }, consumer.tickAgeMs() / 1_000);
      api?.faces.refresh();
    },
  });
  opened.push(() => admin.close());
  const host = settings.ADMIN_HOST ?? settings.HOST;
  return listenerUrl(host, await admin.listen(host, settings.ADMIN_PORT));
}

/** Rejects where a consumer has records and takes none of them. */
function requireProgress(consumers: readonly NamedConsumer[]): void {
  const still = consumers
    .map(({ group, consumer }) => ({ group, seconds: Math.floor(consumer.tickAgeMs() / 1_000) }))
    .filter(({ seconds }) => seconds > stillSecondsMax);
  if (still.length > 0)
    throw new Error(still.map(({ group, seconds }) => `${group} has read nothing for ${seconds} s`).join('; '));
}

export function wireExplain({
  masterKeys,
  ...deps
}: Pick<ExplainServiceDeps, 'database' | 'counters' | 'now'> & {
  readonly masterKeys: readonly Uint8Array[];
}): Explain {
  const receiptKeys = masterKeys.map((key) => deriveSigningKey(key, 'receipts'));
  return createExplain({ ...deps, receiptKeys, explainFacts });
}
