/**
 * Makes what a version stores, sends and signs, of fixed input: two versions on the same stores, and callers who verified it yesterday, have to agree on
 * every byte. `0.1.0/formats.json` holds those of 0.1.0.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainStart, digestOf, nextHash } from '../../src/record/chain.js';
import { createMakeRef, deriveKey, deriveSigningKey } from '../../src/crypto/master-key.js';
import { entryOf, eventOf } from '../../src/stores/outbox/outbox.js';
import type { SessionEvent } from '../../src/contract/session-event.js';
import { entryOfOutcomes, rowOf, rowOwnerOf } from '../../src/scoring/outcomes/outcome-rows.js';
import { frameOf } from '../../src/stores/spool/frames.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import { readSnapshot } from '../../src/stores/counters/memory/snapshot.js';
import {
  claimsOf,
  type CompletedSession,
  signVerificationToken,
} from '../../src/verification/tokens/verification-token.js';
import { payloadOf } from '../../src/webhooks/payload.js';
import { messageIdOf, signedHeaders } from '../../src/webhooks/signing.js';
import { expectCounted, minuteMs, probeInput, ref, scoreInput, startMs } from '../stores/counters/inputs.js';
import { passedFacts } from '../helpers/session-events.js';

const masterKey = new Uint8Array(32);
const makeRef = createMakeRef(masterKey);
const owner = { organizationId: 'org_1', projectId: 'proj_1', mode: 'live' } as const;
const at = new Date(startMs);
const migrations = 'src/stores/database/migrations';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Counts three sessions, one with a probe and of the same respondent as another, into a snapshot at the path. */
export async function countInto(snapshotPath: string): Promise<void> {
  const counters = await openMemoryCounters({ snapshotPath, keysMax: 1_000, now: () => startMs });
  const home = { address: ref('home'), prefix: ref('network'), source: ref('source'), deviceClass: 'windows/chrome' };
  await counters.storeProbe(probeInput('proj_1', 'one', { bands: [ref('band')], indicators: [] }));
  for (const [n, session] of ['one', 'two', 'three'].entries())
    await counters.countScore(
      scoreInput('proj_1', session, {
        ...home,
        nowMs: startMs + n * minuteMs,
        respondent: n < 2 ? ref('respondent') : null,
        idempotency: n === 2 ? 'key-3' : null,
        history: { respondent: n < 2 ? ref('respondent') : null, source: ref('source'), subSource: null },
      }),
    );
  await counters.publishHistory('proj_1', [
    {
      subject: ref('respondent'),
      version: 1,
      value: { n: 4.5, fraud: 0.5, clawbacks: 1, asOfDay: 20_500, young: [[3, 2]] },
    },
  ]);
  await counters.close();
}

/** Names and values in a snapshot, which are those in Redis; of tables, the names alone. */
export async function keptIn(snapshotPath: string): Promise<Readonly<Record<string, string>>> {
  const { dumps } = await readSnapshot(snapshotPath);
  return Object.fromEntries(
    dumps.flatMap(([, entries]) =>
      entries.map(([key, value]) => [key, typeof value === 'string' ? hexOf(Buffer.from(value, 'latin1')) : '']),
    ),
  );
}

/** Counts one more session on a snapshot, and what comes again. */
export async function countOn(snapshotPath: string) {
  const counters = await openMemoryCounters({ snapshotPath, keysMax: 1_000, now: () => startMs + 5 * minuteMs });
  const again = await counters.countScore(
    scoreInput('proj_1', 'three', { idempotency: 'key-3', nowMs: startMs + 5 * minuteMs }),
  );
  const next = expectCounted(
    await counters.countScore(
      scoreInput('proj_1', 'four', {
        ...{ address: ref('home'), prefix: ref('network'), source: ref('source'), deviceClass: 'windows/chrome' },
        ...{ nowMs: startMs + 5 * minuteMs, respondent: ref('respondent') },
        history: { respondent: ref('respondent'), source: ref('source'), subSource: null },
      }),
    ),
  );
  const probe = await counters.findProbe('proj_1', ref('one'), startMs + 5 * minuteMs);
  return { again: again.kind, counts: next.counts, history: next.history, hasProbe: probe !== null };
}

