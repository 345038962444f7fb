/** Studies, put together for every listener that offers them, and the hosted verification of their respondents. */
import { createHmac } from 'node:crypto';
import type { Directories } from '../administration/directories.js';
import { createStudyService, type StudyService } from '../audience/study-service.js';
import { createLinkService, type LinkService } from '../audience/link-service.js';
import type { HashIdentifier } from '../audience/own-places.js';
import { createLinkTrials, type LinkTrials } from '../audience/link-trial.js';
import { createPostbackLog, type PostbackLog } from '../audience/postback-log.js';
import { createSupplierService, type SupplierService } from '../audience/supplier-service.js';
import { deriveKey } from '../crypto/master-key.js';
import { createSecretStore } from '../administration/secret-store.js';
import { createTargetClassifier, objectionTo } from '../net/target-address.js';
import type { Parts } from './parts.js';
import { insertLink, linkUrl } from '../administration/hosted-links.js';
import type { HostedVerificationClient } from '../audience/fielding.js';
import { linkDaysMax } from '../contract/hosted-link.js';
import { configDefaults } from '../contract/project.js';
import { noScores } from '../contract/study-replies.js';
import type { VerdictScores } from '../contract/verdict.js';
import { postbackDeliveries } from '../webhooks/postbacks.js';
import { isStopped } from '../verification/sessions/session-store.js';

export const wireStudies = (
  { settings, stores, masterKeys }: Parts,
  { directories, audienceUrl }: { readonly directories: Directories; readonly audienceUrl: () => string },
): StudyService =>
  createStudyService({
    database: stores.database,
    environment: settings.VH_ENV,
    secrets: createSecretStore(masterKeys.readable),
    findProjectOwner: directories.findProjectOwner,
    liteEnabled: async (organizationId) => (await directories.organizations.get(organizationId))?.liteEnabled ?? false,
    audienceUrl,
  });

/** The same hashes in every part that knows respondents, browsers and addresses of studies. */
export function identifierHashOf({ masterKeys }: Pick<Parts, 'masterKeys'>): HashIdentifier {
  const key = deriveKey(masterKeys.first, 'audience-identifiers');
  return (projectId, kind, value) => createHmac('sha256', key).update(`${projectId}\n${kind}\n${value}`).digest('hex');
}

const linkPartsOf = (parts: Parts, audienceUrl: () => string) => ({
  ...{ database: parts.stores.database, now: parts.now, audienceUrl, hash: identifierHashOf(parts) },
  secrets: createSecretStore(parts.masterKeys.readable),
});

export const wireLinks = (parts: Parts, audienceUrl: () => string): LinkService =>
  createLinkService(linkPartsOf(parts, audienceUrl));

export const wireLinkTrials = (parts: Parts, audienceUrl: () => string): LinkTrials =>
  createLinkTrials(linkPartsOf(parts, audienceUrl));

export const wireSuppliers = (
  { settings, stores, masterKeys, webhookListeners }: Parts,
  { findProjectOwner }: Pick<Directories, 'findProjectOwner'>,
): SupplierService => {
  const target = {
    classify: createTargetClassifier(),
    allowPrivate: settings.VH_WEBHOOK_ALLOW_PRIVATE,
    isDevelopment: settings.VH_ENV === 'development',
  };
  return createSupplierService({
    database: stores.database,
    environment: settings.VH_ENV,
    secrets: createSecretStore(masterKeys.readable),
    findProjectOwner,
    postbacks: postbackDeliveries,
    onChange: (supplierId) => webhookListeners.forEach((listener) => listener(supplierId)),
    postbackProblem: (address) => objectionTo(address, target),
  });
};

export const wirePostbackLog = ({ stores, now }: Parts): PostbackLog =>
  createPostbackLog({ database: stores.database, postbacks: postbackDeliveries, now });

/** A link outlives the place that it is for by far; a respondent who comes back later is verified by the same one. */
const expiresInDays = linkDaysMax;

/** A link for one person, whose result is read from the sessions that came through it, never from what a browser brings. */
export const createHostedVerificationClient = (
  { stores, now }: Parts,
  { directories, siteUrl }: { readonly directories: Pick<Directories, 'projects'>; readonly siteUrl: () => string },
): HostedVerificationClient => ({
  async makeLink(
    tx,
    { organizationId, projectId, respondentRef, entry },
    { studyId, isTest, minimumQuality },
    returnUrl,
  ) {
    const link = await insertLink(
      tx,
      { organizationId, projectId, mode: isTest ? 'test' : 'live' },
      { studyId, respondentId: respondentRef, returnUrl, expiresInDays, maxUses: 1 },
      {
        nowMs: now(),
        own: { isSigned: entry === 'signed', minimumAssurance: minimumQuality === 'strict' ? 'biometric' : null },
      },
    );
    return link.linkId;
  },
  linkUrl: (linkId) => linkUrl(siteUrl(), linkId),
  // Whoever opens the link again starts another chain, which gets no further tries: a pass after more failures than retries is none.
  async read({ projectId, respondentRef, linkId }) {
    const project = await directories.projects.get(projectId);
    const maxRetries = project?.fields.config?.maxRetries ?? configDefaults.maxRetries;
    const [session] = await stores.database.query<{
      status: 'pass' | 'fail' | 'review';
      assurance: string | null;
      scores: VerdictScores | null;
      isSpent: boolean;
      isStopped: boolean;
    }>(
      `SELECT * FROM (
         SELECT status, result->'verdict'->>'assuranceLevel' AS assurance, result->'page'->'scores' AS scores, completed_at, ${isStopped} AS "isStopped",
                count(*) FILTER (WHERE status = 'fail') OVER (ORDER BY completed_at) > $4 AS "isSpent" FROM verification_sessions
          WHERE project_id = $1 AND respondent_id = $2 AND link_id = $3 AND status IS NOT NULL) AS found
        ORDER BY status <> 'fail' AND NOT "isSpent" DESC, completed_at DESC LIMIT 1`,
      [projectId, respondentRef, linkId, maxRetries],
    );
    if (session === undefined) return null;
    const { status: given, assurance, scores, isSpent } = session;
    const status = isSpent || session.isStopped ? 'fail' : given;
    const isRetryable = project !== null && given === 'fail' && !isSpent;
    return { status, assurance: assurance ?? 'none', isRetryable, scores: scores ?? noScores };
  },
});
