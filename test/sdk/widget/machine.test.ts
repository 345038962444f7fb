import t from 'tap';
import { advance, begin, type Effect, type FlowEvent, type Plan, type Step } from '../../../sdk/widget/machine.js';
import { verdictError } from '../../../sdk/widget/result.js';
import type { VerifyReply } from '../../../src/contract/score-envelope.js';

const plan: Plan = {
  mode: 'standard',
  autoStart: false,
  consent: null,
  mayEscalate: true,
  canAskConsent: true,
  isScored: false,
  retriesMax: 1,
  previousSessionId: null,
  isGiven: false,
  isClosed: false,
};
/** An event, or one that answers the effect before it. */
type Said = FlowEvent | ((effect: Effect) => FlowEvent);

const started: FlowEvent = { kind: 'started' };
const created = (retryCount = 0): FlowEvent => ({ kind: 'created', retryCount });
const escalated: FlowEvent = { kind: 'escalated' };
const consented = (biometric: boolean): FlowEvent => ({ kind: 'consented', consent: { biometric } });
const captured: FlowEvent = {
  kind: 'captured',
  isSpent: true,
  outcome: {
    kind: 'captured',
    parts: {},
    telemetry: { livenessScore: 1, challengesPassed: 0, challengesTotal: 0 },
  },
};
/** A verdict, with the error that the shell makes of it. */
const verified =
  (status: 'pass' | 'fail', verificationOutcome = 'completed'): Said =>
  (effect) => {
    const reply = { status, sessionId: 'first', verificationOutcome, failureReasons: [] } as unknown as VerifyReply;
    if (effect.kind !== 'verify') throw new Error('a verdict that was not requested');
    return { kind: 'verified', reply, error: status === 'pass' ? null : verdictError(reply, effect.isLastTry) };
  };
const read = (choice: 'retry' | 'done'): FlowEvent => ({ kind: 'read', choice });
const trouble: FlowEvent = { kind: 'trouble', reason: 'network', message: 'E030' };

/** The requested steps, in order, and the last step. */
function follow(over: Partial<Plan>, events: readonly Said[]): { readonly kinds: string[]; readonly last: Step } {
  let step = begin({ ...plan, ...over });
  const kinds = [step.effect.kind as string];
  for (const event of events) {
    step = advance(step.state, typeof event === 'function' ? event(step.effect) : event);
    kinds.push(step.effect.kind);
  }
  return { kinds, last: step };
}

t.test('standard mode asks for consent before the camera, and a pass ends the mount', (t) => {
  const { kinds, last } = follow({}, [started, created(), consented(true), captured, verified('pass'), read('done')]);
  t.strictSame(kinds, ['start', 'create', 'consent', 'capture', 'verify', 'outcome', 'end']);
  t.match(last.effect, { end: { kind: 'verdict', reply: { status: 'pass' } } });
  t.end();
});

t.test('whoever declines is verified by the device, and may agree in the next try', (t) => {
  const { kinds, last } = follow({}, [started, created(), consented(false)]);
  t.strictSame(kinds, ['start', 'create', 'consent', 'verify']);
  t.match(last.effect, { consent: { biometric: false }, capture: null });
  const again = follow({}, [started, created(), consented(false), verified('fail'), read('retry'), created(1)]);
  t.strictSame(again.kinds.slice(3), ['verify', 'outcome', 'create', 'consent']);
  t.end();
});

t.test('declining is no success: only a pass without the camera says that one may continue', (t) => {
  const declined = (status: 'pass' | 'fail') => verified(status, 'declined_by_user');
  const upTo = [started, created(), consented(false)];
  t.match(follow({}, [...upTo, declined('pass')]).last.effect, { outcome: { status: 'declined' } });
  t.match(follow({}, [...upTo, declined('fail')]).last.effect, {
    outcome: { status: 'fail', canRetry: true, camera: 'declined' },
  });
  t.end();
});

t.test('whoever failed before the camera can try without it', (t) => {
  const failed = [started, created(), consented(true), captured, verified('fail')];
  const without: FlowEvent = { kind: 'read', choice: 'without', consent: { biometric: false } };
  const { kinds, last } = follow({}, [...failed, without, created(1)]);
  t.strictSame(kinds.slice(-3), ['outcome', 'create', 'verify']);
  t.match(last.effect, { consent: { biometric: false }, capture: null, canEscalate: false });
  t.end();
});

t.test('without terms of consent nobody is asked for the camera', (t) => {
  const standard = follow({ canAskConsent: false }, [started, created()]);
  t.strictSame(standard.kinds, ['start', 'create', 'verify']);
  const escalating = follow({ canAskConsent: false, mode: 'captcha' }, [started, created(), escalated]);
  t.match(escalating.last.effect, { kind: 'verify', consent: null, canEscalate: false });
  t.end();
});

