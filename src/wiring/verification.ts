/**
 * Verification, put together: sessions, tokens and their keys, results.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { Directories } from '../administration/directories.js';
import type { PublicGuard } from '../administration/public-guard.js';
import type { Limits } from '../administration/request-limits.js';
import type { SigningSecrets } from '../administration/signing-secrets.js';
import type { BootstrapIds } from '../projects/operator/bootstrap.js';
import type { VerificationRouteDeps } from '../verification/routes.js';
import type { Randomness } from '../verification/sessions/challenges.js';
import { createSecretGuard } from '../verification/sessions/client-secret.js';
import { createSessionService } from '../verification/sessions/session-service.js';
import { createSigningDirectory } from '../verification/tokens/signing-directory.js';
import { openTokenKeys } from '../verification/tokens/token-keys.js';
import { createTokenVerifier } from '../verification/tokens/verification-token.js';
import type { Parts } from './parts.js';

export interface VerificationDeps {
  readonly directories: Directories;
  readonly guard: PublicGuard;
  readonly limits: Limits;
  readonly signingSecrets: SigningSecrets;
  readonly ids: BootstrapIds | null;
  /** The API root. */
  readonly issuer: () => string;
}

export async function openVerification(parts: Parts, deps: VerificationDeps): Promise<VerificationRouteDeps> {
  const { settings, logger, metrics, stores, masterKey, now, opened } = parts;
  const { database, lookups, counters } = stores;
  const { directories, guard, limits, issuer } = deps;
  const random: Randomness = { integer: (below) => randomInt(below), bytes: (count) => randomBytes(count) };
  const tokenKeys = await openTokenKeys({
    database,
    masterKey,
    logger,
    now,
    rotationDays: settings.VH_TOKEN_KEY_DAYS,
  });
  opened.push(async () => tokenKeys.close());
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
    secrets: createSecretGuard({ counters, metrics, now }),
    sessions: createSessionService({ database, random, metrics, now }),
    verifyToken: createTokenVerifier({ findSecrets: signing.find, issuer, now }),
    tokenKeys,
    metrics,
    exampleSiteKey: deps.ids?.siteKey ?? null,
  };
}
