/** A survey on an origin of its own that loads the probe from a real service, with BotD on the same page; scored as a customer's backend would. */
import type { IncomingHttpHeaders } from 'node:http';
import { build } from 'esbuild';
import type { ProbeBody } from '../../src/contract/probe.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { readPageHeaders } from '../../src/net/page-headers.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { startProbeTap } from '../../test/helpers/probe-tap.js';
import { repositoryRoot } from '../../test/helpers/repository.js';
import { startStaticSite } from '../../test/helpers/static-site.js';
import { joinMessages } from '../../test/helpers/probe-findings.js';
import { pollUntil } from '../../test/helpers/wait-until.js';
import { findRiskIndicators } from '../../workers/scoring/score.js';

/** Position of a control in the viewport, CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Positions of the controls after the latest scroll, and of the page on the screen. */
export interface Places {
  readonly scrollY: number;
  /** Height of the browser's own bars above the page, screen pixels. */
  readonly top: number;
  /** Screen pixels per CSS pixel. */
  readonly ratio: number;
  /** Height of the viewport, CSS pixels. */
  readonly height: number;
  readonly boxes: Readonly<Record<string, Box>>;
}

export interface Survey {
  readonly url: string;
  /** A page with the probe, and a session of its own. */
  readonly otherUrl: string;
  /** Finds the controls, once the page stands still at a scroll position that the condition accepts. */
  places(isMet?: (places: Places) => boolean): Promise<Places>;
  /** Waits until the first probe has been accepted. */
  loaded(): Promise<void>;
  /** Waits until the survey was submitted, or resolves to false. */
  submitted(deadlineMs: number): Promise<boolean>;
}

export interface Visit {
  readonly submitted: boolean;
  /** null if BotD gave no verdict. */
  readonly rival: boolean | null;
  readonly reply: ScoreReply;
  /** The newest load message with the newest behavior, for analysis. */
  readonly body: ProbeBody | null;
  /** Codes of all findings in it, also of those that add nothing to stronger ones. */
  readonly codes: readonly string[];
}

type Note =
  | ({ readonly kind: 'places' } & Places)
  | { readonly kind: 'rival'; readonly bot: boolean }
  | { readonly kind: 'submitted' };

/** Answers of a respondent, in order. A page of 900 pixels shows the first five. */
export const firstHalf = ['age-2', 'area-1', 'often-3', 'name'] as const;
export const secondHalf = ['rate-4', 'again-1', 'comment', 'brand-1', 'brand-3', 'submit'] as const;
export const texts: Readonly<Record<string, string>> = {
  name: 'Harriet Mills',
  comment: 'Good Price, but Delivery was slow. They helped.',
};

const radios = (name: string, question: string, choices: readonly string[], type = 'radio') =>
  `<fieldset><legend>${question}</legend>${choices
    .map(
      (choice, at) =>
        `<label id="${name}-${at + 1}"><input type="${type}" name="${name}" value="${at + 1}"> ${choice}</label>`,
    )
    .join('')}</fieldset>`;

/** People's browsers do these to pages, by the query of the page's address: a wallet's global, noise in drawings as privacy extensions add it. */
const oddities = `
  if (location.search === '?wallet') Object.assign(window, { phantom: { solana: { isPhantom: true } }, ethereum: {} });
  if (location.search === '?noise') {
    const read = CanvasRenderingContext2D.prototype.getImageData;
    CanvasRenderingContext2D.prototype.getImageData = function (...area) {
      const image = read.apply(this, area);
      for (let at = 0; at < image.data.length; at += 97) image.data[at] ^= Math.random() < 0.5 ? 0 : 1;
      return image;
    };
    const write = HTMLCanvasElement.prototype.toDataURL;
    HTMLCanvasElement.prototype.toDataURL = function (...as) {
      const context = this.getContext('2d');
      if (context) context.putImageData(context.getImageData(0, 0, this.width, this.height), 0, 0);
      return write.apply(this, as);
    };
  }`;

