/** Two hundred respondents enter one study at once, over two processes that share the stores, through the real gate. */
import t from 'tap';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import type { CreatedSupplierReply, InvitationsReply } from '../../src/contract/supplier.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { keepCookies, nextOf, sendEntryProbe } from '../helpers/entry-probe.js';
import { callerOf, creation, desktopAgent, open, placeAt, titles } from '../helpers/fielding.js';
import { startFleet } from '../helpers/fleet.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { findStack } from '../helpers/stores.js';
import { flattenFigures, recountStudy } from '../helpers/study-recount.js';

t.setTimeout(300_000);
const places = 60;
const men = 20;
/** How long a respondent who is asked to try again does so. */
const patienceMs = 120_000;
const surveyUrl = 'https://survey.example.com/';
const stack = findStack(t, 'entries over two processes');

interface Entry {
  readonly url: string;
  readonly rid: string;
  /** The browser: its address, its device, and one cookie for all its entries. */
  readonly browser: number;
}

if (stack !== null) {
  const settings = { ...(await realStoreSettings(t, stack)), VH_TRUSTED_PROXIES: '127.0.0.1' };
  const { members, keys } = await startFleet(t, settings, ['api,consumers,audience', 'api,consumers,audience']);
  const roots = members.map((member) => member.audienceUrl() ?? '');
  const callers = roots.map((root) => callerOf(root, keys.organizationKey));
  const call = callers[0]!;
  const database = await openPostgres({ url: settings.DATABASE_URL, poolMax: 2, deadlineMs: 30_000 });
  t.teardown(() => database.close());

  const suppliers: CreatedSupplierReply[] = [];
  for (const sourceId of ['north', 'south'])
    suppliers.push((await call('POST', '/suppliers', { name: sourceId, sourceId })).body);
  const study = await makeStudy();
  const path = `/studies/${study.studyId}`;

  async function makeStudy(): Promise<CreatedStudyReply> {
    const audience = {
      ...{ countries: ['DE'], language: 'en', sample_size: places },
      suppliers: suppliers.map(({ supplierId }) => supplierId),
      quotas: [
        { name: 'men', gender: 'male', limit: men },
        { name: 'women', gender: 'female', limit: places },
      ],
    };
    const made = (await call('POST', '/studies', creation(surveyUrl, { audience }))).body as CreatedStudyReply;
    await call('POST', `/studies/${made.studyId}/launch`);
    return made;
  }

  /** A hundred and sixty people; twenty of them open their link twice more, and nobody’s browser is shared. */
  async function invite(): Promise<readonly Entry[]> {
    const people: Entry[] = [];
    for (const [index, { supplierId }] of suppliers.entries()) {
      const respondents = Array.from({ length: 80 }, (_, n) => ({
        ...{ rid: `${index}-${n}`, country: 'DE', gender: n % 2 === 0 ? 'male' : 'female' },
      }));
      const body = (await call('POST', `${path}/invitations`, { supplierId, respondents })).body as InvitationsReply;
      people.push(...body.invitations.map(({ rid, url }, n) => ({ rid, url, browser: index * 80 + n })));
    }
    const eager = people.filter((_, n) => n % 8 === 0);
    return [...people, ...eager, ...eager];
  }

  /** The page that checks the browser comes from one process, and the decision from the other. */
  async function enter({ url, browser }: Entry, turn: number, cookie: string): Promise<string> {
    const at = (nth: number): string => url.replace(roots[0] ?? '', roots[nth % 2] ?? '');
    const given = { address: `91.${browser % 200}.${Math.floor(browser / 200)}.7`, cookie };
    const first = await open(at(turn), given);
    const next = nextOf(first.html);
    if (next === null) return first.location ?? first.title;
    const sent = await sendEntryProbe(first.html, { ...given, agent: desktopAgent, seed: `browser ${browser}` });
    // A real page is loaded once more by itself.
    if (sent.status === 429 || sent.status === 503) return titles.later;
    if (sent.status !== 202) return `the probe was answered ${sent.status}`;
    const kept = { ...given, cookie: keepCookies(first.headers, cookie) };
    const page = await open(new URL(next, at(turn + 1)).href, kept);
    return page.location ?? page.title;
  }

  async function compare(t: Pick<typeof import('tap').t, 'match' | 'equal'>): Promise<StudyReport['totals']> {
    const reports: StudyReport[] = [];
    for (const by of ['supplier', 'source', 'day'] as const) {
      const report = (await call('GET', `${path}/report?by=${by}`)).body as StudyReport;
      const counted = await recountStudy(database, study.studyId, by);
      t.equal(report.rows.length, counted.length, by);
      for (const { key, medianSeconds: _known, ...row } of counted) {
        const shown = report.rows.find(
          ({ supplierId, sourceId, day }) => (by === 'source' ? (supplierId ?? sourceId) : (supplierId ?? day)) === key,
        );
        t.match(flattenFigures({ screenedOut: {}, ...shown }), row, `${by} ${key ?? ''}`);
      }
      const { key: _all, medianSeconds: _median, ...all } = (await recountStudy(database, study.studyId, null))[0]!;
      t.match(flattenFigures({ ...report.totals }), all, `${by}: in all`);
      reports.push(report);
    }
    return reports[0]!.totals;
  }

  t.test('no place is given twice, each entry ends, and the report equals a recount', async (t) => {
    const entries = await invite();
    t.equal(entries.length, 200);
    const cookieOf = (browser: number): string => `vh_device=${browser.toString(16).padStart(32, '0')}`;
    const ends = await Promise.all(
      entries.map(async (entry, turn) => {
        // A service that is asked for more than it can do answers with the page that asks to try again.
        const untilMs = Date.now() + patienceMs;
        let end = titles.later;
        for (let times = turn; end === titles.later && Date.now() < untilMs; times++)
          end = await enter(entry, times, cookieOf(entry.browser));
        return end;
      }),
    );
    const isIn = (end: string): boolean => end.startsWith(surveyUrl);
    const counts: Record<string, number> = {};
    for (const end of ends) counts[isIn(end) ? 'in' : end] = (counts[isIn(end) ? 'in' : end] ?? 0) + 1;
    t.same(
      Object.keys(counts).filter((end) => !['in', titles.full, titles.declined].includes(end)),
      [],
      `each entry has an end: ${JSON.stringify(counts)}`,
    );
    const placesOf = new Map<string, Set<string>>();
    for (const [n, end] of ends.entries())
      if (isIn(end)) {
        const { rid } = entries[n]!;
        placesOf.set(rid, (placesOf.get(rid) ?? new Set()).add(placeAt(end)));
      }
    const taken = [...placesOf.values()].flatMap((own) => [...own]);
    t.equal(placesOf.size, places, `all places are taken, and none more: ${JSON.stringify(counts)}`);
    t.equal(taken.length, places, 'a respondent who came three times has one place');
    t.equal(new Set(taken).size, places, 'no place is shared');

    const { progress } = (await call('GET', path)).body as CreatedStudyReply;
    t.match(progress, { entered: 160, places_left: 0, funnel: { in_survey: places } });
    t.ok((progress.quotas[0]?.held ?? Infinity) <= men, `men: ${progress.quotas[0]?.held}`);
    t.equal((progress.quotas[0]?.held ?? 0) + (progress.quotas[1]?.held ?? 0), places);
    await compare(t);

    // Each complete is reported to both processes at once.
    const returns = await Promise.all(
      taken.flatMap((place) =>
        callers.map((to) => to('POST', `${path}/returns`, { place, status: 'complete' }, study.surveyKey)),
      ),
    );
    t.same(new Set(returns.map(({ status }) => status)), new Set([200]));
    t.match(await compare(t), { entries: 160, completed: places, verified: places });
    const { respondents } = (await call('GET', `${path}/respondents?limit=100`)).body as {
      readonly respondents: readonly RespondentReply[];
    };
    t.equal(new Set(respondents.map(({ respondentId }) => respondentId)).size, places, 'each person once');
  });
}
