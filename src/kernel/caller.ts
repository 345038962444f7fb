/** The caller of a request: an API key, an OAuth client that acts as one, or a person with a dashboard token. */

import type { SessionMode } from '../contract/common.js';

export const dashboardRoles = ['member', 'admin', 'owner'] as const;
export type DashboardRole = (typeof dashboardRoles)[number];

/** The owner of stored data: who may read what a score or an outcome wrote. */
export interface DataOwner {
  /** The first key of a chain of rotations: a replacement can read what its predecessors wrote. */
  readonly lineage: string;
  readonly organizationId: string;
  /** null for an organization key. */
  readonly projectId: string | null;
  readonly isTest: boolean;
  /** Created by anybody to try the integration. */
  readonly isDemo: boolean;
}

/** The mode that a key works in. */
export function modeOf({ isTest, isDemo }: Pick<DataOwner, 'isTest' | 'isDemo'>): SessionMode {
  if (isDemo) return 'demo';
  return isTest ? 'test' : 'live';
}

/** An authenticated API key as the hot path needs it. */
export interface KeyCaller extends DataOwner {
  readonly kind: 'key';
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  readonly diagnosticsEnabled: boolean;
  /** An OAuth client: id and lineage are the client’s, scopes those of its access token. */
  readonly client?: true;
}

export interface DashboardCaller {
  readonly kind: 'dashboard';
  readonly subject: string;
  readonly organizationId: string;
  readonly role: DashboardRole;
}

export type Caller = KeyCaller | DashboardCaller;

/** Whose records of a project a request is about. */
export interface ProjectOwner {
  readonly organizationId: string;
  readonly projectId: string;
  /** The mode of the credential that acts. */
  readonly mode: SessionMode;
}

/** The mode of a caller. Dashboard users and background work act on live data. */
export const modeOfCaller = (caller: Caller | null): SessionMode => (caller?.kind === 'key' ? modeOf(caller) : 'live');

export interface AccessTokenReader {
  /** Whether a token claims to be an access token of this service. Does not verify it. */
  isOurs(token: string): boolean;
  /** The OAuth client as a caller of the whole organization. Throws INVALID_TOKEN if the token does not verify. */
  verify(token: string): Promise<KeyCaller>;
  /** Value of WWW-Authenticate in a refusal. */
  challenge(): string;
}

export interface AccessDeps {
  /** null if the key is unknown, revoked or expired. */
  readonly findKey: (secret: string) => Promise<KeyCaller | null>;
  /** Throws INVALID_TOKEN if the token does not verify. */
  readonly verifyDashboardToken: (token: string) => Promise<DashboardCaller>;
  /** Absent: access tokens are not accepted. */
  readonly accessTokens?: AccessTokenReader;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  /** Owner of a key (null project: an organization key), or null. */
  readonly findKeyOwner: (
    keyId: string,
  ) => Promise<{ readonly organizationId: string; readonly projectId: string | null } | null>;
  /** Counts one call against the key’s limits. Throws RATE_LIMIT_EXCEEDED if one is used up. */
  readonly takeKeyRate: (caller: KeyCaller) => Promise<void>;
  /** Throws TRIAL_EXPIRED if the organization’s trial has ended. */
  readonly requireTrial: (organizationId: string) => Promise<void>;
}
