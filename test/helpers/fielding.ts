/**
 * Helpers for tests of studies: calls of the audience API, respondents who follow links as a browser does, and a survey that sends people back.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type t from 'tap';
import type { ProbeBody } from '../../src/contract/probe.js';
import type { StudyCreation } from '../../src/contract/study.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { InvitationsReply } from '../../src/contract/supplier.js';
import { pageTexts, type PageName } from '../../src/audience/page-texts.js';
import { keepCookies, nextOf, sendEntryProbe } from './entry-probe.js';

type Test = Pick<typeof t, 'teardown'>;

export const desktopAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

export interface Survey {
  readonly url: string;
  /** Search parameters of every arrival. */
  readonly arrivals: readonly URLSearchParams[];
}

/** A survey that interviews nobody: it takes people and sends them back with the status that `decide` names; null keeps them. */
export async function startSurvey(
  test: Test,
  decide: (parameters: URLSearchParams) => 'complete' | 'terminate' | null = () => 'complete',
): Promise<Survey> {
  const arrivals: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    arrivals.push(searchParams);
    const status = decide(searchParams);
    if (status === null) return void response.end('interview');
    const back = new URL(searchParams.get('vh_return') ?? '');
    back.searchParams.set('vh_token', searchParams.get('vh_token') ?? '');
    back.searchParams.set('status', status);
    response.writeHead(302, { location: back.href }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.teardown(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/survey?wave=2`, arrivals };
}

export const creation = (surveyUrl: string, over: Partial<StudyCreation> = {}): StudyCreation => ({
  name: 'Coffee',
  survey_url: surveyUrl,
  audience: { countries: ['DE'], language: 'en', sample_size: 5 },
  survey: { minimumSeconds: 0 },
  ...over,
});

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ readonly status: number; readonly body: never; readonly text: string; readonly headers: Headers }>;

/** Calls of the audience API with a key as Bearer. */
export function callerOf(audienceUrl: string, apiKey: string): Call {
  return async (method, path, body, key = apiKey) => {
    const response = await fetch(audienceUrl + path, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      text,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : undefined) as never,
    };
  };
}

/** A study that takes respondents. */
export async function fieldStudy(call: Call, asked: StudyCreation): Promise<StudyReply> {
  const created = await call('POST', '/studies', asked);
  if (created.status !== 201) throw new Error(created.text);
  const launched = await call('POST', `/studies/${(created.body as StudyReply).studyId}/launch`);
  if (launched.status !== 200) throw new Error(launched.text);
  return launched.body;
}

/** The link of one invited respondent. */
export async function inviteOne(
  call: Call,
  { studyId }: Pick<StudyReply, 'studyId'>,
  supplierId: string,
  respondent: { readonly rid: string; readonly country?: string; readonly age?: number },
): Promise<string> {
  const made = await call('POST', `/studies/${studyId}/invitations`, { supplierId, respondents: [respondent] });
  const [invitation] = (made.body as Partial<InvitationsReply>).invitations ?? [];
  if (invitation === undefined) throw new Error(made.text);
  return invitation.url;
}

export interface Respondent {
  readonly rid: string;
  readonly src: string;
  readonly address?: string;
  /** A Forwarded header of its own, which the proxy passes on. */
  readonly forwarded?: string;
  readonly agent?: string;
  /** The agent of its requests, if it is not that of the page’s probe. */
  readonly visitAgent?: string;
  /** Differences in the browser's probe. */
  readonly probe?: Partial<ProbeBody>;
  /** The browser's cookie, as `vh_device=...`. */
  readonly cookie?: string;
  /** Further parameters of the link. */
  readonly more?: Readonly<Record<string, string>>;
}

export interface Page {
  readonly status: number;
  /** The address of the redirect, or null. */
  readonly location: string | null;
  readonly title: string;
  readonly html: string;
  readonly headers: Headers;
}

export async function open(
  url: string,
  { address, forwarded, agent = desktopAgent, visitAgent = agent, cookie }: Omit<Respondent, 'rid' | 'src'> = {},
): Promise<Page> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: {
      'user-agent': visitAgent,
      ...(address === undefined ? {} : { 'x-forwarded-for': address }),
      ...(forwarded === undefined ? {} : { forwarded }),
      ...(cookie === undefined ? {} : { cookie }),
    },
  });
  const html = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    title: /<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? '',
    html,
    headers: response.headers,
  };
}

/** The browser of each respondent of a study: the cookie that it was given. */
const browsers = new Map<string, string>();

/** Opens the entry link in the respondent’s own browser, which is checked there. */
export const enter = ({ entryUrl }: Pick<StudyReply, 'entryUrl'>, respondent: Respondent): Promise<Page> => {
  const { rid, src, more } = respondent;
  return openEntry(`${entryUrl}?${new URLSearchParams({ rid, src, ...more }).toString()}`, respondent);
};

/** Opens an entry link, sends what the page that checks the browser sends, and goes on as it does. */
export async function openEntry(url: string, given: Omit<Respondent, 'rid' | 'src'> = {}): Promise<Page> {
  const { origin, pathname, searchParams } = new URL(url);
  const values = ['rid', 'src'].map((name) => searchParams.get(name));
  const browser = JSON.stringify([origin + pathname, ...values, searchParams.has('sig')]);
  const kept = (): Omit<Respondent, 'rid' | 'src'> => {
    const cookie = given.cookie ?? browsers.get(browser);
    return { ...given, ...(cookie === undefined ? {} : { cookie }) };
  };
  const page = await open(url, kept());
  const cookie = keepCookies(page.headers, kept().cookie);
  const device = /vh_device=[0-9a-f]+/.exec(keepCookies(page.headers))?.[0];
  if (device !== undefined) browsers.set(browser, device);
  const next = nextOf(page.html);
  if (next === null) return page;
  const { agent = desktopAgent, address, probe } = given;
  const sent = await sendEntryProbe(page.html, {
    ...{ agent, address, over: probe },
    seed: browser + (given.cookie ?? ''),
  });
  if (sent.status !== 202) throw new Error(`the probe was answered ${sent.status}: ${await sent.text()}`);
  return open(new URL(next, url).href, { ...kept(), cookie });
}

/** Follows every redirect to the page where the way ends. */
export async function takePart(study: Pick<StudyReply, 'entryUrl'>, respondent: Respondent): Promise<Page> {
  let page = await enter(study, respondent);
  for (let steps = 0; page.location !== null && steps < 10; steps++) page = await open(page.location, respondent);
  return page;
}

/** The way back from the survey that a redirect leads to. */
export function returnUrl(location: string | null, status: string): string {
  const { searchParams } = new URL(location ?? '');
  return `${searchParams.get('vh_return') ?? ''}?${new URLSearchParams({ vh_token: searchParams.get('vh_token') ?? '', status }).toString()}`;
}

export const titles = Object.fromEntries(
  Object.entries(pageTexts.en).map(([page, [title]]) => [page, title]),
) as Readonly<Record<PageName, string>>;

/** The place that a vh_token is of. */
export const placeOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { readonly sub: string }).sub;

/** The place that a redirect to the survey is of. */
export const placeAt = (location: string | null): string =>
  placeOf(new URL(location ?? '').searchParams.get('vh_token') ?? '');
