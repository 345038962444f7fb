/** Whom the gate of a study takes for somebody who repeats a participation: over HTTP, with browsers that look alike. */
import t from 'tap';
import { personDevice } from '../../src/contract/person-example.js';
import type { SessionTrailReply } from '../../src/contract/session-trail.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import {
  callerOf,
  creation,
  enter,
  fieldStudy,
  open,
  placeAt,
  returnUrl,
  startSurvey,
  titles,
  type Page,
} from '../helpers/fielding.js';
import { safariOnPhone } from '../helpers/facts.js';
import { writeSystems } from '../helpers/autonomous-systems.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const service = await startTestService(t, {
  GEOIP_ASN_DB: writeSystems(t, { '91.0.0.0/8': 'home' }),
  VH_TRUSTED_PROXIES: '127.0.0.1',
  VH_PUBLIC_PER_ADDRESS: '0',
  VH_LOG_LEVEL: 'warn',
});
const call = callerOf(service.bootstrap.audienceUrl, service.bootstrap.projectKey);
const survey = await startSurvey(t, () => null);

const field = (sampleSize: number): Promise<StudyReply> =>
  fieldStudy(
    call,
    creation(survey.url, {
      audience: { countries: ['DE'], language: 'en', sample_size: sampleSize, limits: { perAddress: 100 } },
    }),
  );
const enlarge = ({ studyId }: StudyReply, sampleSize: number) =>
  call('PATCH', `/studies/${studyId}`, { audience: { sample_size: sampleSize } });

let cookies = 0;
const tokenOf = (n: number): string => String(n).padStart(16, 'c');
const freshCookie = (): string => `vh_device=${String(cookies++).padStart(32, '0')}`;

interface Browser {
  /** A browser without its cookie gets a new one. */
  readonly cookie?: string;
  readonly country?: string;
  /** Models of one look cannot be told apart. */
  readonly look?: number;
  /** The token that the page keeps apart from the cookie; another one is another browser. */
  readonly token?: string;
  readonly agent?: string;
}

function visit(study: StudyReply, rid: string, browser: Browser = {}): Promise<Page> {
  const { cookie = freshCookie(), country = 'DE', look = 1, token = `aaaaaaaaaaaaaaa${look}`, agent } = browser;
  return enter(study, {
    ...{ rid, src: 's', address: `91.10.0.${look}`, cookie, more: { country } },
    ...(agent !== undefined && { agent }),
    probe: {
      ...(agent !== undefined && { ua: { ...personDevice.ua, ua: agent } }),
      ids: { token, kept: true },
      gfx: { ...personDevice.gfx, renderer: `ANGLE (Look ${look})`, canvas: `0000b00${look}`, audio: 124.5 + look },
      hw: personDevice.hw,
      scr: personDevice.scr,
      env: { ...personDevice.env, fonts: `0000c00${look}` },
    },
  });
}
/** The evidence of a place’s only receipt, once it is recorded. */
async function readEvidence(place: string): Promise<string> {
  const { baseUrl, projectKey } = service.bootstrap;
  const read = (path: string) =>
    fetch(`${baseUrl}/lite/${path}`, { headers: { authorization: `Bearer ${projectKey}` } });
  const receiptOf = async (): Promise<string | undefined> => {
    const trail = (await (await read(`sessions/${place}`)).json()) as Partial<SessionTrailReply>;
    return trail.receipts?.[0]?.receiptId;
  };
  await waitUntil(async () => (await receiptOf()) !== undefined, 'the receipt is recorded');
  const evidence = await read(`score/${await receiptOf()}/evidence`);
  if (evidence.status !== 200) throw new Error(await evidence.text());
  return evidence.text();
}
const isIn = ({ location }: Page): boolean => location?.startsWith(survey.url) === true;
const endOf = (page: Page): string => (isIn(page) ? 'in' : page.title);

t.test('a refused visit is nobody whom a browser that looks like it repeats', async (t) => {
  const study = await field(9);
  t.equal(endOf(await visit(study, 'stranger', { country: 'FR', token: 'bbbbbbbbbbbbbbbb' })), titles.declined);
  const neighbor = await visit(study, 'neighbor');
  t.equal(endOf(neighbor), 'in');
  t.notMatch(await readEvidence(placeAt(neighbor.location)), /took part here before/, 'the receipt says so too');
  t.equal(endOf(await visit(study, 'third')), titles.declined, 'the neighbor is in the study');
});

