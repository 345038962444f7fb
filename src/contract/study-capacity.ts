/** How many respondents the quotas of a study let in. Pure, for the service and the console. */
import type { StudyQuota } from './study.js';

const traits = ['country', 'gender', 'ageMin', 'ageMax', 'profession'] as const;

/** Groups of quotas that leave out no respondent: each quota of everybody, those of all countries, those of two genders and more. */
export function coveringQuotas<Q extends StudyQuota>(
  countries: readonly string[],
  quotas: readonly Q[],
): readonly (readonly Q[])[] {
  const only = (trait: keyof StudyQuota | null): readonly Q[] =>
    quotas.filter((quota) => traits.every((name) => (quota[name] !== undefined) === (name === trait)));
  const byCountry = only('country');
  const byGender = only('gender');
  const coversCountries = countries.every((country) => byCountry.some((quota) => quota.country === country));
  return [
    ...only(null).map((quota) => [quota]),
    ...(coversCountries ? [byCountry] : []),
    ...(new Set(byGender.map(({ gender }) => gender)).size > 1 ? [byGender] : []),
  ];
}

/** Respondents that the quotas let in at most; at most the sample size. */
export const roomOf = (countries: readonly string[], quotas: readonly StudyQuota[], sampleSize: number): number =>
  Math.min(
    sampleSize,
    ...coveringQuotas(countries, quotas).map((group) => group.reduce((sum, { limit }) => sum + limit, 0)),
  );