const events: readonly SessionEvent[] = [
  { type: 'verification.passed', data: { ...passedFacts, respondent_id: 'resp-1' } } as const,
  {
    type: 'monitoring.flagged',
    data: { respondent_id: null, anomaly: { type: 'automation', score: 0.9, threshold: 0.8, detail: 'no pointer' } },
  } as const,
].map((event) => ({
  ...{ eventId: `evt_${'0'.repeat(32)}`, organizationId: 'org_1', projectId: 'proj_1', sessionId: 'sess_1' },
  ...{ isDemo: false, occurredAt: at.toISOString() },
  ...event,
}));

/** The bytes of an outcome in the log. */
function outcomeEntry() {
  const outcome = {
    sessionId: 's-1',
    type: 'buyer_reject',
    occurredAt: at.toISOString(),
    reasonClass: 'fraud',
  } as const;
  const row = rowOf({ ...outcome, detail: { respondentId: 'resp-1' } }, rowOwnerOf(owner), makeRef);
  return entryOfOutcomes(owner, startMs, [row]);
}

/** Payloads of an event that lies in the log as this text. */
export const payloadsOf = (body: string) => {
  const event = eventOf(entryOf('sess_1', body));
  return { v1: payloadOf(event, 'v1'), v2: payloadOf(event, 'v2') };
};

const completed: CompletedSession = {
  ...{ organizationId: 'org_1', projectId: 'proj_1', sessionId: 'sess_1', tokenId: 'tok_1', mode: 'live' },
  ...{ studyId: 'study-1', respondentId: 'resp-1', dataCollector: null, widgetMode: 'invisible' },
  stepUp: { receiptId: 'rcpt_1' },
  completedAt: at,
  result: {
    verdict: {
      status: 'pass',
      assuranceLevel: 'device_only',
      verificationOutcome: 'completed',
      biometricEvidence: null,
    },
    dispatch: { status: 'pass' },
    page: {
      scores: { liveness: null, uniqueness: 1, authenticity: 0.9, overall: 0.9, quality: 1, fraud: 0 },
      shown: { riskOverall: 0.1 },
    },
  },
};
export const tokenSecret = { secret: Buffer.alloc(32, 7), version: 1, replacedAt: null };

/** The last hash of a chain of two receipts. */
function chainHash(): string {
  const digests = ['one', 'two'].map((name) => digestOf(new Uint8Array(16), Buffer.from(name)));
  return hexOf(digests.reduce((hash, digest) => nextHash(hash, digest), chainStart('proj_1')));
}

const referenceKinds = ['session', 'respondent', 'device', 'address', 'source', 'scope'];
const signingPurposes = ['receipts', 'verification-tokens'];

/** All but the counters. */
export function makeFormats() {
  const entry = outcomeEntry();
  const signed = {
    event: 'verification.passed',
    sessionId: 'sess_1',
    messageId: messageIdOf('evt_1', 'wh_1'),
  } as const;
  const secrets = { current: 'a'.repeat(64), previous: 'b'.repeat(64) };
  return {
    references: Object.fromEntries(referenceKinds.map((kind) => [kind, makeRef('proj_1', kind, 'value')])),
    keys: Object.fromEntries(signingPurposes.map((purpose) => [purpose, deriveSigningKey(masterKey, purpose).keyId])),
    derived: hexOf(deriveKey(masterKey, 'audience-identifiers')),
    chain: chainHash(),
    outcome: { key: entry.key, value: base64Of(entry.value) },
    spool: base64Of(Buffer.concat(frameOf([{ key: 'key', value: Buffer.from('value') }]))),
    events: events.map((event) => JSON.stringify(event)),
    payloads: events.map((event) => payloadsOf(JSON.stringify(event))),
    webhook: signedHeaders({ ...signed, attempt: 2, body: '{}' }, secrets, startMs),
    token: signVerificationToken(tokenSecret, claimsOf(completed, 'https://verify.example/api/v1')),
  };
}

/** SHA-256 of each migration: one that was released is never changed. */
export const migrationHashes = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(migrations)
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(migrations, name)))
          .digest('hex'),
      ]),
  );
