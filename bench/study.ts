/**
 * Bench of a study: simulated visitors of three suppliers follow signed links through the real pages and the real gate, and complete. Says whom the
 * study let in, whom it kept out, and which honest people it lost. A visitor's device keeps its cookie until its storage is cleared.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { StudyReply } from '../src/contract/study-replies.js';
import type { StudyReport } from '../src/contract/study-report.js';
import { invitationsMax, type InvitationsReply } from '../src/contract/supplier.js';
import { openEmbeddedDatabase } from '../src/stores/database/embedded/open.js';
import type { Queryable } from '../src/stores/database/port.js';
import { callerOf, fieldStudy, open, placeAt, titles, type Call } from '../test/helpers/fielding.js';
import { keepCookies, nextOf, readAttribute } from '../test/helpers/entry-probe.js';
import { startTestService } from '../test/helpers/service.js';
import { flattenFigures, recountStudy, type Recount } from '../test/helpers/study-recount.js';
import type { BenchResult } from './bench-result.js';
import { eachInFlight } from './counter-sessions.js';
import { markdownTable } from './markdown.js';
import { groupBy, shareOf } from '../research/panel/measures.js';
import type { PanelSession } from '../research/panel/sessions.js';
import { drawVisitors, supplierCount, type Kind, type Visitor } from './study-visitors.js';

export interface StudyBenchOptions {
  /** Visitors; the study has half as many places. */
  readonly traffic: number;
  /** Frauds and repeats among them, half of each. Default: as many as the simulated traffic has, which draws people for several studies. */
  readonly intruders?: number;
}

/** Visitors on their way at one time. */
const atOnce = 8;

interface Visited extends Visitor {
  /** `complete`, or the title of the page where the way ended. */
  readonly end: string;
  readonly ms: number;
}

/** The links of all visitors, each signed for its supplier. */
async function invite(
  call: Call,
  studyId: string,
  suppliers: readonly string[],
  visitors: readonly Visitor[],
): Promise<ReadonlyMap<Visitor, string>> {
  const links = new Map<Visitor, string>();
  for (const [index, supplierId] of suppliers.entries()) {
    const own = visitors.filter(({ supplier }) => supplier === index);
    for (let from = 0; from < own.length; from += invitationsMax) {
      const part = own.slice(from, from + invitationsMax);
      const respondents = part.map(({ rid }) => ({ rid }));
      const { status, body, text } = await call('POST', `/studies/${studyId}/invitations`, { supplierId, respondents });
      if (status >= 300) throw new Error(text);
      for (const [at, { url }] of (body as InvitationsReply).invitations.entries()) {
        const visitor = part[at];
        if (visitor !== undefined) links.set(visitor, url);
      }
    }
  }
  return links;
}

/** Follows a link as the visitor's browser does; gives the address of the survey, or the title of the page that ends the way. */
async function enter(link: string, { session }: Visitor, cookies: Map<string, string>) {
  const [load] = session.probes;
  const device = load?.body.ids?.token ?? session.request.sessionId;
  const agent = load?.transport.userAgent ?? session.request.userAgent ?? '';
  const browser = { agent, address: session.request.clientIp };
  const kept = () => ({ ...browser, ...(cookies.has(device) && { cookie: cookies.get(device) ?? '' }) });
  const page = await open(link, kept());
  const cookie = keepCookies(page.headers, kept().cookie);
  const own = /vh_device=[0-9a-f]+/.exec(keepCookies(page.headers))?.[0];
  if (own !== undefined) cookies.set(device, own);
  const next = nextOf(page.html);
  if (next === null) return page;
  if (load !== undefined) await sendLoad(page.html, load, browser.address);
  return open(new URL(next, link).href, { ...kept(), cookie });
}

async function sendLoad(html: string, { body, transport }: PanelSession['probes'][number], address: string) {
  const { userAgent, acceptLanguage, hintPlatform, hintMobile } = transport;
  const named = { projectKey: readAttribute(html, 'project-key'), sessionId: readAttribute(html, 'session-id') };
  const hints = { 'sec-ch-ua-platform': hintPlatform, 'sec-ch-ua-mobile': hintMobile };
  const given = Object.entries({ 'user-agent': userAgent, 'accept-language': acceptLanguage, ...hints }).flatMap(
    ([name, value]) => (value === null ? [] : [[name, value] as const]),
  );
  await fetch(readAttribute(html, 'endpoint'), {
    method: 'POST',
    headers: { ...Object.fromEntries(given), 'content-type': 'text/plain;charset=UTF-8', 'x-forwarded-for': address },
    body: JSON.stringify({ ...body, ...named, at: Date.now(), up: 900 }),
  });
}

