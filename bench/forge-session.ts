/** One session of an attacker with HTTP alone: asks for each challenge, lets as much time pass as the capture claims, and sends what it has. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EnvelopeEmbedding } from '../src/contract/envelope.js';
import type { VerifyReply } from '../src/contract/score-envelope.js';
import type { ChallengeReply, ChallengeRequest, SessionReply } from '../src/contract/session.js';
import type { IssuedChallenge } from '../src/contract/verdict.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { embeddingOf, type Capture } from '../test/helpers/captures.js';
import { playAny } from '../test/helpers/play.js';
import { drawForger } from './forger.js';
import { createDraw } from '../research/panel/draw.js';
import type { Pictures, Recording } from './recording.js';

export interface Attempt {
  readonly seed: number;
  /** The claimed person of device, hands and face; the seed’s own unless named. */
  readonly who?: number;
  readonly make: (challenges: readonly IssuedChallenge[]) => Capture;
  /** Default: one of a model that the service does not know, and so compares with no other. */
  readonly face?: EnvelopeEmbedding;
  /** Those of the frames, by their hashes; none are sent without. */
  readonly pictures?: Pictures;
}

export interface Try extends Recording {
  readonly passed: boolean;
  readonly seconds: number;
  readonly requests: number;
  readonly reason: string;
}

const origin = 'https://survey.example';

export async function play(
  { baseUrl, siteKey }: Pick<Bootstrap, 'baseUrl' | 'siteKey'>,
  { seed, who = seed, make, face = faceOf(who, seed), pictures }: Attempt,
): Promise<Try> {
  const beganMs = performance.now();
  const { headers, claims } = drawForger(who);
  // Limits of an address are no matter to who has many.
  const address = { 'x-forwarded-for': `81.${(seed >> 16) % 256}.${(seed >> 8) % 256}.${seed % 256}` };
  let requests = 0;
  const post = async <T>(path: string, body: object, secret = ''): Promise<T> => {
    requests += 1;
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers, ...address, 'x-client-secret': secret },
      body: JSON.stringify(body),
    });
    const waitSeconds = Number(answer.headers.get('retry-after') ?? Infinity);
    if (!answer.ok && waitSeconds <= 5) {
      // Copies of one capture that end at the same moment are judged in turn, and an organization has few calls at once.
      await sleep(waitSeconds * 1_000);
      return post(path, body, secret);
    }
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
  const { frames, challenges, endMs } = await playAny(
    session.challengeConfig.count,
    { ask, pass: (ms) => sleep(ms) },
    make,
  );
  const named = replies.flatMap((reply) => ('done' in reply ? reply.frameIndices : []));
  const evidenceFrames = named.flatMap((index) => {
    const grey = pictures?.get(frames.hashes?.[index] ?? '');
    if (grey === undefined) return [];
    const side = Math.sqrt(grey.length);
    return [{ index, width: side, height: side, grey: grey.toString('base64') }];
  });
  const body = {
    ...claims,
    ...{ frames, challenges },
    sessionId: session.sessionId,
    nonce: session.challengeConfig.nonce,
    consent: { biometric: true, at: new Date().toISOString() },
    embedding: face,
    timings: { totalMs: endMs },
    ...(pictures !== undefined && { evidenceFrames }),
  };
  const verdict = await post<VerifyReply>('/public/verify', body, session.clientSecret);
  const signals = verdict.fraudSignals.map(({ type }) => type).join(', ');
  return {
    capture: { frames, challenges, endMs },
    types: replies.flatMap((reply) => ('type' in reply ? [reply.type] : [])),
    passed: verdict.status === 'pass',
    seconds: (performance.now() - beganMs) / 1_000,
    requests,
    reason: `${verdict.failureReasons[0] ?? 'passed'} ${signals}`.trim(),
  };
}

/** The face of one person, with other numbers each time. */
function faceOf(who: number, seed: number): EnvelopeEmbedding {
  const draw = createDraw(seed);
  const { values, ...rest } = embeddingOf(who);
  const bytes = Buffer.from(values, 'base64');
  for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(bytes.readInt16LE(at) + draw.whole(-300, 300), at);
  return { ...rest, values: bytes.toString('base64') };
}
