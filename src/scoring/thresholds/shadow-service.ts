/**
 * Compares the shadow of a project with the verdicts that were given: recorded facts are judged again when somebody asks, so that no score
 * waits for it, and none can depend on it. Judges few sessions at a time.
 */
import { applyShadow, resolveCalibration, type LiteConfig } from '../../contract/calibration.js';
import {
  shadowLabelledMax,
  shadowSessionsMax,
  type ComparedSession,
  type ShadowQuery,
  type ShadowReply,
  type ShadowVerdict,
} from '../../contract/shadow.js';
import { rest } from '../../fair-limiter.js';
import { openReceipt } from '../../record/record.js';
import type { ProjectScope } from '../project-scope.js';
import { readNewest, type NewestSession, type SessionsFilter } from './newest-sessions.js';
import type { RecommendationDeps } from './recommendation-service.js';
import { readSessionsFilter } from './report-service.js';

export interface ShadowDeps extends RecommendationDeps {
  /** Version of the model that judges. */
  readonly modelVersion: string;
}

export type ShadowService = ReturnType<typeof createShadowService>;

/** Few enough that a score waits for them no longer than for some others. */
const judgedAtOnce = 10;

export function createShadowService(deps: ShadowDeps) {
  const { database, pool, modelVersion } = deps;
  return {
    async compare(scope: ProjectScope, question: Omit<ShadowQuery, 'projectId'>): Promise<ShadowReply> {
      const filter = await readSessionsFilter(database, scope, question);
      const liteConfig = (await deps.findLiteConfig(scope.projectId)) ?? {};
      const config = liteConfig.shadow ?? null;
      const note = noteOf(config, modelVersion);
      const sample = note === null ? await readSample(deps, filter) : nothing;
      const newest = sample.newest.slice(0, shadowSessionsMax);
      const sessions = await judge(deps, applyShadow(liteConfig), { ...sample, newest });
      const figures = await pool.run({ kind: 'compare', sessions });
      const empty =
        sessions.length === 0 ? 'No session was scored in this period, or its receipts are no longer kept.' : null;
      return {
        config,
        modelVersion,
        complete: sample.newest.length === newest.length,
        ...figures,
        note: note ?? empty,
      };
    },
  };
}

function noteOf(config: LiteConfig['shadow'] | null, carried: string): string | null {
  if (config == null) return 'No shadow is set. Set config.liteConfig.shadow with PATCH /projects/{projectId}.';
  const named = config.modelVersion ?? carried;
  return named === carried
    ? null
    : `The shadow names model version ${named}, and this installation carries ${carried}. Set shadow.modelVersion to it, or to null.`;
}

type Rows = readonly NewestSession[];

interface Sample {
  readonly newest: Rows;
  readonly fraud: Rows;
  readonly honest: Rows;
}

const nothing: Sample = { newest: [], fraud: [], honest: [] };

/** The newest sessions, one more than are judged where there are as many; and the newest of each label. */
async function readSample({ database, now }: ShadowDeps, filter: SessionsFilter): Promise<Sample> {
  const read = (choice: 'all' | 'fraud' | 'honest', limit: number) =>
    readNewest(database, filter, now(), choice, limit);
  const newest = await read('all', shadowSessionsMax + 1);
  return { newest, fraud: await read('fraud', shadowLabelledMax), honest: await read('honest', shadowLabelledMax) };
}

/** Judges each session once, also if it is among the newest and has a label. */
async function judge(
  { pool, modelVersion }: ShadowDeps,
  liveAndShadow: LiteConfig,
  { newest, fraud, honest }: Sample,
): Promise<readonly ComparedSession[]> {
  const idsOf = (rows: Rows) => new Set(rows.map((row) => row.receipt_id));
  const [newestIds, fraudIds, honestIds] = [idsOf(newest), idsOf(fraud), idsOf(honest)];
  const labelOf = (id: string) => (honestIds.has(id) ? ('honest' as const) : null);
  const rows = [...new Map([...newest, ...fraud, ...honest].map((row) => [row.receipt_id, row])).values()];
  const compared: ComparedSession[] = [];
  for (let start = 0; start < rows.length; start += judgedAtOnce) {
    const startedMs = performance.now();
    const receipts = rows.slice(start, start + judgedAtOnce).map(({ record }) => openReceipt(record));
    const sessions = receipts.map(({ facts, sourceId }) => ({
      facts,
      calibration: resolveCalibration(liveAndShadow, sourceId ?? undefined),
    }));
    const verdicts = await pool.run({ kind: 'shadow', sessions });
    receipts.forEach(({ receiptId, sessionId, sourceId, verdict: live }, index) => {
      compared.push({
        ...{ receiptId, sessionId, sourceId, live: { score: live.score, recommendation: live.recommendation } },
        ...{ isNewest: newestIds.has(receiptId), label: fraudIds.has(receiptId) ? 'fraud' : labelOf(receiptId) },
        ...{ isOtherModel: live.modelVersion !== modelVersion, shadow: verdicts[index] as ShadowVerdict },
      });
    });
    await rest(startedMs);
  }
  return compared;
}