export async function benchStudy({ traffic, intruders }: StudyBenchOptions): Promise<BenchResult> {
  const stops: (() => Promise<void>)[] = [];
  const test = { teardown: (stop: () => Promise<void>) => void stops.push(stop) };
  const service = await startTestService(test, {
    VH_TRUSTED_PROXIES: '127.0.0.1',
    VH_PUBLIC_PER_MINUTE: '0',
    VH_PUBLIC_PER_ADDRESS: '0',
    VH_LOG_LEVEL: 'error',
  });
  try {
    const { audienceUrl, organizationKey } = service.bootstrap;
    const call = callerOf(audienceUrl, organizationKey);
    const { all, study, figures } = await visitAll(call, drawVisitors(traffic, intruders));
    await service.stop();
    const database = await openEmbeddedDatabase({ directory: join(service.dataDirectory, 'database') });
    stops.push(() => database.close());
    const differences = await findDifferences(database, study.studyId, figures);
    return report(all, study.progress.completed, differences);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function visitAll(call: Call, visitors: readonly Visitor[]) {
  const suppliers: string[] = [];
  for (let index = 0; index < supplierCount; index += 1) {
    const made = await call('POST', '/suppliers', { name: `Supplier ${index}`, sourceId: `s${index}` });
    suppliers.push((made.body as { readonly supplierId: string }).supplierId);
  }
  const study = await fieldStudy(call, {
    name: 'Bench',
    survey_url: 'http://localhost:9/survey',
    audience: { countries: ['US', 'GB', 'DE'], language: 'en', sample_size: Math.ceil(visitors.length / 2), suppliers },
    survey: { minimumSeconds: 0 },
  });
  const links = await invite(call, study.studyId, suppliers, visitors);
  const cookies = new Map<string, string>();
  const visit = async (visitor: Visitor): Promise<Visited> => {
    const startedAt = performance.now();
    const page = await enter(links.get(visitor) ?? '', visitor, cookies);
    const ms = performance.now() - startedAt;
    if (page.location === null) return { ...visitor, ms, end: page.title };
    const place = placeAt(page.location);
    const { status, text } = await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' });
    if (status !== 200) throw new Error(text);
    return { ...visitor, ms, end: 'complete' };
  };
  const all: Visited[] = [];
  await eachInFlight(visitors, async (visitor) => void all.push(await visit(visitor)), atOnce);
  const reportBy = async (by: 'supplier' | 'day'): Promise<StudyReport> =>
    (await call('GET', `/studies/${study.studyId}/report?by=${by}`)).body;
  return {
    all,
    study: (await call('GET', `/studies/${study.studyId}`)).body as StudyReply,
    figures: { supplier: await reportBy('supplier'), day: await reportBy('day') },
  };
}

/** Figures of the report that its places, counted again in SQL, do not have; the median is known within a few percent. */
async function findDifferences(
  database: Queryable,
  studyId: string,
  figures: Readonly<Record<'supplier' | 'day', StudyReport>>,
): Promise<readonly string[]> {
  const differences: string[] = [];
  const compare = (row: string, shown: object | undefined, counted: Recount | undefined): void => {
    const flat = flattenFigures({ screenedOut: {}, ...shown });
    for (const [name, value] of Object.entries(counted ?? {}))
      if (name !== 'key' && name !== 'medianSeconds' && flat[name] !== value)
        differences.push(`${row} ${name}: the report has ${String(flat[name])}, the places ${String(value)}`);
  };
  for (const by of ['supplier', 'day'] as const) {
    const { rows, totals } = figures[by];
    compare('all', totals, (await recountStudy(database, studyId, null))[0]);
    const counted = await recountStudy(database, studyId, by);
    if (counted.length !== rows.length) differences.push(`${by}: ${rows.length} rows, not ${counted.length}`);
    for (const row of counted)
      compare(
        `${by} ${String(row['key'])}`,
        rows.find(({ supplierId, day }) => (by === 'supplier' ? supplierId : day) === row['key']),
        row,
      );
  }
  return differences;
}

/** A full study lets nobody in: visitors count until its last complete. They are in the order in which their ways ended. */
function beforeFull(visited: readonly Visited[]): readonly Visited[] {
  if (visited.every(({ end }) => end !== titles.full)) return visited;
  const last = visited.findLastIndex(({ end }) => end === 'complete');
  return visited.slice(0, last + 1).filter(({ end }) => end !== titles.full);
}

function report(visited: readonly Visited[], completes: number, differences: readonly string[]): BenchResult {
  const byKind = groupBy(visited, ({ kind, session }) => (kind === 'fraud' ? session.truth.label : kind));
  const ends = [...new Set(visited.map(({ end }) => end))].sort();
  const rows = [...byKind].map(([kind, own]) => [
    kind,
    String(own.length),
    ...ends.map((end) => String(own.filter((one) => one.end === end).length)),
  ]);
  const judged = beforeFull(visited);
  const shareIn = (kind: Kind): number =>
    shareOf(
      judged.filter((one) => one.kind === kind),
      ({ end }) => end === 'complete',
    );
  const times = visited.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    table: [
      markdownTable(['visitor', 'visits', ...ends], rows),
      ...(differences.length === 0 ? ['The report equals a recount of the places in SQL.'] : differences),
    ].join('\n'),
    ratios: {
      recountDifferences: differences.length,
      visitors: visited.length,
      beforeFull: judged.length,
      completes,
      honestLost: 1 - shareIn('honest'),
      repeatsIn: shareIn('repeat'),
      fraudIn: shareIn('fraud'),
      entryMsMedian: times[Math.floor(times.length / 2)] ?? 0,
    },
  };
}
