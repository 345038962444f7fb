/**
 * Fills a project with invented traffic: facts are scored, receipts signed and appended to the log, outcomes posted; nothing is counted.
 * Repeating it adds nothing, because receipts and outcomes follow from the seed.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LiteConfig } from '../../contract/calibration.js';
import type { ScoreFacts } from '../../contract/facts.js';
import type { OutcomeEvent } from '../../contract/outcome.js';
import type { RecordedVerdict } from '../../contract/pool.js';
import type { BatchSigner } from '../../crypto/batch-signer.js';
import { idAt } from '../../crypto/ids.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { Fault } from '../../errors.js';
import { parseAddress } from '../../net/address.js';
import type { Log } from '../../stores/log/port.js';
import { joinParts } from '../../record/codec.js';
import { appendCounted, openFacts, packBase, packOutcome } from '../../record/record.js';
import { gatherBase } from '../gather.js';
import { appendReceipt } from '../receipts/receipts.js';
import { inventSessions, type InventedSession } from './invented-sessions.js';

export interface DemoTrafficDeps {
  readonly log: Pick<Log, 'append'>;
  readonly makeRef: MakeRef;
  readonly signer: BatchSigner;
  /** Hash of the rules that `score` decides by. */
  readonly modelVersion: string;
  readonly score: (facts: ScoreFacts) => RecordedVerdict;
  readonly postOutcomes: (events: readonly OutcomeEvent[]) => Promise<unknown>;
  /** Numbers in [0, 1) that follow from a seed. */
  readonly createRandom: (seed: number) => () => number;
}

export interface DemoProject {
  readonly organizationId: string;
  readonly projectId: string;
  /** The key that may read the evidence of these receipts. */
  readonly lineage: string;
  readonly liteConfig: LiteConfig | undefined;
}

const sessions = 1_200;
const atOnce = 20;
const eventsPerPost = 200;
const seed = 20_261;
const triesMax = 5;
const pauseMs = 500;
const dayMs = 86_400_000;
/** The month lies so far before the project was made that its completions have stood for as long as they can be reversed. */
const endsDaysAgo = 62;

/** The month hangs on when the project was made (milliseconds since 1970), so that it is the same one on every day. Answers what was invented. Rejects where the log or the database is away; it can be repeated. */
export async function inventTraffic(
  deps: DemoTrafficDeps,
  project: DemoProject,
  createdMs: number,
): Promise<InventedTraffic> {
  const endsMs = Math.floor(createdMs / dayMs - endsDaysAgo) * dayMs;
  const invented = inventSessions(sessions, endsMs, deps.createRandom(seed));
  for (let start = 0; start < invented.length; start += atOnce)
    await patiently(() => recordAll(deps, project, invented.slice(start, start + atOnce)));
  const events = invented.flatMap(({ outcomes }) => outcomes);
  for (let start = 0; start < events.length; start += eventsPerPost)
    await patiently(() => deps.postOutcomes(events.slice(start, start + eventsPerPost)));
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { sessions, outcomes: events.length, from: dayOf(endsMs - 30 * dayMs), to: dayOf(endsMs - 1) };
}

export interface InventedTraffic {
  readonly sessions: number;
  readonly outcomes: number;
  readonly from: string;
  readonly to: string;
}

/** A store that is busy with what was invented so far is asked again; each step done twice comes to the same. */
async function patiently(step: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await step();
      return;
    } catch (error) {
      const isBusy = error instanceof Fault && (error.code === 'STORE_UNAVAILABLE' || error.code === 'OVERLOADED');
      if (!isBusy || tries === triesMax) throw error;
      await pause(pauseMs);
    }
  }
}

const recordAll = (deps: DemoTrafficDeps, project: DemoProject, sessions: readonly InventedSession[]) =>
  Promise.all(sessions.map((session) => record(deps, project, session)));

async function record(deps: DemoTrafficDeps, project: DemoProject, session: InventedSession): Promise<void> {
  const { atMs, request, network, counts } = session;
  const address = parseAddress(request.clientIp);
  if (address === null) throw new Error(`not an address: ${request.clientIp}`);
  const { liteConfig, ...owner } = project;
  const base = gatherBase({
    request,
    address,
    location: { country: 'DE', asn: null, organization: null, network },
    geography: { country: true, network: true },
    agent: null,
    nowMs: atMs,
    owner: { ...owner, receiptId: idAt('receipt', atMs, digestOf(project.projectId, request.sessionId)) },
    liteConfig,
    assuranceAvailable: 'can_step_up_to_biometric',
    makeRef: deps.makeRef,
    modelVersion: deps.modelVersion,
  });
  const facts = appendCounted(packBase(base), {
    supersedes: null,
    counts,
    probe: null,
    device: null,
    signatureFresh: true,
    complete: true,
    history: { respondent: null, source: null, subSource: null },
  });
  const opened = openFacts(facts);
  const record = joinParts(facts, packOutcome(deps.score(opened), opened));
  await appendReceipt(deps.log, deps.signer, { receiptId: base.owner.receiptId, record });
}

const digestOf = (projectId: string, sessionId: string): Uint8Array =>
  createHash('sha256').update(`${projectId}\n${sessionId}`).digest();
