/** The rules of suppliers, pure: which addresses they may have, what of a change stays, and where a respondent goes back to. */
import type { Environment } from '../config/settings.js';
import type { PlaceStatus } from '../contract/postback.js';
import {
  addressHashes,
  exitStatuses,
  placeholders,
  type ExitStatus,
  type SupplierChange,
  type SupplierRedirects,
} from '../contract/supplier.js';
import type { Issue } from '../errors.js';
import { fillPlaceholders, placeholdersOf, redirectProblem } from '../net/web-address.js';
import { hashAddress, withoutHash } from './address-hashes.js';
import { exitLines, sign, type SignedExit } from './signatures.js';
import type { SupplierSettings } from './supplier-store.js';

/** Placeholders as panels and survey tools write them: they would go out as they stand, or half filled in. */
const foreignPlaceholder = /\[%[^%\]]*%\]|%%\w+%%|\$\{[^{}]*\}|\{\{[^{}]*\}\}/;
const sample = Object.fromEntries(placeholders.map((name) => [name, 'x']));

/** Describes the fault of an address with placeholders, as the end of a sentence. `problemOf` judges it with the placeholders filled in. */
export function templateProblem(address: string, problemOf: (filled: string) => string | null): string | null {
  const foreign = foreignPlaceholder.exec(address)?.[0];
  if (foreign !== undefined)
    return `has ${foreign}, a placeholder of another system. Use ${placeholders.map((name) => `{${name}}`).join(', ')}.`;
  const unknown = placeholdersOf(address).find((name) => !placeholders.some((known) => known === name));
  if (unknown !== undefined && addressHashes.some((name) => name === unknown))
    return `has {${unknown}} in a wrong place. Make it the last parameter of a redirect; postbacks are signed in their headers.`;
  if (unknown !== undefined)
    return `has the unknown placeholder {${unknown}}. Use ${placeholders.map((name) => `{${name}}`).join(', ')}.`;
  const problem = problemOf(fillPlaceholders(address, sample));
  if (problem !== null) return problem;
  return /^https?:\/\/[^/?#]*\{/i.test(address) ? 'must not have a placeholder in its host.' : null;
}

export function findSupplierIssues(
  { redirects, postbackUrl }: Pick<SupplierSettings, 'redirects' | 'postbackUrl'>,
  environment: Environment,
  postbackProblem: (address: string) => string | null,
): readonly Issue[] {
  const isRedirect = (address: string): string | null => redirectProblem(address, environment);
  const issues = Object.entries(redirects).map(([status, address]) => ({
    path: `/redirects/${status}`,
    message: templateProblem(withoutHash(address), isRedirect),
  }));
  const all = [
    ...issues,
    { path: '/postbackUrl', message: postbackUrl === null ? null : templateProblem(postbackUrl, postbackProblem) },
  ];
  return all.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
}

/** A merge: what is left out stays, null goes back to the default. */
export function changedSettings(base: SupplierSettings, change: SupplierChange): SupplierSettings {
  const kept = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value);
  return {
    name: change.name ?? base.name,
    sourceId: change.sourceId ?? base.sourceId,
    projectId: kept(change.projectId, base.projectId),
    redirects: change.redirects === undefined ? base.redirects : mergedRedirects(base.redirects, change.redirects),
    postbackUrl: kept(change.postbackUrl, base.postbackUrl),
  };
}

const mergedRedirects = (base: SupplierRedirects, change: SupplierChange['redirects']): SupplierRedirects =>
  change === null
    ? {}
    : Object.fromEntries(
        exitStatuses.flatMap((status) => {
          const address = change?.[status] === undefined ? base[status] : change[status];
          return typeof address === 'string' ? [[status, address]] : [];
        }),
      );

/** An exit provides the values of the placeholders. */
export interface Exit extends SignedExit {
  readonly status: ExitStatus | PlaceStatus;
}

/** The values of the placeholders. */
export const placeholderValues = (
  exit: Exit,
  secret: string,
): Readonly<Record<(typeof placeholders)[number], string>> => ({
  ...{ rid: exit.rid, status: exit.status, place: exit.placeId, study: exit.studyId },
  sig: sign(secret, exitLines(exit)),
});

/** A redirect with everything filled in, in the form in which browsers ask for it, because a hash covers that form. */
export const fillRedirect = (address: string, exit: Exit, secret: string): string =>
  hashAddress(new URL(fillPlaceholders(address, placeholderValues(exit, secret))).href, secret);

/** The supplier’s redirect for a respondent of this status; null: none. */
export function redirectOf(redirects: SupplierRedirects, status: ExitStatus): string | null {
  const isRefusal = status === 'quality' || status === 'duplicate';
  return redirects[status] ?? (isRefusal ? (redirects.screened_out ?? null) : null);
}
