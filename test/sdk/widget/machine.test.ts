import t from 'tap';
import { advance, begin, type FlowEvent, type Plan, type Step } from '../../../sdk/widget/machine.js';
import type { VerifyReply } from '../../../src/contract/score-envelope.js';

const plan: Plan = {
  mode: 'standard',
  autoStart: false,
  consent: null,
  mayEscalate: true,
  isScored: false,
  retriesMax: 1,
  previousSessionId: null,
  isClosed: false,
};
const started: FlowEvent = { kind: 'started' };
const created = (isWeak = false, retryCount = 0): FlowEvent => ({ kind: 'created', isWeak, retryCount });
const consented = (biometric: boolean): FlowEvent => ({ kind: 'consented', consent: { biometric } });
const captured: FlowEvent = {
  kind: 'captured',
  outcome: {
    kind: 'captured',
    parts: {},
    telemetry: { livenessScore: 1, challengesPassed: 0, challengesTotal: 0 },
  },
};
const verified = (status: 'pass' | 'fail', code: string | null = null): FlowEvent => ({
  kind: 'verified',
  reply: { status, sessionId: 'first', verificationOutcome: 'completed' } as VerifyReply,
  code,
});
const read = (choice: 'retry' | 'done'): FlowEvent => ({ kind: 'read', choice });
const trouble: FlowEvent = { kind: 'trouble', reason: 'network', message: 'E030' };

/** What was asked for, in order, and the last step. */
function follow(over: Partial<Plan>, events: readonly FlowEvent[]): { readonly kinds: string[]; readonly last: Step } {
  let step = begin({ ...plan, ...over });
  const kinds = [step.effect.kind as string];
  for (const event of events) {
    step = advance(step.state, event);
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

t.test('whoever declines is verified by the device, and the camera is not asked for again', (t) => {
  const { kinds, last } = follow({}, [started, created(), consented(false)]);
  t.strictSame(kinds, ['start', 'create', 'consent', 'verify']);
  t.match(last.effect, { consent: { biometric: false }, capture: null });
  const again = follow({}, [started, created(), consented(false), verified('fail'), read('retry'), created(true, 1)]);
  t.strictSame(again.kinds.slice(3), ['verify', 'outcome', 'create', 'verify']);
  t.end();
});

t.test('captcha and invisible mode take no camera while the passive signals suffice', (t) => {
  t.strictSame(follow({ mode: 'captcha' }, [started, created()]).kinds, ['start', 'create', 'verify']);
  t.strictSame(follow({ mode: 'invisible' }, [created()]).kinds, ['create', 'verify']);
  t.strictSame(follow({ mode: 'invisible', mayEscalate: false }, [created(true)]).kinds, ['create', 'verify']);
  t.strictSame(follow({ mode: 'captcha' }, [started, created(true)]).kinds, ['start', 'create', 'consent']);
  const hidden = follow({ mode: 'invisible' }, [created(true), consented(true)]);
  t.match(hidden.last.effect, { kind: 'capture', hidden: true });
  t.end();
});

t.test(
  'an invisible session that fails without the camera is followed by one with it, where the budget allows',
  (t) => {
    const { kinds, last } = follow({ mode: 'invisible' }, [
      created(),
      verified('fail', 'FRAUD_SIGNAL'),
      created(false, 1),
    ]);
    t.strictSame(kinds, ['create', 'verify', 'create', 'consent']);
    t.equal(last.state.previousSessionId, 'first');
    const spent = follow({ mode: 'invisible', retriesMax: 0 }, [created(), verified('fail', 'FRAUD_SIGNAL')]);
    t.strictSame(spent.kinds, ['create', 'verify', 'end']);
    const known = follow({ mode: 'invisible' }, [created(), verified('fail', 'DUPLICATE_DETECTED')]);
    t.strictSame(
      known.kinds,
      ['create', 'verify', 'end'],
      'a person who took part already is not asked for the camera',
    );
    t.end();
  },
);

t.test('a retry is offered while the budget lasts, and names the session that failed', (t) => {
  const upTo = [started, created(), consented(true), captured, verified('fail', 'LIVENESS_FAILED')];
  t.match(follow({}, upTo).last.effect, { outcome: { status: 'fail', code: 'LIVENESS_FAILED', canRetry: true } });
  const retried = follow({}, [...upTo, read('retry')]);
  t.match(retried.last.effect, { kind: 'create', previousSessionId: 'first' });
  const spent = follow({}, [...upTo, read('retry'), created(false, 1), captured, verified('fail', 'LIVENESS_FAILED')]);
  t.match(spent.last.effect, { kind: 'outcome', outcome: { canRetry: false } });
  t.match(follow({}, [...upTo, read('done')]).last.effect, { end: { kind: 'verdict', reply: { status: 'fail' } } });
  t.end();
});

t.test('a camera that is not given is no verdict: again, without, or the end', (t) => {
  const refused: FlowEvent = {
    kind: 'captured',
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

t.test('no camera at all is verified by the device, with the reason', (t) => {
  const missing: FlowEvent = {
    kind: 'captured',
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
