/** Who makes a call: an API key, an OAuth client that stands in for one, or a person with a dashboard token. */

export const dashboardRoles = ['member', 'admin', 'owner'] as const;
export type DashboardRole = (typeof dashboardRoles)[number];

/** Who owns what a score or an outcome leaves behind, and may read it. */
export interface DataOwner {
  /** The first key of a chain of rotations: a replacement may read what its predecessors wrote. */
  readonly lineage: string;
  readonly organizationId: string;
  /** null for an organization key. */
  readonly projectId: string | null;
  readonly isTest: boolean;
  /** Minted by anybody for a trial of the integration. */
  readonly isDemo: boolean;
}

/** An authenticated API key as the hot path needs it. */
export interface KeyCaller extends DataOwner {
  readonly kind: 'key';
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  readonly diagnosticsEnabled: boolean;
  /** An OAuth client with an access token stands in for a key: id and lineage are the client’s, the scopes those of the token. */
  readonly client?: true;
}

export interface DashboardCaller {
  readonly kind: 'dashboard';
  readonly subject: string;
  readonly organizationId: string;
  readonly role: DashboardRole;
}

export type Caller = KeyCaller | DashboardCaller;

export interface AccessTokenReader {
  /** Whether a token says that this service issued it as an access token; nothing of it is believed by that. */
  isOurs(token: string): boolean;
  /** The client’s caller, of the whole organization. Throws a Fault INVALID_TOKEN where the token does not verify. */
  verify(token: string): Promise<KeyCaller>;
  /** The header WWW-Authenticate of a refusal. */
  challenge(): string;
}

export interface AccessDeps {
  /** The key’s record, or null where it is unknown, revoked or expired. */
  readonly findKey: (secret: string) => Promise<KeyCaller | null>;
  /** Throws a Fault INVALID_TOKEN where the token does not verify. */
  readonly verifyDashboardToken: (token: string) => Promise<DashboardCaller>;
  /** Absent: no access token is taken. */
  readonly accessTokens?: AccessTokenReader;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  /** Whose key this is (null project: the organization’s), or null. */
  readonly findKeyOwner: (
    keyId: string,
  ) => Promise<{ readonly organizationId: string; readonly projectId: string | null } | null>;
  /** Takes one call off the key’s limits; throws RATE_LIMIT_EXCEEDED where one is used up. */
  readonly takeKeyRate: (caller: KeyCaller) => Promise<void>;
  /** Throws TRIAL_EXPIRED where the organization’s trial has ended. */
  readonly requireTrial: (organizationId: string) => Promise<void>;
}
