/**
 * One run of the probe for one session. States: collecting, then loaded (the first message is out),
 * then stopped. A load message carries every group; it goes out at a deadline, and once more if slow
 * signals came after it. Updates carry what changes while the page lives. The promise never rejects.
 */
import type { QuestionSnapshot, RunResult } from './api.js';
import { collectOnce, watchAll } from './collect.js';
import { fit } from './fit.js';
import { randomHex } from './hash.js';
import { createListening } from './listening.js';
import { post } from './transport.js';
import type { Groups, ProbeBody } from './types.js';
import { createUpdates } from './updates.js';

const version = 'lite/1.0.0';

/** How long the first message waits for slow signals, milliseconds. */
const collectMs = 400;

export interface RunSettings {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly without: readonly string[];
  readonly readQuestions: () => QuestionSnapshot[];
}

export interface ActiveRun {
  readonly result: Promise<RunResult>;
  /** Says that there is something new to send. */
  readonly note: () => void;
  readonly stop: () => void;
}

export function startRun({
  projectKey,
  sessionId,
  endpoint,
  timeoutMs,
  without,
  readQuestions,
}: RunSettings): ActiveRun {
  const groups: Groups = {};
  const gaps = new Set<string>();
  const nonce = randomHex();
  let seq = 0;
  let isLoaded = false;
  const listening = createListening();
  const readWatched = watchAll(listening.listen, without);

  const message = (phase: 'load' | 'update') => {
    readWatched(groups);
    const q = readQuestions();
    const { page, beh } = groups;
    const body: ProbeBody = {
      v: 1,
      sdk: version,
      projectKey,
      sessionId,
      nonce,
      phase,
      seq: seq++,
      at: Date.now(),
      up: Math.round(performance.now()),
      ...(phase === 'load' ? { ...groups, gaps: [...gaps] } : { page: page!, beh: beh! }),
      ...(q.length ? { q } : {}),
    };
    return fit(body);
  };
  const updates = createUpdates(listening.listen, (hiding) => {
    const text = message(isLoaded ? 'update' : 'load');
    try {
      // A beacon leaves even if the page is gone by then.
      if (hiding && navigator.sendBeacon(endpoint, text)) return;
    } catch {
      // The page took it away.
    }
    void post(endpoint, text, timeoutMs);
  });

  const load = async (): Promise<RunResult> => {
    let reason = 'page';
    try {
      const complete = collectOnce(groups, without, gaps).then(() => {
        if (isLoaded) void post(endpoint, message('load'), timeoutMs);
      });
      await Promise.race([complete, new Promise((resolve) => setTimeout(resolve, collectMs))]);
      isLoaded = true;
      reason = await post(endpoint, message('load'), timeoutMs);
      // oxlint-disable-next-line no-console -- whoever put the key there has to see it
      if (reason === 'HTTP 404') console.error('VHLite: unknown pk_ key');
    } catch {
      // The page broke the probe, or its console.
    }
    return { sessionId, sent: !reason, ...(reason && { reason }) };
  };
  return {
    result: load(),
    note: () => updates.note(true),
    stop() {
      listening.stop();
      updates.stop();
    },
  };
}
