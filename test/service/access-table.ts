/**
 * Access of callers to operations. One line for each operation of the API document, one column for each kind of credential; `ok` is any success.
 * Columns from left to right:
 *
 *   no valid credential     none, garbage, an expired key, a revoked key, an expired dashboard token
 *   of somebody else        an organization key and an owner’s token of another organization, a key of another project of the same one
 *   dashboard tokens        member, admin, owner
 *   API keys                of the project, of the organization, a test key of the project, one of the organization, a demo key of the project
 *
 * 400: allowed, and has to name a project. 401: who is asking? 403: known, and not allowed. 404: allowed, and not theirs, which reads the same as
 * not there.
 */
import type { OAuthScope } from '../../src/contract/oauth.js';

export const credentialKinds = [
  'none',
  'garbage',
  'expiredKey',
  'revokedKey',
  'expiredToken',
  'otherOrganizationKey',
  'otherOrganizationOwner',
  'otherProjectKey',
  'member',
  'admin',
  'owner',
  'projectKey',
  'organizationKey',
  'testKey',
  'organizationTestKey',
  'demoKey',
] as const;
export type CredentialKind = (typeof credentialKinds)[number];

const table = `
operation                   none garb exp  rev  tok   | oOrg oOwn oPrj | memb admn ownr | proj org  test orgT demo

scoreSession                401  401  401  401  401   | ok   401  ok   | 401  401  401  | ok   ok   ok   ok   ok
readEvidence                401  401  401  401  401   | 404  400  404  | 400  400  400  | ok   404  404  404  404
storeProbe                  ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
postOutcomes                401  401  401  401  401   | 400  401  ok   | 401  401  401  | ok   400  ok   400  403
postSessionOutcomes         401  401  401  401  401   | 400  401  ok   | 401  401  401  | ok   400  ok   400  403
readSession                 401  401  401  401  401   | 400  400  404  | 400  400  400  | ok   400  404  400  403
listSessions                401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
exportReceipts              401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
listReceiptHeads            401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
readMix                     401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
readFairness                401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
listSources                 401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
readCalibration             401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
readFreshness               401  401  401  401  401   | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   403
recommendThresholds         401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
compareShadow               401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
simulateThresholds          401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403

createPublicSession         ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
createSession               401  401  401  401  401   | 404  401  404  | 401  401  401  | ok   ok   ok   ok   ok
verifySession               ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
nextChallenge               ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
retrySession                401  401  401  401  401   | 404  401  ok   | 401  401  401  | ok   ok   404  404  404
readResult                  401  401  401  401  401   | 404  401  404  | 401  401  401  | ok   ok   404  404  404
reportActivity              ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
followRedirect              404  404  404  404  404   | 404  404  404  | 404  404  404  | 404  404  404  404  404
verifyToken                 401  401  401  401  401   | ok   401  ok   | 401  401  401  | ok   ok   ok   ok   ok
verifyTokens                401  401  401  401  401   | ok   401  ok   | 401  401  401  | ok   ok   ok   ok   ok
readAnalytics               401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   ok   ok   403
readRecovery                401  401  401  401  401   | 400  400  ok   | 400  400  400  | ok   400  ok   400  403
listFlags                   401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   ok   ok   403
eraseRespondent             401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
exportRespondent            401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
getKeySet                   ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok

provisionProject            401  401  401  401  401   | ok   401  403  | 401  401  401  | 403  ok   403  ok   403
createProject               401  401  401  401  401   | ok   ok   403  | 403  ok   ok   | 403  ok   403  ok   403
listProjects                401  401  401  401  401   | ok   ok   403  | ok   ok   ok   | 403  ok   403  ok   403
getProject                  401  401  401  401  401   | 404  404  403  | ok   ok   ok   | 403  ok   403  ok   403
updateProject               401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
rotateSigningSecret         401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403

introspectKey               401  401  401  401  401   | ok   401  ok   | 401  401  401  | ok   ok   ok   ok   ok
listProjectKeys             401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  ok   403
createProjectKey            401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
rotateProjectKey            401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
limitProjectKey             401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
revokeProjectKey            401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
listOrganizationKeys        401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  ok   403
createOrganizationKey       401  401  401  401  401   | 403  404  403  | 403  403  ok   | 403  403  403  403  403
rotateOrganizationKey       401  401  401  401  401   | 404  404  403  | 403  403  ok   | 403  ok   403  403  403
limitOrganizationKey        401  401  401  401  401   | 404  404  403  | 403  403  ok   | 403  ok   403  403  403
revokeOrganizationKey       401  401  401  401  401   | 404  404  403  | 403  403  ok   | 403  ok   403  403  403

getOrganizationSettings     401  401  401  401  401   | ok   401  403  | 401  401  401  | 403  ok   403  ok   403
updateOrganizationSettings  401  401  401  401  401   | ok   401  403  | 401  401  401  | 403  ok   403  403  403
updateOrganization          401  401  401  401  401   | 403  404  403  | 403  ok   ok   | 403  403  403  403  403
listAudit                   401  401  401  401  401   | 403  404  403  | 403  ok   ok   | 403  403  403  403  403

listOAuthClients            401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
createOAuthClient           401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
rotateOAuthClient           401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403
revokeOAuthClient           401  401  401  401  401   | 404  404  403  | 403  ok   ok   | 403  ok   403  403  403

createWebhook               401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   ok   ok   403
listWebhooks                401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   ok   ok   403
getWebhook                  401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   403  403  403
updateWebhook               401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
deleteWebhook               401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
rotateWebhookSecret         401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
testWebhook                 401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
listDeliveries              401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   403  403  403
replayDelivery              401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403
recoverDeliveries           401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   403  403  403

createLink                  401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   ok   ok   403
listLinks                   401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   ok   ok   403
getLink                     401  401  401  401  401   | 404  404  404  | ok   ok   ok   | ok   ok   404  404  403
deleteLink                  401  401  401  401  401   | 404  404  404  | 403  ok   ok   | ok   ok   404  404  403

getPublicConfig             ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
checkOrigin                 ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
mintDemoKey                 ok   ok   ok   ok   ok    | ok   ok   ok   | ok   ok   ok   | ok   ok   ok   ok   ok
`;