t.test('captcha and invisible mode send what is passive first, and say whether they can go on to the camera', (t) => {
  const captcha = follow({ mode: 'captcha' }, [started, created()]);
  t.strictSame(captcha.kinds, ['start', 'create', 'verify']);
  t.match(captcha.last.effect, { capture: null, canEscalate: true });
  t.match(follow({ mode: 'invisible' }, [created()]).last.effect, { kind: 'verify', canEscalate: true });
  const alone = follow({ mode: 'invisible', mayEscalate: false }, [created()]);
  t.match(alone.last.effect, { kind: 'verify', canEscalate: false });
  const ended = follow({ mode: 'invisible', mayEscalate: false }, [created(), verified('fail')]);
  t.strictSame(ended.kinds, ['create', 'verify', 'end']);
  t.end();
});

t.test(
  'a session that stays open is sent again with the camera: the same one, whatever the mode, budget or consent',
  (t) => {
    const consent = { biometric: true, at: '2026-01-01T12:00:00Z' };
    for (const over of [{}, { retriesMax: 0 }, { isScored: true }])
      for (const mode of ['invisible', 'captcha'] as const) {
        const began = mode === 'captcha' ? [started, created()] : [created()];
        const { kinds, last } = follow({ mode, ...over }, [...began, escalated, consented(true), captured]);
        t.strictSame(
          kinds.slice(-5),
          ['create', 'verify', 'consent', 'capture', 'verify'],
          JSON.stringify({ mode, over }),
        );
        t.match(last.effect, { capture: { kind: 'captured' }, canEscalate: false });
        const given = follow({ mode, autoStart: true, consent, ...over }, [created(), escalated, captured]);
        t.strictSame(
          given.kinds,
          ['create', 'verify', 'capture', 'verify'],
          'consent that was passed is not asked for',
        );
      }
    const { last } = follow({ mode: 'invisible' }, [created(), escalated, consented(true)]);
    t.match(last.effect, { kind: 'capture', hidden: true });
    t.end();
  },
);

t.test('whoever declines the camera check ends the same session by its device', (t) => {
  const { kinds, last } = follow({ mode: 'captcha' }, [started, created(), escalated, consented(false)]);
  t.strictSame(kinds.slice(-3), ['verify', 'consent', 'verify']);
  t.match(last.effect, { consent: { biometric: false }, capture: null, canEscalate: false });
  t.end();
});

t.test('a failure says whether there was a camera, so that nobody is told to face one that was not opened', (t) => {
  const fail = verified('fail');
  const outcomeOf = (events: readonly Said[]) =>
    follow({ mode: 'captcha' }, [started, created(), ...events]).last.effect;
  t.match(outcomeOf([fail]), { outcome: { status: 'fail', camera: 'unasked' } });
  t.match(outcomeOf([escalated, consented(true), captured, fail]), { outcome: { camera: 'seen' } });
  for (const [reason, camera] of [
    ['NotFoundError', 'none'],
    ['no_face_capture', 'seen'],
  ] as const) {
    const unavailable: FlowEvent = {
      kind: 'captured',
      isSpent: false,
      outcome: { kind: 'unavailable', reason, parts: {} },
    };
    t.match(outcomeOf([escalated, consented(true), unavailable, fail]), { outcome: { camera } }, reason);
  }
  t.end();
});

t.test('a retry is offered while the budget lasts, and names the session that failed', (t) => {
  const upTo = [started, created(), consented(true), captured, verified('fail')];
  t.match(follow({}, upTo).last.effect, { outcome: { status: 'fail', code: 'LIVENESS_FAILED', canRetry: true } });
  const retried = follow({}, [...upTo, read('retry')]);
  t.match(retried.last.effect, { kind: 'create', previousSessionId: 'first' });
  const spent = follow({}, [...upTo, read('retry'), created(1), captured, verified('fail')]);
  t.match(spent.last.effect, { kind: 'outcome', outcome: { canRetry: false } });
  t.match(follow({}, [...upTo, read('done')]).last.effect, { end: { error: { recoverable: true } } });
  t.match(spent.last.effect, { then: { error: { recoverable: false } } }, 'and the error says so');
  t.match(follow({}, [...upTo, read('done')]).last.effect, { end: { kind: 'verdict', reply: { status: 'fail' } } });
  t.end();
});

