/**
 * The attack with HTTP alone: computed points without a camera, which answer each challenge once it is revealed; the same where the project asks
 * for pictures; and captures that passed before, cut to the challenges that another session asks for. docs/threat-model.md quotes it.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VerifyReply } from '../src/contract/score-envelope.js';
import type { ChallengeReply, ChallengeRequest, SessionReply } from '../src/contract/session.js';
import { challengeTypes, type IssuedChallenge } from '../src/contract/verdict.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createRandom } from '../workers/seeded-random.js';
import { captureHuman, type Capture } from '../test/helpers/captures.js';
import { playAny } from '../test/helpers/play.js';
import type { BenchResult } from './bench-result.js';
import { drawForger } from './forger.js';
import { median } from './load.js';
import { serve } from './process.js';
import { createDraw, type Draw } from './panel/draw.js';
import { changeRecording, splice, type Change, type Recording } from './recording.js';

export interface ForgeBenchOptions {
  /** Sessions of each kind. */
  readonly tries: number;
}

interface Try extends Recording {
  readonly passed: boolean;
  readonly seconds: number;
  readonly requests: number;
  readonly reason: string;
}

interface Attempt {
  readonly seed: number;
  readonly make: (challenges: readonly IssuedChallenge[]) => Capture;
  /** Grey squares without a face, one of its own for every frame. */
  readonly pictures: boolean;
}

/** Sessions played at the same time, each in real time. */
const atOnce = 8;
const origin = 'https://survey.example';
const pictureSide = 96;

export async function benchForge({ tries }: ForgeBenchOptions): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), {});
  const rows: string[] = [];
  const rates: Record<string, number> = {};
  const measure = async (name: string, attempt: (n: number) => Attempt): Promise<readonly Try[]> => {
    const played = await playAll(service.info, tries, attempt);
    rates[name] = played.filter(({ passed }) => passed).length / tries;
    rows.push(...describe(name, played));
    return played;
  };
  const forged = (firstSeed: number, pictures: (n: number) => boolean) => (n: number) => {
    const seed = firstSeed + n;
    return { seed, make: makeOf(seed), pictures: pictures(n) };
  };
  try {
    // So that signals come by name; the verdict is the same.
    await patch(service.info, { config: { riskAggregator: 'on' } });
    const played = await measure(
      'points',
      forged(1, () => false),
    );
    const seconds = median(played.map((each) => each.seconds));
    for (const [index, [name, change]] of changes.entries()) {
      const recordings = await record(service.info, (index + 1) * 10_000);
      await measure(name, (n) => {
        const seed = (index + 1) * 100_000 + n;
        const replayed = recordings.map((each) => changeRecording(each, change(createDraw(seed))));
        return { seed, make: (challenges) => splice(replayed, challenges), pictures: false };
      });
    }
    await patch(service.info, { config: { riskAggregator: 'on', evidenceFrames: 'sampled' } });
    await measure(
      'points, pictures asked for',
      forged(1_000_000, (n) => n % 2 === 1),
    );
    return { table: rows.join('\n'), ratios: { ...rates, secondsPerSession: seconds } };
  } finally {
    await service.stop();
  }
}

const makeOf =
  (seed: number): Attempt['make'] =>
  (challenges) =>
    captureHuman({ ...drawForger(seed).capture, challenges });

/** What is done to each coordinate of a recording, drawn for each session. */
const changes: readonly (readonly [name: string, change: (draw: Draw) => Change])[] = [
  ['replayed', () => (value) => value],
  ['replayed, nudged by a unit', nudgeBy(1)],
  ['replayed, nudged by half a pixel', nudgeBy(4)],
  [
    'replayed, enlarged and moved',
    (draw) => {
      const [scale, across, down] = [draw.between(0.9, 1.12), draw.between(-160, 160), draw.between(-120, 120)];
      return (value, place) => value * scale + (place % 2 === 0 ? across : down);
    },
  ],
];

function nudgeBy(units: number): (draw: Draw) => Change {
  return (draw) => (value) => value + draw.whole(-units, units);
}

