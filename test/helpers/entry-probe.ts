/** The messages of the page that checks a browser, forged over HTTP: an ordinary device for each seed, at rest for a second. */
import { createHash } from 'node:crypto';
import { personDevice } from '../../src/contract/person-example.js';
import type { ProbeBody } from '../../src/contract/probe.js';

export interface ProbeSender {
  readonly agent: string;
  readonly address?: string | undefined;
  readonly seed: string;
  /** The browser's differences. */
  readonly over?: Partial<ProbeBody> | undefined;
}

/** An attribute of the page's script, by its name without `data-`. */
export const readAttribute = (html: string, name: string): string =>
  (new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The page's next address; null: the page does not check. */
export const nextOf = (html: string): string | null => readAttribute(html, 'next') || null;

/** The cookies of a browser that had these, after a reply: for the next request. */
export function keepCookies(headers: Headers, had = ''): string {
  const set = headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return [had, ...set].filter((cookie) => cookie !== '').join('; ');
}

/** Sends the probe that `html` asks for. */
export async function sendEntryProbe(html: string, { agent, address, seed, over }: ProbeSender): Promise<Response> {
  const number = (salt: string, below: number): number =>
    createHash('sha256').update(`${salt} ${seed}`).digest().readUInt32BE() % below;
  const hex = (salt: string): string => createHash('sha256').update(`${salt} ${seed}`).digest('hex').slice(0, 16);
  const version = /Chrome\/(\d+)/.exec(agent)?.[1] ?? '142';
  const [w, h] = (
    [
      [1920, 1080],
      [1536, 864],
      [2560, 1440],
      [1366, 768],
      [1680, 1050],
    ] as const
  )[number('screen', 5)] ?? [1280, 720];
  const body: ProbeBody = {
    ...structuredClone(personDevice),
    ...{ v: 1, sdk: 'lite/1.0.0', nonce: hex('nonce'), phase: 'load', seq: 0, at: Date.now(), up: 900, gaps: [] },
    ...{ projectKey: readAttribute(html, 'project-key'), sessionId: readAttribute(html, 'session-id') },
    ids: { token: hex('token'), kept: false },
    ua: { ...personDevice.ua, ua: agent, brands: [`Chromium;${version}`, `Google Chrome;${version}`] },
    hw: {
      ...personDevice.hw,
      cores: [4, 6, 8, 12, 16][number('cores', 5)] ?? 8,
      memory: [4, 8][number('memory', 2)] ?? 8,
    },
    scr: {
      ...personDevice.scr,
      w,
      h,
      availW: w,
      availH: h - 40,
      outerW: w,
      outerH: h - 40,
      innerW: w - 17,
      innerH: h - 140,
    },
    gfx: {
      ...personDevice.gfx,
      renderer: `ANGLE (Intel, Intel(R) Graphics ${600 + number('renderer', 200)}, D3D11)`,
      canvas: hex('canvas').slice(0, 8),
      audio: 124 + number('audio', 1_000) / 1_000,
    },
    env: { ...personDevice.env, fonts: hex('fonts').slice(0, 8) },
    beh: { ms: 900, moves: 0 },
    ...over,
  };
  return fetch(readAttribute(html, 'endpoint'), {
    method: 'POST',
    headers: {
      ...{
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': agent,
        'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
      },
      ...{ 'sec-ch-ua-platform': '"Windows"', 'sec-ch-ua-mobile': '?0' },
      ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    },
    body: JSON.stringify(body),
  });
}
