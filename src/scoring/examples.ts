/**
 * Request examples of the API document. They work as they stand against the demo organization.
 */
import type { ProbeBody } from '../contract/probe.js';
import type { ScoreRequest } from '../contract/score.js';

const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

export const scoreExample: ScoreRequest = {
  sessionId: 'survey-42-session-1001',
  // One that could be a respondent’s: the answer would note a reserved one.
  clientIp: '8.8.8.8',
  userAgent,
  sourceId: 'supplier-7',
  subSourceId: 'supplier-7-web',
  studyId: 'study-42',
  declaredCountry: 'US',
  respondentId: '7df4fb4e82a6c3718412ef119e96ffea6d7e08f4dea9f19145765d314bb8ed95',
  respondentStats: { attempts: 24, completes: 20, reconciliationRate: 0.05 },
};

/** The probe key is that of no project; put in the project’s own. */
export const probeExample = (projectKey: string): ProbeBody => ({
  v: 1,
  sdk: '1.0.0',
  projectKey,
  sessionId: scoreExample.sessionId,
  nonce: 'b1946ac92492d2347c6235b4',
  seq: 0,
  phase: 'load',
  at: 1_780_000_000_000,
  up: 412,
  auto: { webdriver: false, globals: [] },
  lies: [],
  gaps: [],
  ua: { ua: userAgent, platform: 'Windows', mobile: false },
  hw: { cores: 8, memory: 8, touch: 0, platform: 'Win32' },
  scr: { w: 1_920, h: 1_080, dpr: 1, depth: 24 },
  loc: { zone: 'Europe/Berlin', offset: -60, language: 'de-DE', languages: ['de-DE', 'en'] },
});
