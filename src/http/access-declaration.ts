/** A route’s declaration of who may call it. */
import type { SessionMode } from '../contract/common.js';
import type { OAuthScope } from '../contract/oauth.js';
import type { DashboardRole } from '../kernel/caller.js';

export type Credential =
  | 'api-key'
  | 'organization-key'
  | 'dashboard'
  | 'dashboard-or-organization-key'
  | 'dashboard-or-key'
  | 'access-token';

export type Access =
  /** Documents, SDK files and public endpoints: no credential. */
  | { readonly credential: 'none' }
  | {
      readonly credential: Credential;
      /**
       * Modes of keys that the route takes. `live` alone: it reads or changes what governs live data, such as settings and secrets. A route that
       * takes others holds each key to records of its mode: data by `modeOf`, and what keys manage by `managesMode`.
       */
      readonly modes: readonly SessionMode[];
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
      /** The handler counts the call against the key’s limits itself, in a round trip that it makes anyway, and sets `rateTaken`. A call that fails earlier is counted when it is answered. */
      readonly limits?: 'handler';
      /** A Bearer of 64 hexadecimal digits is a key of the resource itself, which the handler checks; `caller` is then null. */
      readonly resourceKey?: true;
      /** A call with X-Client-Secret, or without any credential, is a page’s: the handler checks it, and `caller` is null. */
      readonly clientSecret?: true;
      /** The handler calls other routes on the caller’s behalf, and those count against the limits. */
      readonly relays?: true;
      /** Stays open after the organization’s trial: routes that read or secure, not routes that do billable work. */
      readonly afterTrial?: true;
    };

export type GuardedAccess = Exclude<Access, { readonly credential: 'none' }>;
