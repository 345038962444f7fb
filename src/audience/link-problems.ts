/** Checks an entry link apart from its signature: its address, its values, and the study it leads to. Pure. */
import { callerIdLengthMax } from '../limits.js';
import { entryUrlOf, hasControl, traitsOf, type GivenLink, type Problem } from './entry-links.js';
import { linkTraits } from './signatures.js';
import type { Study } from './study-store.js';

export const notAnEntryLink = (audienceUrl: string): Problem => ({
  code: 'not_an_entry_link',
  message: `The URL is not an entry link. Start it with ${entryUrlOf(audienceUrl, '')} and a study.`,
});

/** The values of an address; null where it leads elsewhere. */
export function readLink(url: string, audienceUrl: string): GivenLink | null {
  const entry = entryUrlOf(audienceUrl, '');
  if (!url.startsWith(entry) || !URL.canParse(url)) return null;
  const { pathname, searchParams } = new URL(url);
  const value = (name: string): string | undefined => searchParams.get(name) ?? undefined;
  return {
    studyId: pathname.slice(new URL(entry).pathname.length),
    ...{ rid: value('rid') ?? '', src: value('src') ?? '', exp: value('exp'), sig: value('sig') },
    ...Object.fromEntries(linkTraits.map((name) => [name, value(name)])),
  };
}

/** Names that stand twice in an address: an entry takes each once. */
export function repeatedIn(url: string): readonly Problem[] {
  const { searchParams } = new URL(url);
  return (['rid', 'src', 'exp', 'sig', ...linkTraits, 'vh_checked'] as const).flatMap((name) =>
    searchParams.getAll(name).length > 1
      ? [{ code: 'value_repeated', message: `\`${name}\` stands twice in the link. Keep one.` } as const]
      : [],
  );
}

const isTooLong = (value: string): boolean => value.length > callerIdLengthMax;

/** Whether an entry takes the value, and the database stores it. */
export const isReadable = (value: string): boolean => !isTooLong(value) && !hasControl(value);

/** Values that are longer than an entry takes. */
export const tooLongIn = (link: GivenLink): readonly Problem[] =>
  (['rid', 'src', 'exp', 'sig', ...linkTraits] as const).flatMap((name) =>
    isTooLong(link[name] ?? '')
      ? [
          {
            code: 'value_too_long',
            message: `\`${name}\` is longer than ${callerIdLengthMax} characters. Shorten it.`,
          } as const,
        ]
      : [],
  );

/** Traits that an entry ignores. */
export function unreadableIn(link: GivenLink): readonly Problem[] {
  const traits = traitsOf(link);
  return linkTraits.flatMap((name) =>
    (link[name] ?? '') !== '' && traits[name] === null
      ? [
          {
            code: 'value_unreadable',
            message: `\`${name}\` is invalid and was ignored. Correct it or omit it.`,
          } as const,
        ]
      : [],
  );
}

export const finished: Problem = {
  code: 'respondent_finished',
  message: 'This respondent has already taken part. Send another one.',
};

export const broughtByOther: Problem = {
  code: 'respondent_of_other_source',
  message: 'Another source brought this `rid` by an open link. Use another `rid`, or sign the link.',
};

/** Why the study takes no new respondent by this link now. */
export function findStudyProblems(study: Study, link: GivenLink): readonly Problem[] {
  const { country } = traitsOf(link);
  const isElsewhere = country !== null && !study.countries.includes(country);
  return [
    ...(study.status === 'fielding'
      ? []
      : [
          {
            code: 'study_not_open',
            message: `The study is ${study.status} and takes no participants now. Launch it first.`,
          } as const,
        ]),
    ...(isElsewhere
      ? [
          {
            code: 'country_not_in_study',
            message: `The study runs in ${study.countries.join(', ')}, not in ${country}. Use another country.`,
          } as const,
        ]
      : []),
  ];
}
