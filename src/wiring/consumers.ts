/** The role `consumers`. A capability adds one line: to `consumers` if it reads a topic, to `rounds` if it runs by the clock. */
import type { Consumer } from '../stores/log/port.js';
import type { RoundsDeps } from '../stores/database/retention.js';
import { startDeadLetterRetention } from '../stores/log/dead-letters/erasure.js';
import { deriveSigningKey } from '../crypto/master-key.js';
import { startOutboxSweeper } from '../stores/outbox/sweeper.js';
import { startLinkRetention } from '../verification/hosted/link-service.js';
import { startFlagRetention } from '../verification/monitoring/flag-store.js';
import { startBacklogWatch } from '../scoring/outcomes/outcome-backlog.js';
import { startOutcomeRetention } from '../scoring/outcomes/outcome-retention.js';
import { startAuditRetention } from '../administration/audit.js';
import { startHistoryConsumer } from '../scoring/outcomes/history-consumer.js';
import { startReceiptConsumer } from '../scoring/receipts/consumer.js';
import { startHeadRounds } from '../scoring/receipts/chain-heads.js';
import { startReceiptRetention } from '../scoring/receipts/retention.js';
import { startDistributionRounds } from '../scoring/thresholds/distribution-round.js';
import { startWatchRetention } from '../scoring/verdict-changes/rounds.js';
import { startRollupConsumer } from '../verification/analytics/rollup-consumer.js';
import { startSessionRetention, startUnfinishedCheckRetention } from '../verification/sessions/session-retention.js';
import { startRecentFaceRetention } from '../verification/uniqueness/face-reuse.js';
import type { Background, Parts } from './parts.js';
import { openVerdictRounds } from './verdict-changes.js';
import { openDeliveries } from './webhooks.js';

export interface NamedConsumer {
  readonly group: string;
  readonly consumer: Consumer;
}

/** By consumer group; started in this order, stopped in reverse. The age of each one’s last round is a metric. */
const consumers: Readonly<Record<string, (parts: Parts) => Promise<Consumer>>> = {
  receipts: ({ stores, metrics }) =>
    startReceiptConsumer({ database: stores.database, counters: stores.counters, log: stores.log, metrics }),
  history: ({ stores, logger, now }) =>
    startHistoryConsumer({ database: stores.database, counters: stores.counters, log: stores.log, logger, now }),
  distribution: ({ stores, logger, settings }) =>
    Promise.resolve(
      startDistributionRounds({
        database: stores.database,
        logger,
        retentionDays: settings.VH_RECEIPT_RETENTION_DAYS,
      }),
    ),
  webhooks: openDeliveries,
  analytics: ({ stores }) => startRollupConsumer(stores.database, stores.log),
};

/** Work that recurs by the clock. */
const rounds: readonly ((parts: Parts) => Background)[] = [
  (parts) => startReceiptRetention({ ...roundsOf(parts), retentionDays: parts.settings.VH_RECEIPT_RETENTION_DAYS }),
  ({ stores, logger, masterKeys }) =>
    startHeadRounds({ database: stores.database, logger, key: deriveSigningKey(masterKeys.current, 'receipts') }),
  (parts) => startOutcomeRetention({ ...roundsOf(parts), retentionDays: parts.settings.VH_OUTCOME_RETENTION_DAYS }),
  (parts) => startAuditRetention({ ...roundsOf(parts), retentionDays: parts.settings.VH_AUDIT_RETENTION_DAYS }),
  (parts) => startSessionRetention({ ...roundsOf(parts), retentionDays: parts.settings.VH_SESSION_RETENTION_DAYS }),
  (parts) => startUnfinishedCheckRetention(roundsOf(parts)),
  (parts) => startLinkRetention(roundsOf(parts)),
  (parts) => startFlagRetention(roundsOf(parts)),
  (parts) => startWatchRetention(roundsOf(parts)),
  openVerdictRounds,
  (parts) => startRecentFaceRetention(roundsOf(parts)),
  (parts) =>
    startDeadLetterRetention({
      ...roundsOf(parts),
      retentionDays: parts.settings.VH_RECEIPT_RETENTION_DAYS,
      unreadableDays: parts.settings.VH_UNREADABLE_DAYS,
    }),
  ({ stores, logger, metrics }) => startBacklogWatch({ database: stores.database, logger, metrics }),
  ({ stores, logger, metrics }) => startOutboxSweeper({ database: stores.database, log: stores.log, logger, metrics }),
];

const roundsOf = ({ stores, logger, metrics }: Parts): RoundsDeps => ({ database: stores.database, logger, metrics });

/** Starts all of them. */
export async function startConsumers(parts: Parts): Promise<readonly NamedConsumer[]> {
  const started: NamedConsumer[] = [];
  for (const [group, start] of Object.entries(consumers)) {
    const consumer = await start(parts);
    parts.background.push(consumer);
    started.push({ group, consumer });
  }
  for (const start of rounds) parts.background.push(start(parts));
  return started;
}
