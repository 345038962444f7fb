/**
 * Bench of the verification server: `POST /token/verify` against a bare echo of the same bodies, and `POST /public/verify` without a face against
 * `POST /lite/score` at the same rate, in turns. On the running stack, or on embedded stores where none runs.
 *
 * Every session is made beforehand and comes from a device of its own; tokens are those of sessions verified just before.
 */
import type { BenchResult } from './bench-result.js';
import { deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { VerifyReply } from '../src/contract/score-envelope.js';
import type { SessionReply } from '../src/contract/session.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLoad, median, quantile, type Load, type Target } from './load.js';
import { serve, type Served } from './process.js';
import { scoreBodies } from './score-bodies.js';
import { findStack, withStack } from './stack.js';

export interface VerifyBenchOptions {
  /** Length of one round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections?: number;
  /** Verifications and scores a second. */
  readonly perSecond?: number;
  /** Tokens that are verified in turn. */
  readonly tokens?: number;
  /** Default: on the stack where one runs. */
  readonly embedded?: boolean;
}

interface Saturated {
  readonly perSecond: number;
  readonly cpuPerRequest: number;
}

interface Held {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly cpuPerRequest: number;
}

interface Measured {
  readonly tokens: Saturated[];
  readonly echoes: Saturated[];
  readonly verifications: Held[];
  readonly scores: Held[];
  errors: number;
}

/** Page of the sessions. */
const origin = 'https://survey.example';
const warmUpSecondsMax = 1;

export async function benchVerify(options: VerifyBenchOptions): Promise<BenchResult> {
  if (options.embedded ?? findStack() === null) return run(options, {});
  return withStack((environment) => run(options, environment));
}

async function run(
  { seconds, rounds, connections = 64, perSecond = 100, tokens: tokenCount = 100 }: VerifyBenchOptions,
  environment: Readonly<Record<string, string>>,
): Promise<BenchResult> {
  const service = await serve<Bootstrap>(new URL('./service-server.js', import.meta.url), environment);
  const load = createLoad(connections);
  const measured: Measured = { tokens: [], echoes: [], verifications: [], scores: [], errors: 0 };
  try {
    const tokens = await makeTokens(service.info, tokenCount);
    const token = tokenTarget(service.info, tokens);
    const echo = await serve<{ origin: string }>(new URL('./echo-server.js', import.meta.url), {
      ECHO_ANSWER: await ask(service.info, '/token/verify', { token: tokens[0] }).then((reply) =>
        JSON.stringify(reply),
      ),
    });
    const echoing = { ...token, origin: echo.info.origin, path: '/echo' };
    const saturate = async (into: Saturated[], served: Served<unknown>, target: Target): Promise<void> => {
      const before = served.cpuMicroseconds();
      const { answers, errors, ...rest } = await load.closed(target, seconds);
      measured.errors += errors;
      into.push({ perSecond: rest.perSecond, cpuPerRequest: (served.cpuMicroseconds() - before) / answers });
    };
    try {
      const warmUpSeconds = Math.min(warmUpSecondsMax, seconds);
      await load.closed(token, warmUpSeconds);
      await load.closed(echoing, warmUpSeconds);
      for (let round = 0; round < rounds; round += 1) {
        await saturate(measured.echoes, echo, echoing);
        await saturate(measured.tokens, service, token);
      }
    } finally {
      await echo.stop();
    }
    await holdRates({ service, load, measured, seconds, rounds, perSecond });
    return report(measured, perSecond);
  } finally {
    await service.stop();
  }
}

interface Holding {
  readonly service: Served<Bootstrap>;
  readonly load: Load;
  readonly measured: Measured;
  readonly seconds: number;
  readonly rounds: number;
  readonly perSecond: number;
}

async function holdRates({ service, load, measured, seconds, rounds, perSecond }: Holding): Promise<void> {
  const hold = async (into: Held[], target: Target): Promise<void> => {
    const before = service.cpuMicroseconds();
    const { latenciesMs, errors } = await load.open(target, perSecond, seconds);
    measured.errors += errors;
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(latenciesMs, share));
    const cpuPerRequest = (service.cpuMicroseconds() - before) / latenciesMs.length;
    into.push({ p50: p50 ?? NaN, p95: p95 ?? NaN, p99: p99 ?? NaN, cpuPerRequest });
  };
  const count = Math.ceil(perSecond * seconds);
  for (let round = 0; round < rounds; round += 1) {
    const first = (round + 1) * 1_000_000;
    const sessions = await makeSessions(service.info, count);
    await hold(measured.verifications, verifyTarget(service.info, sessions, first));
    await hold(measured.scores, scoreTarget(service.info, first));
  }
}