/** Passes until each kind of challenge was answered in one of them. */
async function record(service: Bootstrap, firstSeed: number): Promise<readonly Recording[]> {
  const recordings: Recording[] = [];
  for (let seed = firstSeed; challengeTypes.some((type) => !recordings.some(({ types }) => types.includes(type)));) {
    const recording = await play(service, { seed: (seed += 1), make: makeOf(seed), pictures: false });
    if (recording.passed) recordings.push(recording);
  }
  return recordings;
}

async function playAll(service: Bootstrap, tries: number, attempt: (n: number) => Attempt): Promise<readonly Try[]> {
  const played: Try[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < tries) played.push(await play(service, attempt((begun += 1))));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return played;
}

function describe(name: string, played: readonly Try[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { reason } of played) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const passed = played.filter((each) => each.passed).length;
  const seconds = median(played.map((each) => each.seconds)).toFixed(1);
  const requests = median(played.map((each) => each.requests));
  return [
    `${name}: ${passed} of ${played.length} passed, ${seconds} s and ${requests} requests a session`,
    ...[...reasons].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${String(count).padStart(6)}  ${reason}`),
  ];
}

async function play({ baseUrl, siteKey }: Bootstrap, { seed, make, pictures }: Attempt): Promise<Try> {
  const beganMs = performance.now();
  const { headers, claims } = drawForger(seed);
  let requests = 0;
  const post = async <T>(path: string, body: object, secret = ''): Promise<T> => {
    requests += 1;
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers, 'x-client-secret': secret },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const session = await post<SessionReply>('/public/sessions', { siteKey, respondentId: `forged-${seed}` });
  const replies: ChallengeReply[] = [];
  const ask = async (request: ChallengeRequest): Promise<ChallengeReply> => {
    const path = `/public/sessions/${session.sessionId}/challenges`;
    const reply = await post<ChallengeReply>(path, request, session.clientSecret);
    replies.push(reply);
    return reply;
  };
  const hashes: string[] = [];
  const makeSeen: Attempt['make'] = (challenges) => {
    const capture = make(challenges);
    while (pictures && hashes.length < capture.frames.atMs.length) hashes.push(hashOf(pictureOf(seed, hashes.length)));
    return { ...capture, frames: { ...capture.frames, hashes: hashes.slice(0, capture.frames.atMs.length) } };
  };
  const capture = await playAny(
    session.challengeConfig.count,
    { ask, pass: (ms) => sleep(ms) },
    pictures ? makeSeen : make,
  );
  const named = replies.flatMap((reply) => ('done' in reply ? reply.frameIndices : []));
  const pictureFor = (index: number) => ({
    ...{ index, width: pictureSide, height: pictureSide },
    grey: pictureOf(seed, index).toString('base64'),
  });
  const verdict = await post<VerifyReply>(
    '/public/verify',
    {
      ...claims,
      consent: { biometric: true, at: new Date().toISOString() },
      sessionId: session.sessionId,
      nonce: session.challengeConfig.nonce,
      frames: capture.frames,
      challenges: capture.challenges,
      timings: { totalMs: capture.endMs },
      ...(pictures && { evidenceFrames: named.map(pictureFor) }),
    },
    session.clientSecret,
  );
  const signals = verdict.fraudSignals.map(({ type }) => type).join(', ');
  return {
    capture,
    types: replies.flatMap((reply) => ('type' in reply ? [reply.type] : [])),
    passed: verdict.status === 'pass',
    seconds: (performance.now() - beganMs) / 1_000,
    requests,
    reason: `${verdict.failureReasons[0] ?? 'passed'} ${signals}`.trim(),
  };
}

function pictureOf(seed: number, frame: number): Buffer {
  const random = createRandom(seed * 1_000 + frame);
  return Buffer.from(Array.from({ length: pictureSide ** 2 }, () => Math.floor(random() * 256)));
}

const hashOf = (picture: Buffer): string => createHash('sha256').update(picture).digest('hex').slice(0, 16);

async function patch({ baseUrl, organizationKey, projectId }: Bootstrap, body: object): Promise<void> {
  const answer = await fetch(`${baseUrl}/projects/${projectId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': organizationKey },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
