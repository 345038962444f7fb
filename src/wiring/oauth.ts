/** OAuth, put together: the keys that sign access tokens, their reader, and what clients come to. */
import type { FastifyInstance } from 'fastify';
import { createAccessTokens, type AccessTokens } from '../administration/access-tokens.js';
import type { Directories } from '../administration/directories.js';
import type { Limits } from '../administration/request-limits.js';
import { registerOAuth } from '../oauth/routes.js';
import { openTokenKeys, type TokenKeys } from '../verification/tokens/token-keys.js';
import type { Parts } from './parts.js';

export interface OpenOAuth {
  readonly tokenKeys: TokenKeys;
  readonly accessTokens: AccessTokens;
  /** Serves documents and the token endpoint at the root of the site. */
  register(app: FastifyInstance): void;
}

export interface OAuthAddresses {
  readonly siteUrl: () => string;
  /** The API root. */
  readonly apiUrl: () => string;
}

export async function openOAuth(
  { settings, stores, masterKeys, metrics, logger, now, opened }: Parts,
  {
    directories,
    limits,
    siteUrl,
    apiUrl,
  }: OAuthAddresses & { readonly directories: Directories; readonly limits: Limits },
): Promise<OpenOAuth> {
  const { database } = stores;
  const tokenKeys = await openTokenKeys({
    ...{ database, masterKeys: masterKeys.readable, logger, now },
    rotationDays: settings.VH_TOKEN_KEY_DAYS,
  });
  opened.push(async () => tokenKeys.close());
  const findClient = directories.clients.get;
  const accessTokens = createAccessTokens({ keys: tokenKeys, findClient, issuer: siteUrl, audience: apiUrl, now });
  return {
    tokenKeys,
    accessTokens,
    register: (app) =>
      registerOAuth(app, {
        ...{ database, findClient, accessTokens, limits, metrics, now, siteUrl, apiUrl },
        audiences: () => [siteUrl(), `${siteUrl()}/oauth/token`],
      }),
  };
}
