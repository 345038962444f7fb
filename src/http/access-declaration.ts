/** What a route declares of who may call it. */
import type { OAuthScope } from '../contract/oauth.js';
import type { DashboardRole } from '../kernel/caller.js';

export type Credential =
  'api-key' | 'organization-key' | 'dashboard' | 'dashboard-or-organization-key' | 'dashboard-or-key' | 'access-token';

export type Access =
  /** Documents, SDK files and public endpoints: no credential. */
  | { readonly credential: 'none' }
  | {
      readonly credential: Credential;
      /** Scope that an API key needs. */
      readonly scope?: string;
      /** Scopes of which an access token needs one. Absent: the route takes no access token. */
      readonly oauth?: readonly OAuthScope[];
      /** Least role of a dashboard caller. */
      readonly role?: DashboardRole;
      /** Name of the path parameter that holds a project of the caller’s. */
      readonly project?: string;
      /** Name of the path parameter that holds the caller’s organization. */
      readonly organization?: string;
      /** Name of the path parameter that holds a key of the project or organization in the path. */
      readonly key?: string;
      /** A demo key, which anybody may mint for measuring, is refused here whatever its scopes. */
      readonly demo?: 'refused';
      /** The handler takes the key’s limits itself, in a round trip that it makes anyway, and sets `rateTaken`; a call that fails before is taken off them on its way out. */
      readonly limits?: 'handler';
      /** The handler answers by calls to other routes on the caller’s behalf, and these are taken off its limits. */
      readonly relays?: true;
      /** Open to keys of an organization whose trial has ended: what describes and secures, as against what works. */
      readonly afterTrial?: true;
    };

export type GuardedAccess = Exclude<Access, { readonly credential: 'none' }>;
