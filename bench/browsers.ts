/**
 * Measures the score of visitors that take a survey: real browsers under the drivers that people use, real browsers operated from outside,
 * and profiles of people, with BotD on the same page. Prints the table.
 */
import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import type { BenchResult } from './bench-result.js';
import { leaveFamiliesOut, type LeftOut } from './browsers/left-out.js';
import { ToolMissing } from './browsers/optional.js';
import { setUps, type Kind, type SetUp } from './browsers/set-ups.js';
import { takeSurvey, type Visit } from './browsers/survey.js';
import { markdownTable } from './markdown.js';
import { serve } from './process.js';

export interface BrowsersBenchOptions {
  /** Those whose names, families or kinds hold it. */
  readonly kind?: string;
}

const setUpDeadlineMs = 120_000;

export async function benchBrowsers({ kind = '' }: BrowsersBenchOptions): Promise<BenchResult> {
  const chosen = setUps.filter((each) => [each.name, each.family, each.kind].some((text) => text.includes(kind)));
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), {
    VH_TRUSTED_PROXIES: '127.0.0.1',
  });
  const taken: { setUp: SetUp; visit: Visit }[] = [];
  const left: string[] = [];
  try {
    for (const setUp of chosen) {
      try {
        const visit = await within(
          setUpDeadlineMs,
          takeSurvey(service.info, `visit-${crypto.randomUUID()}`, setUp.run),
        );
        taken.push({ setUp, visit });
        const dump = process.env['BROWSERS_DUMP'];
        if (dump !== undefined) await appendFile(dump, `${JSON.stringify({ ...setUp, ...visit })}\n`);
        console.error(row({ setUp, visit }).join(' | '));
      } catch (error) {
        left.push(
          `Left out: ${setUp.name}, because ${error instanceof Error ? error.message.split('\n')[0] : 'it failed'}.`,
        );
        if (!(error instanceof ToolMissing)) console.error(setUp.name, error);
      }
    }
  } finally {
    await service.stop();
  }
  return { table: report(taken, left), ratios: ratiosOf(taken) };
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const isFlagged = ({ reply }: Visit): boolean => reply.recommendation !== 'allow';

const rivalVerdicts: Readonly<Record<string, string>> = { null: 'none', true: 'bot', false: 'human' };

function row({ setUp, visit: { rival, reply, submitted } }: { setUp: SetUp; visit: Visit }): string[] {
  return [
    setUp.kind,
    setUp.family,
    `${setUp.name}${submitted ? '' : ' (did not submit)'}`,
    rivalVerdicts[String(rival)] ?? '',
    String(reply.score),
    reply.recommendation,
    reply.verdictClass,
    reply.evidence.against
      .slice(0, 5)
      .map(({ code }) => `\`${code}\``)
      .join(', '),
  ];
}

function report(taken: readonly { setUp: SetUp; visit: Visit }[], left: readonly string[]): string {
  const count = (kind: Kind, isMet: (visit: Visit) => boolean): string => {
    const of = taken.filter(({ setUp }) => setUp.kind === kind);
    return `${of.filter(({ visit }) => isMet(visit)).length} of ${of.length}`;
  };
  const kinds: readonly (readonly [Kind, string])[] = [
    ['driven', 'a program drives the browser'],
    ['outside', 'a program outside an untouched browser'],
    ['person', 'profiles of people'],
  ];
  const sums = kinds.map(([kind, what]) => [what, count(kind, isFlagged), count(kind, ({ rival }) => rival === true)]);
  return [
    markdownTable(['who', 'flagged by the score (review or more)', 'flagged by BotD'], sums),
    markdownTable(
      ['kind', 'family', 'set-up', 'BotD', 'score', 'recommendation', 'verdict', 'strongest evidence'],
      taken.map(row),
    ),
    'Flagged by findings whose strengths were learnt without the family:',
    '',
    markdownTable(
      ['family left out', 'flagged', 'missed'],
      leftOut(taken).map(({ family, setUps, missed }) => [
        family,
        `${setUps - missed.length} of ${setUps}`,
        missed.join(', '),
      ]),
    ),
    ...left,
    `Versions are ${browserVersions()}. The load average was ${loadavg()[0]?.toFixed(1)}.`,
    '',
  ].join('\n');
}

const leftOut = (taken: readonly { setUp: SetUp; visit: Visit }[]) =>
  leaveFamiliesOut(
    taken.map(({ setUp: { kind, family, name }, visit }) => ({
      ...{ kind, family, name },
      codes: visit.codes,
    })),
  );

const browserVersions = (): string => {
  const versions = ['chromium', 'firefox-esr'].map((name) => {
    const status = readFileSync('/var/lib/dpkg/status', 'utf8');
    return `${name} ${new RegExp(`\\nPackage: ${name}\\n(?:.+\\n)*?Version: (\\S+)`).exec(status)?.[1] ?? 'not installed'}`;
  });
  return versions.join(', ');
};

function shareFlagged(families: readonly LeftOut[]): number {
  const [setUps, missed] = [sumOf(families, ({ setUps }) => setUps), sumOf(families, ({ missed }) => missed.length)];
  return setUps === 0 ? 0 : (setUps - missed) / setUps;
}
const sumOf = <T>(items: readonly T[], read: (item: T) => number): number =>
  items.reduce((sum, item) => sum + read(item), 0);

function ratiosOf(taken: readonly { setUp: SetUp; visit: Visit }[]): Record<string, number> {
  const share = (kind: Kind, isMet: (visit: Visit) => boolean): number => {
    const of = taken.filter(({ setUp }) => setUp.kind === kind);
    return of.length === 0 ? 0 : of.filter(({ visit }) => isMet(visit)).length / of.length;
  };
  return {
    driven: share('driven', isFlagged),
    outside: share('outside', isFlagged),
    people: share('person', isFlagged),
    leftOut: shareFlagged(leftOut(taken)),
    rivalDriven: share('driven', ({ rival }) => rival === true),
  };
}
