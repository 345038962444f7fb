/**
 * Callers that score one session after the other, as a customer’s backend would: whatever is not answered is asked again, at any instance, with
 * the same body. Notes every receipt that was answered, every event that was accepted, and every answer that must not happen: anything but
 * 200, or 503 with Retry-After; and one that took longer than the two seconds promised, with a second more, or as many times that as the machine has
 * more to do than three processes a core.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { ScoreReply } from '../../src/contract/score.js';
import type { Fleet, FleetMember } from './fleet.js';

export interface ScoreLoadOptions {
  readonly callers: number;
  /** Also reports each scored session as complete. */
  readonly events?: boolean;
  /** Processes are killed: a connection that breaks or is refused is then no fault. */
  readonly breaks?: boolean;
  readonly pauseMs?: number;
  /** Told of every answered score, with how many of its respondent there were until then, itself included. */
  readonly onReply?: (reply: ScoreReply, respondentId: string, nth: number) => void;
}

export interface ScoreLoad {
  /** Id of the receipt by session, of every score that was answered. */
  readonly receipts: ReadonlyMap<string, string>;
  /** Sessions whose completion was accepted. */
  readonly completed: ReadonlySet<string>;
  /** Sessions that were begun, by respondent. */
  readonly sessionsOf: ReadonlyMap<string, number>;
  /** Answers that must not happen. */
  readonly faults: readonly string[];
  /** Scores answered so far, by what they said of themselves. */
  readonly answers: { total: number; degraded: number; refused: number };
  /** Resolves after `count` further answers, of whatever kind. */
  further(count: number): Promise<void>;
  /** Lets every caller finish the session that it is at. */
  stop(): Promise<void>;
}

export const loadStudy = 'load-study';
const answerMsMax = 3_000;
const processesOfACore = 3;
const answerMsAllowed = (): number =>
  answerMsMax * Math.max(1, (loadavg()[0] ?? 0) / (availableParallelism() * processesOfACore));
const giveUpMs = 15_000;
const sessionsPerRespondent = 40;
const occurredAt = '2026-06-01T12:00:00Z';

export const scoreBody = (sessionId: string, respondentId: string) => ({
  sessionId,
  respondentId,
  clientIp: '203.0.113.9',
  studyId: loadStudy,
  sourceId: 'load-source',
});

export function startScoreLoad(
  { members, keys }: Pick<Fleet, 'keys'> & { readonly members: readonly Pick<FleetMember, 'roles' | 'baseUrl'>[] },
  { callers, events = false, breaks = false, pauseMs = 10, onReply }: ScoreLoadOptions,
): ScoreLoad {
  const receipts = new Map<string, string>();
  const completed = new Set<string>();
  const sessionsOf = new Map<string, number>();
  const faults: string[] = [];
  const answers = { total: 0, degraded: 0, refused: 0 };
  let isStopping = false;
  let turn = 0;

  /** One call at any instance that runs; null where it has to be made again. */
  const call = async (path: string, body: unknown): Promise<unknown> => {
    const urls = members
      .flatMap((member) => (member.roles.includes('api') ? [member.baseUrl()] : []))
      .filter((url) => url !== null);
    const url = urls[turn++ % Math.max(1, urls.length)];
    if (url === undefined) return null;
    const startedMs = performance.now();
    let response: Response;
    let text: string;
    try {
      response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': keys.projectKey },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(giveUpMs),
      });
      text = await response.text();
    } catch (error) {
      if (!breaks) faults.push(`${path}: ${String((error as Error).cause ?? error)}`);
      return null;
    }
    const tookMs = Math.round(performance.now() - startedMs);
    if (path === '/lite/score') answers.total++;
    if (path === '/lite/score' && !breaks && tookMs > answerMsAllowed())
      faults.push(`${path}: ${response.status} after ${tookMs} ms`);
    if (response.status === 200) return JSON.parse(text);
    if (response.status === 503 && Number(response.headers.get('retry-after')) > 0) answers.refused++;
    else faults.push(`${path}: ${response.status} ${text}`);
    return null;
  };
  const callUntilAnswered = async (path: string, body: unknown): Promise<unknown> => {
    for (let answer = await call(path, body); ; answer = await call(path, body)) {
      if (answer !== null) return answer;
      await pause(25);
    }
  };
  const runCaller = async (name: string): Promise<void> => {
    for (let n = 0; !isStopping; n++) {
      const respondentId = `${name}-respondent-${Math.floor(n / sessionsPerRespondent)}`;
      const sessionId = `${name}-session-${n}`;
      sessionsOf.set(respondentId, (sessionsOf.get(respondentId) ?? 0) + 1);
      const reply = (await callUntilAnswered('/lite/score', scoreBody(sessionId, respondentId))) as ScoreReply;
      receipts.set(sessionId, reply.receiptId);
      onReply?.(reply, respondentId, (n % sessionsPerRespondent) + 1);
      if (reply.degradedSignals.includes('counters_unavailable')) answers.degraded++;
      if (events) {
        await callUntilAnswered('/lite/events', { events: [{ sessionId, type: 'complete', occurredAt }] });
        completed.add(sessionId);
      }
      await pause(pauseMs);
    }
  };
  const running = Array.from({ length: callers }, (_, n) => runCaller(`caller-${n}`));

  return {
    receipts,
    completed,
    sessionsOf,
    faults,
    answers,
    further: async (count) => {
      const goal = answers.total + count;
      while (answers.total < goal) await pause(10);
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(running);
    },
  };
}
