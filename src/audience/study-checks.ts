/**
 * What the schema of a study cannot say: that its language exists, its survey can be sent to, and its quotas make sense together. Pure;
 * answers every issue at once.
 */
import type { Environment } from '../config/settings.js';
import type { StudyCreation, StudyQuota } from '../contract/study.js';
import type { Issue } from '../errors.js';

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The canonical form of a BCP 47 tag of a registered language, or null. */
export function canonicalLanguage(tag: string): string | null {
  try {
    const locale = new Intl.Locale(tag);
    return languageNames.of(locale.language) === undefined || locale.language === 'und' ? null : locale.toString();
  } catch {
    return null;
  }
}

/** What is wrong with an address that respondents are sent to, as the end of a sentence that starts with its name, or null. */
export function surveyUrlProblem(text: string, environment: Environment): string | null {
  // What URL parsing would repair silently is refused, so that what is stored is what is visited.
  if (!/^https?:\/\/[^\s\\/?#@]+(?:[/?#][^\s\\]*)?$/i.test(text) || !URL.canParse(text))
    return 'must be an absolute https:// address without user name and password.';
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:') return null;
  if (environment === 'development' && loopback.includes(hostname)) return null;
  return environment === 'development'
    ? 'must start with https://; plain http:// is for localhost, in development.'
    : 'must start with https://.';
}

export function findStudyIssues(creation: StudyCreation, environment: Environment): readonly Issue[] {
  const { audience, verification = {} } = creation;
  const issues: Issue[] = [];
  const problem = surveyUrlProblem(creation.survey_url, environment);
  if (problem !== null) issues.push({ path: '/survey_url', message: problem });
  if (canonicalLanguage(audience.language) === null)
    issues.push({
      path: '/audience/language',
      message: 'is no BCP 47 tag of a known language, such as "en" or "de-CH".',
    });
  if (verification.minimum_quality === 'strict' && verification.service_check === false)
    issues.push({
      path: '/verification/service_check',
      message: 'must be true where minimum_quality is strict: biometric assurance comes of the check.',
    });
  return [...issues, ...findQuotaIssues(audience.quotas ?? [], normalCountries(audience.countries))];
}

export function findQuotaIssues(quotas: readonly StudyQuota[], countries: readonly string[]): readonly Issue[] {
  return quotas.flatMap((quota, index) => {
    const path = `/audience/quotas/${index}`;
    const issues: Issue[] = [];
    if (quotas.findIndex(({ name }) => name === quota.name) < index)
      issues.push({ path: `${path}/name`, message: 'is the name of an earlier quota; each needs its own.' });
    if (quota.country !== undefined && !countries.includes(quota.country.toUpperCase()))
      issues.push({
        path: `${path}/country`,
        message: `must be one of the study’s countries: ${countries.join(', ')}.`,
      });
    for (const name of ['gender', 'profession'] as const)
      if (quota[name] !== undefined && normalTrait(quota[name]) === '')
        issues.push({ path: `${path}/${name}`, message: 'must not be blank; leave it out where it does not matter.' });
    if (quota.ageMin !== undefined && quota.ageMax !== undefined && quota.ageMin > quota.ageMax)
      issues.push({ path: `${path}/ageMin`, message: 'must be at most ageMax.' });
    return issues;
  });
}

/** Upper case, each once. */
export const normalCountries = (countries: readonly string[]): readonly string[] => [
  ...new Set(countries.map((country) => country.toUpperCase())),
];

/** As traits are compared. */
export const normalTrait = (text: string): string => text.trim().toLowerCase();
