/**
 * The operator’s port: metrics, health, and the operator’s commands.
 */
import type { Directories } from '../administration/directories.js';
import { registerOperatorChannel } from '../projects/operator/operator-channel.js';
import { checkWrite } from '../stores/database/server.js';
import { nameStores, reportedCheck } from '../stores/store-report.js';
import { createAdminServer } from '../telemetry/admin-server.js';
import type { OpenUniqueness } from '../verification/uniqueness/open-uniqueness.js';
import { wireDemoTraffic } from './demo-traffic.js';
import { wireExplain } from './explain.js';
import type { NamedConsumer } from './consumers.js';
import { listenerUrl, type Parts } from './parts.js';

/** A consumer whose records wait longer than this is not ready: its log says why. */
const stillSecondsMax = 60;
/** Of one store. */
const checkMsMax = 1_400;

/** What the operator’s port asks of the API in the same process. */
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
  const { settings, metrics, stores, masterKeys, now, drain, opened } = parts;
  const names = nameStores(settings);
  const inventTraffic = wireDemoTraffic(parts);
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
    extend: (app) =>
      registerOperatorChannel(app, {
        database: stores.database,
        now,
        masterKey: masterKeys.current,
        explain,
        inventTraffic,
      }),
    refusal() {
      if (drain.isLeaving()) return 'the process is about to end';
      if (api?.shared.directories.honoursKeys() === false)
        return 'the database has been away for longer than cached keys are honoured';
      return stores.takesReceipts() ? null : 'the log is away and the spool has no room';
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
    throw new Error(still.map(({ group, seconds }) => `${group} has taken nothing for ${seconds} s`).join('; '));
}
