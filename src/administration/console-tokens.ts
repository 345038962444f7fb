/**
 * Tokens of the console, signed by a key that derives from the master key: the one-time link of an operator, the cookie of a session, and the
 * short-lived dashboard token with which the page reads the API. The audience keeps them apart.
 */
import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { deriveSigningKey } from '../crypto/master-key.js';
import { Fault } from '../errors.js';
import type { DashboardCaller } from '../kernel/caller.js';
import { dashboardCallerOf } from './dashboard-claims.js';

export const consoleIssuer = 'urn:verifyhuman:console';
const purpose = 'console';

/** Each token has one purpose and a lifetime in seconds. */
const lifetimes = { link: 600, session: 8 * 3_600, dashboard: 600 } as const;
export type ConsoleUse = keyof typeof lifetimes;

export interface ConsoleToken {
  readonly caller: DashboardCaller;
  readonly id: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export async function issueConsoleToken(
  masterKey: Uint8Array,
  use: ConsoleUse,
  { organizationId, role, subject }: Omit<DashboardCaller, 'kind'>,
  nowMs = Date.now(),
): Promise<string> {
  const key = deriveSigningKey(masterKey, purpose);
  const seconds = Math.floor(nowMs / 1_000);
  return new SignJWT({ org_id: organizationId, role, at_ms: nowMs })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.keyId, typ: 'JWT' })
    .setIssuer(consoleIssuer)
    .setAudience(audienceOf(use))
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetimes[use])
    .sign(key.privateKey);
}

/** Throws INVALID_TOKEN if the token is not of this use, does not verify or has expired. */
export function createConsoleVerifier(
  masterKey: Uint8Array,
): (token: string, use: ConsoleUse) => Promise<ConsoleToken> {
  const { publicKey } = deriveSigningKey(masterKey, purpose);
  return async (token, use) => {
    const { payload } = await jwtVerify(token, publicKey, {
      issuer: consoleIssuer,
      audience: audienceOf(use),
      algorithms: ['EdDSA'],
      requiredClaims: ['exp', 'sub', 'jti'],
    }).catch((error: unknown) => {
      throw new Fault('INVALID_TOKEN', 'The console token is invalid or has expired. Sign in again.', {
        internal: (error as { code?: string }).code ?? '',
      });
    });
    return {
      caller: dashboardCallerOf(payload),
      id: payload.jti ?? '',
      issuedAtMs: Number(payload['at_ms']),
      expiresAtMs: (payload.exp ?? 0) * 1_000,
    };
  };
}

const audienceOf = (use: ConsoleUse): string => `verifyhuman-console-${use}`;
