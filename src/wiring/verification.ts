/**
 * Verification, put together: sessions, tokens and their keys, results.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { Directories } from '../administration/directories.js';
import { eraseLinks } from '../administration/hosted-links.js';
import { createOriginDecision } from '../administration/origin-decision.js';
import type { PublicGuard } from '../administration/public-guard.js';
import type { Limits } from '../administration/request-limits.js';
import type { SigningSecrets } from '../administration/signing-secrets.js';
import { createMakeRef } from '../crypto/master-key.js';
import type { Pool } from '../pool/pool.js';
import type { Observe } from '../verification/monitoring/monitor.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import { eraseRespondentScores } from '../scoring/receipts/respondent-erasure.js';
import { countUnreadable, eraseLetters } from '../stores/log/dead-letters/erasure.js';
import { eraseEvents, isEventOf } from '../stores/outbox/outbox.js';
import { erasePayloads, markErasedSessions } from '../webhooks/payload-erasure.js';
import { createAnalyticsService } from '../verification/analytics/analytics-service.js';
import { createErasureService, type ErasureService } from '../verification/erasure/erasure-service.js';
import type { Database } from '../stores/database/port.js';
import { eraseReservations, findRespondentRefs } from '../audience/reservation-store.js';
import { biometricExample, deviceOnlyExample } from '../contract/envelope-examples.js';
import type { Uniqueness } from '../verification/uniqueness/uniqueness.js';
import { createVerifyService } from '../verification/verify/verify-service.js';
import { createResultService } from '../verification/results/result-service.js';
import type { VerificationRouteDeps } from '../verification/routes.js';
import { type Randomness, createSessionService } from '../verification/sessions/session-service.js';
import { createSecretGuard } from '../verification/sessions/client-secret.js';
import { createSigningDirectory } from '../verification/tokens/signing-directory.js';
import type { TokenKeys } from '../verification/tokens/token-keys.js';
import { createTokenVerifier } from '../verification/tokens/verification-token.js';
import type { Parts } from './parts.js';

export interface VerificationDeps {
  readonly directories: Directories;
  readonly guard: PublicGuard;
  readonly limits: Limits;
  readonly pool: Pool;
  readonly uniqueness: Uniqueness;
  readonly observe: Observe;
  readonly signingSecrets: SigningSecrets;
  readonly tokenKeys: TokenKeys;
  readonly ids: BootstrapIds | null;
  /** The API root. */
  readonly issuer: () => string;
}

const random: Randomness = { integer: (below) => randomInt(below), bytes: (count) => randomBytes(count) };

export async function openVerification(parts: Parts, deps: VerificationDeps): Promise<VerificationRouteDeps> {
  const { settings, metrics, stores, masterKeys, now } = parts;
  const { database, lookups, counters } = stores;
  const { directories, guard, limits, pool, uniqueness, tokenKeys, issuer } = deps;
  const makeRef = createMakeRef(masterKeys.first);
  const signing = createSigningDirectory({
    database: lookups,
    signingSecrets: deps.signingSecrets,
    findProjectOwner: directories.findProjectOwner,
    onProjectChange: directories.onProjectChange,
    now,
  });
  return {
    database,
    directories,
    guard,
    limits,
    observe: deps.observe,
    secrets: createSecretGuard({ counters, metrics, now }),
    sessions: createSessionService({ database, random, metrics, now }),
    results: createResultService({
      database,
      signing,
      tokenKeys,
      issuer,
      decide: createOriginDecision(settings.VH_ENV),
      allowLocalHttp: settings.VH_ENV === 'development',
      random,
      now,
    }),
    verifications: createVerifyService({
      database,
      outbox: parts.outbox,
      uniqueness,
      judge: (facts) => pool.run({ kind: 'verdict', facts }),
      marksOf: (envelope) => pool.run({ kind: 'marks', envelope }),
      signing,
      issuer,
      random,
      metrics,
      now,
    }),
    analytics: createAnalyticsService({ database, now }),
    erasures: withStudies(
      database,
      createErasureService({
        database,
        makeRef,
        erasePayloads: async (tx, projectId, ids) =>
          (await eraseEvents(tx, projectId, ids)) + (await erasePayloads(tx, projectId, ids)),
        markSessions: markErasedSessions,
        eraseLetters: (projectId, ids) =>
          eraseLetters(database, 'verifications', (value) => isEventOf(value, projectId, ids)),
        eraseLinks,
        countUnreadable: () => countUnreadable(database),
        unreadableDays: settings.VH_UNREADABLE_DAYS,
        now,
        eraseScores: (projectId, respondentId) =>
          eraseRespondentScores({ database, counters, makeRef }, projectId, respondentId),
      }),
    ),
    envelopeExamples: [deviceOnlyExample, biometricExample],
    verifyToken: createTokenVerifier({ findSecrets: signing.find, issuer, now }),
    tokenKeys,
    metrics,
    now,
    exampleSiteKey: deps.ids?.siteKey ?? null,
  };
}

/** Erases a respondent under the name that studies gave them, too. */
const withStudies = (database: Database, erasures: ErasureService): ErasureService => ({
  async erase(actor, respondent) {
    const { erased, left, unreadable } = await erasures.erase(actor, respondent);
    for (const respondentId of await findRespondentRefs(database, respondent)) {
      const more = await erasures.erase(actor, { ...respondent, respondentId });
      for (const kind of ['sessions', 'fingerprints', 'receipts', 'events'] as const) erased[kind] += more.erased[kind];
      for (const kind of ['sessions', 'receipts', 'events', 'history'] as const) left[kind] += more.left[kind];
    }
    await eraseReservations(database, respondent);
    return { erased, left, unreadable };
  },
});