t.test('a camera that is not given is no verdict: again, without, or the end', (t) => {
  const refused: FlowEvent = {
    kind: 'captured',
    isSpent: false,
    outcome: { kind: 'refused', reason: 'busy', name: 'NotReadableError' },
  };
  const upTo = [started, created(), consented(true), refused];
  const chose = (choice: 'again' | 'without' | 'cancel'): FlowEvent =>
    choice === 'without' ? { kind: 'chose', choice, consent: { biometric: false } } : { kind: 'chose', choice };
  t.match(follow({}, upTo).last.effect, { kind: 'camera_again', reason: 'busy' });
  const again = follow({}, [...upTo, chose('again'), captured]).last;
  t.match(again.effect, { kind: 'verify', consent: { biometric: true } }, 'another try takes no consent back');
  t.match(follow({}, [...upTo, chose('without')]).last.effect, { kind: 'verify', consent: { biometric: false } });
  t.match(follow({}, [...upTo, chose('cancel')]).last.effect, { end: { kind: 'camera', reason: 'busy' } });
  t.end();
});

t.test('a respondent who cancels in front of the camera may go on: again, without it, or not at all', (t) => {
  const canceled = (isSpent: boolean): FlowEvent => ({ kind: 'left', exit: 'cancel', isSpent });
  const upTo = [started, created(), consented(true)];
  const again: FlowEvent = { kind: 'chose', choice: 'again' };
  t.match(follow({}, [...upTo, canceled(false)]).last.effect, { kind: 'camera_again', reason: 'canceled' });
  t.match(follow({}, [...upTo, canceled(false), again]).last.effect, { kind: 'capture' });
  t.match(follow({}, [...upTo, canceled(true), again]).last.effect, { kind: 'create' }, 'its challenges are used up');
  const without: FlowEvent = { kind: 'chose', choice: 'without', consent: { biometric: false } };
  t.match(follow({}, [...upTo, canceled(false), without]).last.effect, { kind: 'verify', capture: null });
  const busy: FlowEvent = {
    kind: 'captured',
    isSpent: false,
    outcome: { kind: 'refused', reason: 'busy', name: 'NotReadableError' },
  };
  const cancel: FlowEvent = { kind: 'chose', choice: 'cancel' };
  for (const before of [[], [busy, again]])
    t.match(follow({}, [...upTo, ...before, canceled(false), cancel]).last.effect, { end: { kind: 'aborted' } });
  t.end();
});

t.test('a capture that stopped after its first challenge is followed by one in another session', (t) => {
  const refused: FlowEvent = {
    kind: 'captured',
    isSpent: true,
    outcome: { kind: 'refused', reason: 'busy', name: 'NotReadableError' },
  };
  const again: FlowEvent = { kind: 'chose', choice: 'again' };
  const { last } = follow({}, [started, created(), consented(true), refused, again]);
  t.match(last.effect, { kind: 'create', previousSessionId: null });
  t.match(follow({}, [started, created(), consented(true), refused, again, created()]).last.effect, {
    kind: 'capture',
  });
  const upTo = [started, created(), consented(true)];
  const stopped = (by: Extract<FlowEvent, { kind: 'stopped' }>['by']): FlowEvent => ({ kind: 'stopped', by });
  const conflict = stopped({
    kind: 'reply',
    status: 409,
    body: { code: 'CHALLENGE_CONFLICT' },
    etag: null,
    repeated: false,
  });
  t.match(follow({}, [...upTo, conflict]).last.effect, { outcome: { status: 'error', canRetry: true } });
  t.match(follow({}, [...upTo, conflict, read('retry')]).last.effect, { kind: 'create' });
  const lost = stopped(trouble);
  t.match(follow({}, [...upTo, lost]).last.effect, { end: { kind: 'unreachable' } });
  t.match(follow({ isClosed: true }, [...upTo, lost, read('retry')]).last.effect, { kind: 'create' });
  t.end();
});

t.test('no camera at all is verified by the device, with the reason', (t) => {
  const missing: FlowEvent = {
    kind: 'captured',
    isSpent: false,
    outcome: { kind: 'unavailable', reason: 'NotFoundError', parts: {} },
  };
  const { last } = follow({}, [started, created(), consented(true), missing]);
  t.match(last.effect, { kind: 'verify', capture: { reason: 'NotFoundError' } });
  t.end();
});

t.test('without the service the mount ends; where that is refused, the same session can be sent again', (t) => {
  const upTo = [started, created(), consented(true), captured, trouble];
  t.match(follow({}, upTo).last.effect, { end: { kind: 'unreachable', trouble: { reason: 'network' } } });
  const closed = follow({ isClosed: true }, upTo);
  t.match(closed.last.effect, { kind: 'outcome', outcome: { status: 'error', code: 'NETWORK_ERROR', canRetry: true } });
  const again = follow({ isClosed: true }, [...upTo, read('retry')]);
  t.match(again.last.effect, { kind: 'verify', capture: { kind: 'captured' } });
  t.end();
});