t.test('who lost the cookie while the study was full enters once there is room, and once only', async (t) => {
  const study = await field(1);
  t.equal(endOf(await visit(study, 'other', { look: 2 })), 'in');
  t.equal(endOf(await visit(study, 'lost')), titles.full);
  await enlarge(study, 5);
  t.equal(endOf(await visit(study, 'lost')), 'in');
  t.equal(endOf(await visit(study, 'again')), titles.declined);
});

t.test('a repeater is refused after a complete, however many refused visits lie between', async (t) => {
  for (const look of [1, 2]) {
    const study = await field(50);
    const first = await visit(study, 'person', { look });
    t.equal(endOf(await open(returnUrl(first.location, 'complete'))), titles.thanks);
    t.equal(endOf(await visit(study, 'second', { look })), titles.declined);
    for (let n = 0; n < 34; n++) await visit(study, `abroad-${n}`, { look, country: 'FR' });
    t.equal(endOf(await visit(study, 'last', { look })), titles.declined);
  }
});

t.test('an erased respondent who comes back in the same browser by another rid is a duplicate', async (t) => {
  const study = await field(9);
  const browser = { look: 5, cookie: freshCookie() };
  t.equal(endOf(await visit(study, 'erased', browser)), 'in');
  const { baseUrl, organizationKey, projectId } = service.bootstrap;
  const { status } = await fetch(`${baseUrl}/projects/${projectId}/respondents/erased`, {
    method: 'DELETE',
    headers: { 'x-api-key': organizationKey },
  });
  t.equal(status, 200);
  t.equal(endOf(await visit(study, 'renamed', browser)), titles.declined);
});

t.test('a computer at home that clears its site data before each visit enters once', async (t) => {
  const study = await field(50);
  const ends: string[] = [];
  for (let n = 0; n < 30; n++) ends.push(endOf(await visit(study, `cleared-${n}`, { look: 4, token: tokenOf(n) })));
  t.same(ends, ['in', ...Array<string>(29).fill(titles.declined)]);
});

t.test('phones of one model at one address: the second is taken for the first, and no further one', async (t) => {
  const study = await field(50);
  const ends: string[] = [];
  for (let n = 0; n < 6; n++)
    ends.push(endOf(await visit(study, `phone-${n}`, { look: 3, token: tokenOf(100 + n), agent: safariOnPhone })));
  t.same(ends, ['in', titles.declined, 'in', 'in', 'in', 'in']);
});

t.test('a first visit that is refused on purpose leads to one place', async (t) => {
  const study = await field(9);
  t.equal(endOf(await visit(study, 'scout', { country: 'FR' })), titles.declined);
  const pages = [await visit(study, 'one'), await visit(study, 'two'), await visit(study, 'scout')];
  t.same(pages.map(endOf), ['in', titles.declined, titles.declined]);
});

t.test('of a browser’s visits that come at once, one enters at most', async (t) => {
  const study = await field(30);
  const pages = await Promise.all(Array.from({ length: 6 }, (_, n) => visit(study, `at-once-${n}`)));
  t.equal(pages.filter(isIn).length, 1);
});

t.test('of a browser’s visits that waited for a full study, one enters, in whatever order they come', async (t) => {
  for (const isAtOnce of [false, true]) {
    const study = await field(1);
    t.equal(endOf(await visit(study, 'other', { look: 2 })), 'in');
    const waiting = Array.from({ length: 4 }, (_, n) => ({ rid: `waits-${n}`, cookie: freshCookie() }));
    for (const { rid, cookie } of waiting) t.equal(endOf(await visit(study, rid, { cookie })), titles.full);
    await enlarge(study, 9);
    const come = ({ rid, cookie }: (typeof waiting)[number]) => visit(study, rid, { cookie });
    const pages: Page[] = [];
    if (isAtOnce) pages.push(...(await Promise.all(waiting.map(come))));
    else for (const one of waiting.reverse()) pages.push(await come(one));
    const entered = pages.filter(isIn).length;
    t.ok(isAtOnce ? entered <= 1 : entered === 1, `${entered} of ${pages.length} entered`);
  }
});
