/**
 * The attack with HTTP alone: computed points without a camera or a picture, which answer each challenge once it is revealed. Each session is
 * played as fast as its challenges allow. Reports how many pass and how long a pass takes; docs/threat-model.md quotes it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { biometricExample, deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { VerifyReply } from '../src/contract/score-envelope.js';
import type { ChallengeReply, SessionReply } from '../src/contract/session.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { embeddingOf } from '../test/helpers/captures.js';
import { webcam } from '../test/helpers/head.js';
import { playCapture } from '../test/helpers/play.js';
import type { BenchResult } from './bench-result.js';
import { median } from './load.js';
import { serve } from './process.js';
import { scoreBodies } from './score-bodies.js';

export interface ForgeBenchOptions {
  /** Sessions. */
  readonly tries: number;
}

interface Try {
  readonly status: string;
  readonly seconds: number;
  readonly reason: string;
}

/** The shortest that answers are made: as soon as a challenge may start, a movement of a person’s length. */
const pace = { leadMs: 920, gapMs: 920, reactionMs: 350, shownMs: 1_600, framesPerSecond: 15 } as const;
/** Sessions played side by side. */
const atOnce = 4;
const origin = 'https://survey.example';

export async function benchForge({ tries }: ForgeBenchOptions): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), {});
  try {
    const played: Try[] = [];
    let begun = 0;
    const lane = async (): Promise<void> => {
      while (begun < tries) played.push(await forge(service.info, (begun += 1)));
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    const passed = played.filter(({ status }) => status === 'pass');
    const seconds = median(played.map((each) => each.seconds));
    const reasons = new Map<string, number>();
    for (const { reason } of played) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const share = passed.length / tries;
    return {
      table: [
        `${tries} sessions with HTTP alone: ${passed.length} passed`,
        `seconds a session ${seconds.toFixed(1)}, seconds a pass ${share === 0 ? 'none passed' : (seconds / share).toFixed(1)}`,
        ...[...reasons].map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`),
      ].join('\n'),
      ratios: { passRate: share, secondsPerSession: seconds, secondsPerPass: share === 0 ? -1 : seconds / share },
    };
  } finally {
    await service.stop();
  }
}

async function forge({ baseUrl, siteKey }: Bootstrap, seed: number): Promise<Try> {
  const beganMs = performance.now();
  const post = async <T>(path: string, body: object, secret = ''): Promise<T> => {
    const headers = { 'content-type': 'application/json', origin, 'user-agent': deviceOnlyExample.device.ua.ua };
    const sent = { method: 'POST', headers: { ...headers, 'x-client-secret': secret }, body: JSON.stringify(body) };
    const answer = await fetch(baseUrl + path, sent);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const session = await post<SessionReply>('/public/sessions', { siteKey, respondentId: `forged-${seed}` });
  const ask = (request: object): Promise<ChallengeReply> =>
    post(`/public/sessions/${session.sessionId}/challenges`, request, session.clientSecret);
  const camera = { ...webcam, noise: 0.35 };
  const capture = await playCapture(
    session.challengeConfig.count,
    { ask, pass: (ms) => sleep(ms) },
    { ...pace, seed, camera },
  );
  const { consent, features, demographics } = biometricExample;
  const verdict = await post<VerifyReply>(
    '/public/verify',
    {
      ...{ ...deviceOnlyExample, cameraFailureReason: null },
      ...{ consent, features, demographics, frames: capture.frames, challenges: capture.challenges },
      camera: { ...biometricExample.camera, label: `Integrated Webcam (04f2:b6${seed.toString(16).padStart(2, '0')})` },
      device: { ...deviceOnlyExample.device, ...scoreBodies.device(seed) },
      embedding: embeddingOf(seed),
      sessionId: session.sessionId,
      nonce: session.challengeConfig.nonce,
      timings: { totalMs: capture.endMs },
    },
    session.clientSecret,
  );
  const seconds = (performance.now() - beganMs) / 1_000;
  const signals = verdict.fraudSignals.map(({ type }) => type).join(', ');
  return { status: verdict.status, seconds, reason: `${verdict.failureReasons[0] ?? 'passed'} ${signals}`.trim() };
}