t.test('score mode reads the result before the outcome is shown', (t) => {
  const { kinds } = follow({ isScored: true, mode: 'captcha' }, [started, created(), verified('fail')]);
  t.strictSame(kinds, ['start', 'create', 'verify', 'result']);
  for (const isClosed of [false, true]) {
    const upTo = [started, created(), verified('fail'), trouble];
    const { last } = follow({ isScored: true, mode: 'captcha', isClosed }, upTo);
    t.match(
      last.effect,
      { end: { kind: 'verdict', reply: { status: 'fail' } } },
      'a verdict stays where its envelope is not read',
    );
  }
  t.end();
});

t.test('score mode tells nobody that they passed whom the verdict or the project stops', (t) => {
  const dispatched = (status: string): FlowEvent =>
    ({ kind: 'dispatched', envelope: { dispatch: { status } } }) as unknown as FlowEvent;
  const shown = (verdict: 'pass' | 'fail', status: string) =>
    follow({ isScored: true, mode: 'captcha' }, [started, created(), verified(verdict), dispatched(status)]).last
      .effect;
  t.match(shown('pass', 'scored'), { outcome: { status: 'pass' } });
  t.match(shown('fail', 'scored'), { outcome: { status: 'noted' } });
  t.match(shown('pass', 'score_blocked'), { outcome: { status: 'noted' } });
  t.end();
});

t.test('a session of the backend whose time is over ends the mount; one that follows its failure is replaced', (t) => {
  const expired: FlowEvent = {
    kind: 'reply',
    status: 410,
    body: { code: 'SESSION_EXPIRED' },
    etag: null,
    repeated: false,
  };
  const upTo = [started, created(), consented(false)];
  const given = follow({ isGiven: true }, [...upTo, expired]).last;
  t.match(given.effect, { outcome: { code: 'SESSION_EXPIRED', canRetry: false }, then: { isFinal: true } });
  t.match(follow({ isGiven: true }, [...upTo, verified('fail'), read('retry'), expired]).last.effect, {
    outcome: { code: 'SESSION_EXPIRED', canRetry: true },
    then: { isFinal: false },
  });
  t.match(follow({}, [...upTo, expired]).last.effect, { outcome: { canRetry: true }, then: { isFinal: false } });
  t.end();
});

t.test('of refusals those are tried again that time heals, each at the step that it met', (t) => {
  const refused = (status: number, code: string): FlowEvent => ({
    kind: 'reply',
    status,
    body: { code },
    etag: null,
    repeated: false,
  });
  const steps: Readonly<Record<string, readonly FlowEvent[]>> = {
    create: [started],
    verify: [started, created(), consented(true), captured],
  };
  for (const [step, upTo] of Object.entries(steps)) {
    for (const [status, code] of [
      [402, 'TRIAL_EXPIRED'],
      [403, 'ORIGIN_NOT_ALLOWED'],
      [409, 'RETRY_BUDGET_EXHAUSTED'],
      [410, 'LINK_ENDED'],
      [422, 'INVALID_ENVELOPE'],
      [429, 'QUOTA_EXCEEDED'],
    ] as const)
      t.match(
        follow({}, [...upTo, refused(status, code)]).last.effect,
        { kind: 'outcome', outcome: { status: 'error', code, canRetry: false }, then: { kind: 'refused' } },
        `${step}: ${code}`,
      );
    const limited = follow({}, [...upTo, refused(429, 'RATE_LIMIT_EXCEEDED'), read('retry')]);
    t.equal(limited.last.effect.kind, step, `${step}: what was limited is done again`);
    t.match(follow({}, [...upTo, refused(429, 'RATE_LIMIT_EXCEEDED'), read('done')]).last.effect, {
      end: { kind: 'refused', reply: { status: 429 } },
    });
  }
  const late = follow({}, [...steps['verify']!, refused(410, 'SESSION_EXPIRED'), read('retry'), created()]);
  t.strictSame(
    late.kinds.slice(-4),
    ['verify', 'outcome', 'create', 'capture'],
    'a session that is over is followed by another',
  );
  const judged = [started, created(), verified('fail'), refused(429, 'RATE_LIMIT_EXCEEDED')];
  t.match(
    follow({ isScored: true, mode: 'captcha' }, judged).last.effect,
    { end: { kind: 'verdict', reply: { status: 'fail' } } },
    'a verdict stays where its envelope is refused',
  );
  t.end();
});
