/**
 * Where the hosted page sends a respondent, decided when they are sent: from the link as its owner made it and the project as it then
 * stands, never from anything that a page carries. An address that the rules would not take today is none.
 */
import type { Environment } from '../../config/settings.js';
import type { HostedLink } from '../../administration/hosted-links.js';
import type { DecideOrigin } from '../../administration/origin-decision.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import type { StoredProject } from '../../administration/project-store.js';
import { readWebAddress, redirectProblem } from '../../net/web-address.js';

export interface ReturnRules {
  /** Whether the allow-list in force takes an origin. */
  readonly isAllowed: (
    project: Pick<StoredProject, 'fields'>,
    organization: Pick<StoredOrganization, 'allowedDomains'>,
    origin: string,
  ) => boolean;
  readonly environment: Environment;
}

export const createReturnCheck =
  (decide: DecideOrigin): ReturnRules['isAllowed'] =>
  ({ fields }, { allowedDomains }, origin) =>
    decide({ project: fields.config?.allowedDomains ?? none, organization: allowedDomains }, origin).allowed;

const none: readonly string[] = [];

/** What goes along; `incomplete` is of a respondent who left without a verdict. */
export type ReturnStatus = 'pass' | 'fail' | 'review' | 'incomplete';

/** The address to go to, or null where the link has none that may be followed. */
export function returnTarget(
  link: Pick<HostedLink, 'returnUrl' | 'isOwnReturn'>,
  owner: { readonly project: StoredProject; readonly organization: StoredOrganization },
  { isAllowed, environment }: ReturnRules,
  result: { readonly status: ReturnStatus; readonly token: string | null },
): string | null {
  if (link.returnUrl === null) return null;
  const url = readWebAddress(link.returnUrl);
  if (url === null) return null;
  const isSafe =
    link.isOwnReturn ||
    (redirectProblem(link.returnUrl, environment) === null && isAllowed(owner.project, owner.organization, url.origin));
  if (!isSafe) return null;
  url.searchParams.delete('vh_token');
  if (result.token !== null) url.searchParams.set('vh_token', result.token);
  url.searchParams.set('status', result.status);
  return url.href;
}
