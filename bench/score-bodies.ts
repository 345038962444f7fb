/** Bodies of the score bench, made from a fixed seed: distinct sessions of some thousands of respondents, studies and addresses. */
import { humanBody } from '../test/helpers/facts.js';
import { scoreExample } from '../src/scoring/examples.js';

const seed = 20_261;

export interface ScoreBodies {
  /** Body of the n-th session’s score. */
  readonly score: (n: number) => string;
  /** Body of the n-th session’s load message, of about 4 KB. */
  readonly probe: (n: number, probeKey: string) => string;
  /** The differences of the n-th session's device from the example's. */
  readonly device: (n: number) => object;
}

const sessionOf = (n: number): string => `bench-${seed}-${n}`;

/** The part that all score bodies share, serialized once, because the load builds bodies while the clock runs. Each body's fields are appended. */
const rest = JSON.stringify({
  ...scoreExample,
  sessionId: undefined,
  clientIp: undefined,
  studyId: undefined,
  sourceId: undefined,
  respondentId: undefined,
}).slice(0, -1);

/** A hash of n that looks random, the same in every run. */
function mix(n: number): number {
  let x = Math.imul(n + seed, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 15), 0x85ebca77);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae3d);
  return (x ^ (x >>> 16)) >>> 0;
}

export const scoreBodies: ScoreBodies = {
  score: (n) => {
    const x = mix(n);
    const y = mix(x);
    return (
      `${rest},"sessionId":"${sessionOf(n)}","clientIp":"${1 + (x % 200)}.${(x >>> 8) % 256}.${(x >>> 16) % 256}.${1 + ((x >>> 24) % 254)}",` +
      `"studyId":"study-${y % 50}","sourceId":"supplier-${y % 20}","respondentId":"respondent-${y % 1_000_000}"}`
    );
  },
  probe: (n, probeKey) => {
    const x = mix(n);
    const hex = (salt: number): string =>
      mix(x ^ salt)
        .toString(16)
        .padStart(8, '0');
    const body = humanBody();
    return JSON.stringify({
      ...body,
      ...deviceOf(x),
      projectKey: probeKey,
      sessionId: sessionOf(n),
      nonce: `nonce-${seed}-${n}`,
      seq: 0,
      phase: 'load',
      ids: { token: `${hex(1)}${hex(2)}${hex(3)}${hex(4)}`, kept: false },
      q: Array.from({ length: 12 }, (_, question) => questionOf(question, mix(x + question))),
    });
  },
  device: (n) => deviceOf(mix(n)),
};

const zones = ['Europe/Berlin', 'Europe/Paris', 'Europe/Madrid', 'America/New_York', 'America/Chicago', 'Asia/Tokyo'];
const languages = ['de-DE', 'fr-FR', 'es-ES', 'en-US', 'en-GB', 'ja-JP', 'pt-BR'];
const widths = [1280, 1366, 1440, 1536, 1600, 1680, 1920, 2560];
const modelCount = 2_000;

/** One of some thousand models of device, set up in one of some dozen ways: as many look alike as in the wild, and no more. */
function deviceOf(x: number): object {
  const body = humanBody();
  const model = mix(x % modelCount);
  const pick = <T>(list: readonly T[], salt: number): T | undefined => list[(mix(x ^ salt) >>> 3) % list.length];
  const w = widths[model % widths.length] ?? 1920;
  const h = Math.round((w * 9) / 16);
  const language = pick(languages, 7) ?? 'en-US';
  return {
    hw: { ...body.hw, cores: 2 << ((model >>> 4) % 4), memory: 4 << ((model >>> 6) % 3) },
    scr: { ...body.scr, w, h, availW: w, availH: h - 40, outerW: w, outerH: h - 40, innerW: w - 17, innerH: h - 140 },
    loc: { zone: pick(zones, 8), offset: -120, language, languages: [language, language.slice(0, 2)] },
    ua: { ...body.ua, platformVersion: `${10 + (mix(x ^ 9) % 6)}.0.0` },
    gfx: {
      ...body.gfx,
      renderer: `ANGLE (Maker, Model ${model % 300} Direct3D11)`,
      canvas: (model >>> 0).toString(16).padStart(8, '0'),
      audio: 120 + (model % 1_000) / 100,
    },
    env: {
      ...body.env,
      fonts: mix(x % 5_000)
        .toString(16)
        .padStart(8, '0'),
    },
  };
}

const questionOf = (question: number, x: number): object => ({
  questionId: `question-${question}`,
  timeOnQuestionMs: 4_000 + (x % 20_000),
  mouseMoveCount: x % 300,
  keyCount: (x >>> 4) % 60,
  pasteCount: 0,
  focusEntries: 1 + ((x >>> 8) % 3),
  focusExits: (x >>> 10) % 3,
});
