/**
 * Checks of a project that a schema cannot express: fields that need or contradict each other, addresses, origins, branding by tier. Returns the form
 * that is stored.
 */
import type { Environment } from '../../config/settings.js';
import type { ProjectChange, ProjectFields } from '../../contract/project.js';
import { brandingTiers, tiers, type Branding, type Tier } from '../../contract/project-parts.js';
import { Fault, type Issue } from '../../errors.js';
import { readWebAddress, redirectProblem } from '../../net/web-address.js';
import { readOrigins, sameOrigins } from '../../net/origin-pattern.js';
import { unknownValues } from '../../kernel/validation.js';
import type { AdministrationDeps } from '../deps.js';
import { readCountries } from './country-weights.js';
import { findContradictions } from './project-patch.js';

/** A change with `allowedOrigins` put where it belongs; `originsPath` is the name that the caller used. */
export interface ResolvedChange {
  readonly change: Omit<ProjectChange, 'allowedOrigins'>;
  readonly originsPath: string;
  readonly issues: readonly Issue[];
}

/** `standing`: the list before the change. If a reply is sent back with one of the two names changed, that one counts. */
export function resolveAlias(
  { allowedOrigins: alias, ...sent }: ProjectChange,
  standing?: readonly string[],
): ResolvedChange {
  const { liteConfig, issues: countryIssues } = readCountries(sent.config?.liteConfig);
  const change = liteConfig === undefined ? sent : { ...sent, config: { ...sent.config, liteConfig } };
  const given = change.config?.allowedDomains;
  const stands = (list: readonly string[] | null): boolean =>
    standing !== undefined && sameOrigins(list ?? [], standing);
  const allowedOrigins = alias !== undefined && given !== undefined && stands(alias) ? undefined : alias;
  if (allowedOrigins === undefined) return { change, originsPath: '/config/allowedDomains', issues: countryIssues };
  const issues =
    given !== undefined && !stands(given) && !sameOrigins(given ?? [], allowedOrigins ?? [])
      ? [
          {
            path: '/allowedOrigins',
            message: 'differs from config.allowedDomains, which is the same list. Send only one of them.',
          },
        ]
      : [];
  return {
    change: { ...change, config: { ...change.config, allowedDomains: allowedOrigins } },
    originsPath: '/allowedOrigins',
    issues: [...countryIssues, ...issues],
  };
}

export interface CheckedProject {
  readonly fields: ProjectFields;
  readonly issues: readonly Issue[];
}

export function checkProject(
  {
    environment,
    fraudSignalTypes,
    modelVersion,
  }: Pick<AdministrationDeps, 'environment' | 'fraudSignalTypes' | 'modelVersion'>,
  fields: ProjectFields,
  originsPath: string,
): CheckedProject {
  const origins = readOrigins(fields.config?.allowedDomains ?? [], originsPath);
  const config =
    fields.config?.allowedDomains === undefined
      ? fields.config
      : { ...fields.config, allowedDomains: origins.patterns };
  const issues = [
    ...(typeof fields.name === 'string'
      ? []
      : [{ path: '/name', message: 'has no default and can’t be null. Send a value or omit it.' }]),
    ...findContradictions(fields),
    ...checkShadow(fields, modelVersion),
    ...origins.issues,
    ...checkDisclosure(fields),
    ...checkConfig(fields),
    ...checkAddresses(fields, environment),
    ...unknownValues(fields.scoreModeConfig?.blockOnFraudSignals ?? [], fraudSignalTypes, {
      path: '/scoreModeConfig/blockOnFraudSignals',
      what: 'a type of fraud signal',
    }),
  ];
  return { fields: config === undefined ? fields : { ...fields, config }, issues };
}

function checkShadow({ config }: ProjectFields, carried: string): readonly Issue[] {
  const named = config?.liteConfig?.shadow?.modelVersion ?? carried;
  const message = `is not installed. Send "${carried}", the version of this release, or omit it.`;
  return named === carried ? [] : [{ path: '/config/liteConfig/shadow/modelVersion', message }];
}

function checkDisclosure({ userDisclosure, userDisclosureCustomText: text = '' }: ProjectFields): readonly Issue[] {
  return userDisclosure === 'CUSTOM' && text.trim() === ''
    ? [
        {
          path: '/userDisclosureCustomText',
          message: 'must have 1 to 280 characters if userDisclosure is CUSTOM.',
        },
      ]
    : [];
}

function checkConfig({ config = {} }: ProjectFields): readonly Issue[] {
  const { scope, groupId } = config.deduplication ?? {};
  const { minTimeMs = 0, maxTimeMs = Infinity } = config.monitoring?.question ?? {};
  return [
    ...(scope === 'group' && groupId === undefined
      ? [{ path: '/config/deduplication/groupId', message: 'is required if scope is "group".' }]
      : []),
    ...(minTimeMs > maxTimeMs
      ? [
          {
            path: '/config/monitoring/question/minTimeMs',
            message: `must be at most maxTimeMs: ${minTimeMs} is above ${maxTimeMs}.`,
          },
        ]
      : []),
  ];
}

function checkAddresses(
  { scoreModeConfig = {}, branding = {} }: ProjectFields,
  environment: Environment,
): readonly Issue[] {
  const redirect = (name: 'redirectPassUrl' | 'redirectFailUrl') =>
    issueOf(`/scoreModeConfig/${name}`, targetProblem(scoreModeConfig[name], environment));
  const web = (name: 'privacyUrl' | 'logoUrl') => findAddressIssue(`/branding/${name}`, branding[name]);
  return [...redirect('redirectPassUrl'), ...redirect('redirectFailUrl'), ...web('privacyUrl'), ...web('logoUrl')];
}

const issueOf = (path: string, problem: string | null): readonly Issue[] =>
  problem === null ? [] : [{ path, message: problem }];

const targetProblem = (text: string | undefined, environment: Environment): string | null =>
  text === undefined ? null : redirectProblem(text, environment);

/** Checks an address that respondents may follow; null and undefined are none. */
export const findAddressIssue = (path: string, text: string | null | undefined): readonly Issue[] =>
  text == null || readWebAddress(text) !== null
    ? []
    : [{ path, message: 'must be an absolute https:// or http:// URL without user name and password.' }];

/** Throws TIER_REQUIRED for the first branding field of a change that the tier does not unlock. Keeping one and taking it away are free. */
export function requireBrandingTier(
  branding: { readonly [Name in keyof Branding]?: Branding[Name] | null } | null | undefined,
  tier: Tier,
  standing: Branding = {},
): void {
  for (const [name, needed] of Object.entries(brandingTiers)) {
    const value = branding?.[name as keyof Branding];
    if (value === undefined || value === null || value === false || value === standing[name as keyof Branding])
      continue;
    if (tiers.indexOf(tier) >= tiers.indexOf(needed)) continue;
    const message = `\`branding.${name}\` needs the tier ${needed}; yours is ${tier}. Upgrade or omit it.`;
    throw new Fault('TIER_REQUIRED', message, {
      issues: [{ path: `/branding/${name}`, message: `needs the tier ${needed}.` }],
      context: { field: name, tier: needed },
    });
  }
}
