/** The sender’s record of each webhook, read again after a second, and at once if this process changed it. Reads of one moment go out as one query. */
import type { Secrets, SecretStore } from '../administration/secret-store.js';
import type { Database } from '../stores/database/port.js';
import { webhookColumns, webhookOf, type StoredWebhook, type WebhookRow } from './webhook-store.js';

export interface TargetConfig extends StoredWebhook {
  readonly secrets: Secrets;
}

export type TargetConfigs = ReturnType<typeof createTargetConfigs>;

export interface TargetConfigsDeps {
  readonly database: Database;
  readonly secrets: SecretStore;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const believedMs = 1_000;
const keptMax = 20_000;

export function createTargetConfigs({ database, secrets, clock }: TargetConfigsDeps) {
  const kept = new Map<string, { readonly config: TargetConfig | null; readonly readAtMs: number }>();
  let asked: Map<string, ((config: TargetConfig | null) => void)[]> | null = null;
  let failing: ((error: unknown) => void)[] = [];

  const configOf = (row: WebhookRow): TargetConfig => ({
    ...webhookOf(row),
    secrets: secrets.open(row.webhookId, row),
  });
  let changes = 0;
  /** A read during a change may be older than the change. */
  const keep = (webhookId: string, config: TargetConfig | null, changesBefore: number): void => {
    if (changes !== changesBefore) return;
    if (kept.size >= keptMax) kept.clear();
    kept.set(webhookId, { config, readAtMs: clock() });
  };
  const readAsked = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    const [waiting, rejects, before] = [asked ?? new Map<string, never>(), failing, changes];
    asked = null;
    failing = [];
    try {
      const rows = await database.query<WebhookRow>(
        `SELECT ${webhookColumns} FROM webhooks WHERE webhook_id = ANY($1::text[])`,
        [[...waiting.keys()]],
        { recurring: true },
      );
      const found = new Map(rows.map((row) => [row.webhookId, configOf(row)]));
      for (const [webhookId, resolves] of waiting) {
        const config = found.get(webhookId) ?? null;
        keep(webhookId, config, before);
        for (const resolve of resolves) resolve(config);
      }
    } catch (error) {
      for (const reject of rejects) reject(error);
    }
  };

  return {
    /** null: there is no such webhook any more. Rejects where the database is away and nothing recent is known. */
    get(webhookId: string): Promise<TargetConfig | null> {
      const known = kept.get(webhookId);
      if (known !== undefined && clock() - known.readAtMs < believedMs) return Promise.resolve(known.config);
      return new Promise((resolve, reject) => {
        const isFirst = asked === null;
        asked ??= new Map();
        asked.set(webhookId, [...(asked.get(webhookId) ?? []), resolve]);
        failing.push(reject);
        if (isFirst) void readAsked();
      });
    },
    /** Reads those of projects afresh. */
    async ofProjects(projectIds: readonly string[]): Promise<readonly TargetConfig[]> {
      const before = changes;
      const rows = await database.query<WebhookRow>(
        `SELECT ${webhookColumns} FROM webhooks WHERE project_id = ANY($1::text[]) ORDER BY webhook_id`,
        [projectIds],
        { recurring: true },
      );
      return rows.map((row) => {
        const config = configOf(row);
        keep(row.webhookId, config, before);
        return config;
      });
    },
    forget(webhookId: string): void {
      changes += 1;
      kept.delete(webhookId);
    },
  };
}
