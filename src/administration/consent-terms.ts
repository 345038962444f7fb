/** The consent shows these terms of a project, from its settings and its organization’s. */
import { configDefaults } from '../contract/project.js';
import type { ConsentTerms, consentWarnings } from '../contract/consent.js';
import type { Queryable } from '../stores/database/port.js';
import type { StoredOrganization } from './organization-store.js';
import { visibleBranding, type StoredProject } from './project-store.js';

/** The face settings of this installation. */
export interface FacePolicy {
  /** Whether a face is compared with those of other respondents. */
  readonly comparesOthers: boolean;
  readonly keptDays: number;
}

type Owner = Pick<StoredOrganization, 'name' | 'tier' | 'consent'>;

/** The controller of the data, and their privacy page. */
export function controllerOf(
  { fields }: Pick<StoredProject, 'fields'>,
  { name, tier, consent }: Owner,
): Pick<ConsentTerms, 'controller' | 'privacyUrl'> {
  const { companyName, privacyUrl } = visibleBranding(fields.branding, tier) ?? {};
  return {
    controller: companyName ?? consent.controller ?? name,
    privacyUrl: privacyUrl ?? consent.privacyUrl ?? null,
  };
}

export function consentTermsOf(project: StoredProject, owner: Owner, policy: FacePolicy): ConsentTerms {
  const { config = {} } = project.fields;
  const { scope, reEligibilityDays, faceReuse } = { ...configDefaults.deduplication, ...config.deduplication };
  return {
    ...controllerOf(project, owner),
    comparedWith: policy.comparesOthers ? scope : 'own',
    faceReuse: faceReuse !== 'off',
    reEligibilityDays,
    pictures: (config.evidenceFrames ?? configDefaults.evidenceFrames) === 'sampled',
    keptDays: policy.keptDays,
  };
}

export const consentWarningsOf = ({
  privacyUrl,
}: Pick<ConsentTerms, 'privacyUrl'>): (typeof consentWarnings)[number][] =>
  privacyUrl === null ? ['consent_incomplete'] : [];

/** For operators: how many organizations have a project, and no privacy page of their own. */
export async function countIncompleteConsents(database: Queryable): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM organizations o
      WHERE settings #>> '{consent,privacyUrl}' IS NULL
        AND EXISTS (SELECT FROM projects p WHERE p.organization_id = o.organization_id AND p.fields #>> '{branding,privacyUrl}' IS NULL)`,
  );
  return row?.count ?? 0;
}