const surveyPage = (script: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{font:16px sans-serif;margin:0 40px 300px}fieldset{margin:12px 0;border:0}label{display:block;width:360px;padding:4px}
input[type=text]{width:280px;height:28px}textarea{width:420px;height:90px}button{width:140px;height:40px}.gap{height:420px}</style>
<h1>About your shopping</h1><form>
${radios('age', 'How old are you?', ['Under 25', '25 to 44', '45 to 64', 'Over 64'])}
${radios('area', 'Where do you live?', ['In a city', 'In a town', 'In the country'])}
${radios('often', 'How often did you shop online in the last month?', ['Never', 'Once', 'Twice or more', 'Every day'])}
<fieldset><legend>What is your name?</legend><input id="name" type="text" name="name" autocomplete="off"></fieldset>
<div class="gap">Thank you. There is a second part below.</div>
${radios('rate', 'How was the last shop that you used?', ['Bad', 'Fair', 'Good', 'Very good'])}
${radios('again', 'Would you use it again?', ['Yes', 'No'])}
<fieldset><legend>Say why.</legend><textarea id="comment" name="comment"></textarea></fieldset>
${radios('brand', 'Which of these do you know?', ['Acme', 'Globex', 'Initech'], 'checkbox')}
<button id="submit" type="button">Send answers</button></form>
<script>${pageScript}</script><script>${oddities}</script>${script}<script src="/rival.js"></script></html>`;

/** Runs in the page: reports where the controls are whenever they have stood still for a moment, and the submission. */
const pageScript = `
  const note = (kind, body) => fetch('/note', { method: 'POST', body: JSON.stringify({ kind, ...body }) });
  const places = () => note('places', {
    scrollY, top: (outerHeight - innerHeight * devicePixelRatio), ratio: devicePixelRatio, height: innerHeight,
    boxes: Object.fromEntries([...document.querySelectorAll('[id]')].map((each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      return [each.id, { x, y, width, height }];
    })),
  });
  let timer;
  const soon = () => { clearTimeout(timer); timer = setTimeout(places, 250); };
  addEventListener('scroll', soon);
  addEventListener('resize', soon);
  addEventListener('load', soon);
  document.getElementById('submit').addEventListener('click', () => note('submitted'));`;

const rivalSource = `import { load } from '@fingerprintjs/botd';
load().then((botd) => fetch('/note', { method: 'POST', body: JSON.stringify({ kind: 'rival', ...botd.detect() }) }));`;

/** Lets a set-up take the survey, then scores the session. */
export async function takeSurvey(
  service: Bootstrap,
  sessionId: string,
  run: (survey: Survey) => Promise<void>,
): Promise<Visit> {
  const { outputFiles } = await build({
    stdin: { contents: rivalSource, resolveDir: repositoryRoot },
    bundle: true,
    write: false,
    format: 'iife',
  });
  const tap = await startProbeTap(service.siteUrl);
  const script = (id: string) =>
    `<script src="${tap.origin}/sdk/lite/v1/vh-lite.iife.js" data-project-key="${service.probeKey}" data-session-id="${id}" data-timeout-ms="30000"></script>`;
  const own = script(sessionId);
  const site = await startStaticSite({
    files: {
      '/': surveyPage(own),
      '/twice': surveyPage(own + own),
      '/other': `<!doctype html><title>Another survey</title>${script(`${sessionId}-other`)}`,
      '/rival.js': outputFiles[0]?.text ?? '',
      '/favicon.ico': '',
    },
  });
  const notes = site.notes as Note[];
  try {
    const wait = <T>(what: string, read: () => T | undefined, ms = 30_000) => pollUntil(what, read, ms);
    const submitted = (ms: number) =>
      wait('the submission', () => notes.find(({ kind }) => kind === 'submitted'), ms).then(
        () => true,
        () => false,
      );
    await run({
      url: `${site.origin}/`,
      otherUrl: `${site.origin}/other`,
      places: (isMet = () => true) =>
        wait('the controls', () => {
          const latest = notes.findLast((note) => note.kind === 'places');
          return latest && isMet(latest) ? latest : undefined;
        }),
      loaded: async () => void (await wait('the probe', () => tap.probes[0])),
      submitted,
    });
    const rival = notes.find((note) => note.kind === 'rival')?.bot ?? null;
    const body = joinMessages(tap.probes.map(({ body }) => body).filter((body) => body.sessionId === sessionId));
    return {
      submitted: notes.some(({ kind }) => kind === 'submitted'),
      rival,
      reply: await score(service, sessionId, tap.probes[0]?.headers['user-agent'] ?? null),
      ...{ body, codes: codesOf(body, tap.probes[0]?.headers ?? {}) },
    };
  } finally {
    await tap.close();
    await site.close();
  }
}

const codesOf = (body: ProbeBody | null, headers: IncomingHttpHeaders): readonly string[] =>
  body === null ? [] : findRiskIndicators({ body, transport: readPageHeaders(headers) }).map(([code]) => code);

async function score({ baseUrl, projectKey }: Bootstrap, sessionId: string, userAgent: string | null) {
  const answer = await fetch(`${baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, clientIp: '8.8.8.8', userAgent, studyId: sessionId, respondentId: sessionId }),
  });
  if (!answer.ok) throw new Error(`score: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as ScoreReply;
}
