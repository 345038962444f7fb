/**
 * The public face of the probe. Making it touches nothing; without a page, a run resolves unsent and
 * an observer counts nothing.
 */
import type { Lite, QuestionHandle, QuestionSnapshot } from './api.js';
import { randomHex } from './hash.js';
import { observeQuestion } from './questions.js';
import { startRun, type ActiveRun } from './run.js';

const timeoutMsDefault = 5000;
/** Questions whose snapshots a message carries: the latest. */
const questionsMax = 50;

function createUuid(): string {
  // Only secure pages have crypto.randomUUID.
  return randomHex().replace(/(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
}

/** `origin` is that of the service: where the script came from. Without it, the page's own. */
export function createLite(origin?: string): Lite {
  let active: ActiveRun | undefined;
  let activeFor: { projectKey: string; sessionId: string } | undefined;
  let questions: QuestionHandle[] = [];

  const readQuestions = (): QuestionSnapshot[] =>
    questions
      .map((question) => question.getSnapshot())
      .filter((snapshot) => snapshot.questionId)
      .map((snapshot) => ({ ...snapshot, questionId: snapshot.questionId.slice(0, 128) }));

  return {
    async run({ projectKey, sessionId, endpoint, timeoutMs, without }) {
      const unsent = (reason: string) => ({ sessionId: sessionId ?? '', sent: false, reason });
      if (typeof document === 'undefined') return unsent('no page');
      if (/^vf_/.test(projectKey)) {
        // oxlint-disable-next-line no-console -- whoever put it there has to see it
        console.error('VHLite: a vf_ key is secret. Rotate it! Use a pk_ key');
        return unsent('secret');
      }
      const isSame = activeFor?.projectKey === projectKey && (!sessionId || activeFor.sessionId === sessionId);
      if (!isSame) {
        active?.stop();
        activeFor = { projectKey, sessionId: sessionId || createUuid() };
        active = startRun({
          ...activeFor,
          endpoint: (endpoint || (origin ?? location.origin) + '/api/v1').replace(/v1\/?$/, 'v1/public/lite/probe'),
          timeoutMs: timeoutMs! > 0 ? timeoutMs! : timeoutMsDefault,
          without: without ?? [],
          readQuestions,
        });
      }
      return active!.result;
    },
    stop() {
      active?.stop();
      active = activeFor = undefined;
    },
    snapshots: readQuestions,
    startQuestionObserver(target, options) {
      const handle = observeQuestion(target, { ...options, questionId: String(options.questionId) }, () =>
        active?.note(),
      );
      questions = [...questions, handle].slice(-questionsMax);
      return handle;
    },
  };
}