const scoreTarget = ({ siteUrl, projectKey }: Bootstrap, first: number): Target => ({
  origin: siteUrl,
  path: '/api/v1/lite/score',
  headers: { 'x-api-key': projectKey },
  body: (n) => scoreBodies.score(first + n),
});

const tokenTarget = ({ siteUrl, projectKey }: Bootstrap, tokens: readonly string[]): Target => {
  const bodies = tokens.map((token) => JSON.stringify({ token }));
  return {
    origin: siteUrl,
    path: '/api/v1/token/verify',
    headers: { 'x-api-key': projectKey },
    body: (n) => bodies[n % bodies.length] ?? '',
  };
};

const verifyTarget = ({ siteUrl }: Bootstrap, sessions: readonly SessionReply[], first: number): Target => ({
  origin: siteUrl,
  path: '/api/v1/public/verify',
  headers: { origin, 'user-agent': deviceOnlyExample.device.ua.ua },
  headersOf: (n) => ({ 'x-client-secret': sessions[n]?.clientSecret ?? '' }),
  body: (n) => JSON.stringify(envelopeOf(sessions[n], first + n)),
});

const envelopeOf = (session: SessionReply | undefined, n: number): object => ({
  ...deviceOnlyExample,
  behavior: { ...deviceOnlyExample.behavior, ms: deviceOnlyExample.behavior.ms + n + 1 },
  device: { ...deviceOnlyExample.device, ...scoreBodies.device(n) },
  sessionId: session?.sessionId,
  nonce: session?.challengeConfig.nonce,
});

async function makeSessions(info: Bootstrap, count: number): Promise<readonly SessionReply[]> {
  const sessions: SessionReply[] = [];
  const make = async (): Promise<void> => {
    for (let left = count - sessions.length; left > 0; left = count - sessions.length)
      sessions.push((await ask(info, '/public/sessions', { siteKey: info.siteKey }, { origin })) as SessionReply);
  };
  await Promise.all(Array.from({ length: 16 }, make));
  return sessions;
}

async function makeTokens(info: Bootstrap, count: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (const [n, session] of (await makeSessions(info, count)).entries()) {
    const headers = { origin, 'user-agent': deviceOnlyExample.device.ua.ua, 'x-client-secret': session.clientSecret };
    const reply = await ask(info, '/public/verify', envelopeOf(session, n), headers);
    tokens.push((reply as VerifyReply).verificationToken ?? '');
  }
  return tokens;
}

async function ask(
  { baseUrl, projectKey }: Bootstrap,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = { 'x-api-key': projectKey },
): Promise<unknown> {
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const round3 = (value: number): number => Math.round(value * 1_000) / 1_000;

function report({ tokens, echoes, verifications, scores, errors }: Measured, perSecond: number): BenchResult {
  const of = <T>(rounds: readonly T[], figure: (round: T) => number): number => median(rounds.map(figure));
  const saturated = (name: string, rounds: readonly Saturated[]): string =>
    `${name.padEnd(24)}${of(rounds, (round) => round.perSecond)
      .toFixed(0)
      .padEnd(11)}${of(rounds, (round) => round.cpuPerRequest).toFixed(0)}`;
  const held = (name: string, rounds: readonly Held[]): string =>
    [
      name.padEnd(24),
      of(rounds, ({ cpuPerRequest }) => cpuPerRequest)
        .toFixed(0)
        .padEnd(8),
      ...(['p50', 'p95', 'p99'] as const).map((which) =>
        of(rounds, (round) => round[which])
          .toFixed(1)
          .padEnd(8),
      ),
    ].join('');
  return {
    table: [
      `${tokens.length} rounds in turns, ${errors} errors`,
      `${'closed loop'.padEnd(24)}answers/s  CPU us`,
      saturated('echo', echoes),
      saturated('POST /token/verify', tokens),
      `${`at ${perSecond}/s`.padEnd(24)}CPU us  p50 ms  p95 ms  p99 ms`,
      held('POST /lite/score', scores),
      held('POST /public/verify', verifications),
    ].join('\n'),
    ratios: {
      tokenRatio: round3(of(tokens, (round) => round.perSecond) / of(echoes, (round) => round.perSecond)),
      tokenCpuRatio: round3(of(tokens, (round) => round.cpuPerRequest) / of(echoes, (round) => round.cpuPerRequest)),
      verifyP50Ratio: round3(of(verifications, ({ p50 }) => p50) / of(scores, ({ p50 }) => p50)),
      verifyP95Ratio: round3(of(verifications, ({ p95 }) => p95) / of(scores, ({ p95 }) => p95)),
      verifyCpuRatio: round3(
        of(verifications, ({ cpuPerRequest }) => cpuPerRequest) / of(scores, ({ cpuPerRequest }) => cpuPerRequest),
      ),
      errors,
    },
  };
}
