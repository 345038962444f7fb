/**
 * Making projects and issuing each its one key. Idempotent on externalId: of calls that race one creates, and the others answer the same
 * project. The key is minted under the project’s row lock, once.
 */
import { keyScopes } from '../../contract/key-scopes.js';
import type { consentWarnings } from '../../contract/consent.js';
import { notFound } from '../../kernel/faults.js';
import type { ProjectCreation, ProjectFields, ProvisioningReply } from '../../contract/project.js';
import { Fault } from '../../errors.js';
import { DatabaseConflict, type Queryable } from '../../stores/database/port.js';
import { mintKey } from '../../administration/api-keys.js';
import { consentWarningsOf, controllerOf } from '../../administration/consent-terms.js';
import { recordAudit, type Actor } from '../../administration/audit.js';
import { requireReach, type Asking } from '../keys/key-service.js';
import { findIssuedKey, replaceKey, retireIssuedKeys, type AdministeredKey } from '../keys/key-store.js';
import {
  findProject,
  insertProject,
  lockProjectByExternalId,
  showProject,
  type StoredProject,
} from '../../administration/project-store.js';
import type { SigningSecrets } from '../../administration/signing-secrets.js';
import { inOrganization } from '../../stores/database/tenant.js';
import type { AdministrationDeps } from '../deps.js';

export interface Provisioned {
  readonly created: boolean;
  readonly reply: ProvisioningReply;
}

type Wish = Pick<ProjectCreation, 'issueApiKey' | 'rotateApiKey'>;

/** `fields` are checked already. A current key is replaced only where it is within the caller's reach, as everywhere. */
export async function provisionProject(
  deps: AdministrationDeps,
  asking: Asking,
  organizationId: string,
  fields: ProjectFields,
  wish: Wish,
): Promise<Provisioned> {
  const { project, created, key } = await inOrganization(deps.database, organizationId, async (tx) => {
    const { project, created } = await createOnce(tx, deps.signingSecrets, asking.actor, organizationId, fields);
    return { project, created, key: await issueKey(tx, asking, project, wish, new Date(deps.now())) };
  });
  if (key?.replaced !== undefined) deps.directories.dropKey(key.replaced.secretHash);
  const reply = { ...showProject(project), warnings: await findConsentWarnings(deps, project) };
  return { created, reply: { ...reply, ...(key === null ? {} : key.reply) } };
}

/** Finds gaps in the project's consent that respondents would notice. */
export async function findConsentWarnings(
  { directories }: Pick<AdministrationDeps, 'directories'>,
  project: StoredProject,
): Promise<(typeof consentWarnings)[number][]> {
  const organization = await directories.organizations.get(project.organizationId);
  return organization === null ? [] : consentWarningsOf(controllerOf(project, organization));
}

async function createOnce(
  tx: Queryable,
  signingSecrets: SigningSecrets,
  actor: Actor,
  organizationId: string,
  fields: ProjectFields,
): Promise<{ readonly project: StoredProject; readonly created: boolean }> {
  const inserted = await insertProject(tx, organizationId, fields).catch((error: unknown) => {
    // The organization of a dashboard token need not exist here.
    throw error instanceof DatabaseConflict && error.kind === 'foreign_key' ? notFound('organization') : error;
  });
  if (inserted !== null) {
    await signingSecrets.rotate(tx, inserted, false);
    await recordAudit(tx, actor, {
      organizationId,
      action: 'project.created',
      subject: { kind: 'project', id: inserted.projectId },
      detail: { name: fields.name, externalId: fields.externalId ?? null },
    });
    return { project: inserted, created: true };
  }
  const existing = await lockProjectByExternalId(tx, organizationId, fields.externalId ?? '');
  if (existing === null)
    throw new Fault('CONFLICT', 'The project of this `externalId` was renamed meanwhile. Try again.');
  return { project: existing, created: false };
}

interface Issue {
  readonly reply: Pick<ProvisioningReply, 'apiKey' | 'apiKeyId' | 'apiKeyPrefix' | 'apiKeyIssued'>;
  readonly replaced?: AdministeredKey;
}

/** null where no key was asked for, and where there is none to rotate. */
async function issueKey(
  tx: Queryable,
  { caller, actor }: Asking,
  project: StoredProject,
  { issueApiKey = false, rotateApiKey = false }: Wish,
  now: Date,
): Promise<Issue | null> {
  if (!issueApiKey && !rotateApiKey) return null;
  await findProject(tx, project.projectId, { lock: true });
  const { organizationId, projectId } = project;
  const current = await findIssuedKey(tx, projectId, now);
  if (current !== null && !rotateApiKey)
    return { reply: { apiKey: null, apiKeyId: current.keyId, apiKeyPrefix: current.prefix, apiKeyIssued: false } };
  if (current === null && !issueApiKey) return null;
  requireReach(caller, current ?? { isTest: false, isDemo: false, scopes: keyScopes.project });
  await retireIssuedKeys(tx, projectId);
  const minted =
    current === null
      ? await mintKey(tx, { organizationId, projectId, name: 'Issued key', isTest: false, issued: true })
      : await replaceKey(tx, current, undefined);
  const detail = current === null ? { issued: true } : { issued: true, replaced: current.keyId };
  await recordAudit(tx, actor, {
    organizationId,
    action: current === null ? 'key.created' : 'key.rotated',
    subject: { kind: 'key', id: minted.keyId },
    detail: { projectId, ...detail },
  });
  const reply = { apiKey: minted.secret, apiKeyId: minted.keyId, apiKeyPrefix: minted.prefix, apiKeyIssued: true };
  return current === null ? { reply } : { reply, replaced: current };
}