/**
 * Operations that take an access token, and the scopes of which it needs one; all others answer it 403, or as they answer everybody. With
 * its scope a token is answered like an organization key, but that it makes no API keys.
 */
export const accessTokenScopes: Readonly<Record<string, readonly OAuthScope[]>> = {
  scoreSession: ['lite:score'],
  readEvidence: ['lite:read', 'receipts:read'],
  readSession: ['lite:read', 'receipts:read'],
  listSessions: ['lite:read', 'receipts:read'],
  exportReceipts: ['lite:read', 'receipts:read'],
  listReceiptHeads: ['lite:read', 'receipts:read'],
  readMix: ['lite:read', 'receipts:read'],
  readFairness: ['lite:read', 'receipts:read'],
  listSources: ['lite:read', 'receipts:read'],
  readCalibration: ['lite:read', 'receipts:read'],
  readFreshness: ['lite:read', 'receipts:read'],
  readRecovery: ['lite:read', 'receipts:read'],
  listFlags: ['verifications:read'],
  recommendThresholds: ['lite:read', 'receipts:read'],
  compareShadow: ['lite:read', 'receipts:read'],
  simulateThresholds: ['lite:read', 'receipts:read'],
  readResult: ['verifications:read'],
  verifyToken: ['verifications:read'],
  verifyTokens: ['verifications:read'],
  readAnalytics: ['analytics:read'],
  provisionProject: ['projects:write'],
  createProject: ['projects:write'],
  updateProject: ['projects:write'],
  listProjects: ['projects:write', 'analytics:read'],
  getProject: ['projects:write', 'analytics:read'],
};

export type Expected = Readonly<Record<CredentialKind, 'ok' | '400' | '401' | '403' | '404' | '409'>>;

/** The table by operation. Throws where a line has too few or too many columns. */
export function readAccessTable(): ReadonlyMap<string, Expected> {
  const lines = table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(1);
  return new Map(
    lines.map((line) => {
      const [operation = '', ...cells] = line.split(/[\s|]+/).filter((cell) => cell !== '');
      if (cells.length !== credentialKinds.length)
        throw new Error(`${operation} has ${cells.length} columns, not ${credentialKinds.length}`);
      return [
        operation,
        Object.fromEntries(credentialKinds.map((kind, index) => [kind, cells[index]])) as Expected,
      ] as const;
    }),
  );
}
