import t from 'tap';
import {
  degradedResult,
  refusalError,
  resultOf,
  troubleError,
  verdictError,
  type LocalFacts,
} from '../../../sdk/widget/result.js';
import type { VerifyReply } from '../../../src/contract/score-envelope.js';
import { failureReasons } from '../../../src/contract/failure-reasons.js';
import { failureCategories } from '../../../src/contract/verdict.js';

const local = (confidence: number): LocalFacts => ({
  estimate: {
    confidence,
    signals: {
      mouseScore: 0,
      keyboardScore: 0,
      scrollScore: 0,
      touchScore: 0,
      signalCount: 0,
      deviceConsistencyScore: 1,
      lieCount: 0,
    },
  },
  livenessScore: confidence,
  challengesPassed: 0,
  challengesTotal: 0,
  deepfake: null,
  deviceId: 'd',
  locale: 'en',
  timestamp: 1,
});

t.test(
  'without the service, the status is the page’s own estimate where that is flagged, and a pass where it is trusted',
  (t) => {
    for (const reason of ['network', 'timeout', 'server'] as const) {
      const weak = degradedResult('FAIL_OPEN_FLAGGED', reason, null, local(0.49));
      t.match(weak, { status: 'fail', success: false, token: null, degraded: true, degradedReason: reason });
      t.match(degradedResult('FAIL_OPEN_FLAGGED', reason, 's', local(0.5)), { status: 'pass', sessionId: 's' });
      const trusted = degradedResult('FAIL_OPEN_TRUSTED', reason, null, local(0));
      t.match(trusted, { status: 'pass', success: true, token: null, failureReasons: [] });
      t.notOk('degraded' in trusted || 'degradedReason' in trusted);
      for (const result of [weak, trusted]) {
        t.strictSame(result.risk?.degradedSignals, ['vh_unreachable']);
        t.match(result.scores, { liveness: null, uniqueness: null }, 'nothing is made up');
      }
    }
    t.end();
  },
);

t.test('a way to the service that failed is TIMEOUT or NETWORK_ERROR with E030, without context', (t) => {
  const late = troubleError({ reason: 'timeout', message: 'late' });
  t.match(late, { name: 'VerifyError', code: 'TIMEOUT', recoverable: true });
  t.equal(late.context, undefined);
  for (const reason of ['network', 'server'] as const)
    t.match(troubleError({ reason, message: 'gone' }), { code: 'NETWORK_ERROR', message: 'E030: gone' });
  t.match(troubleError({ reason: 'network', message: 'E030: gone' }), { message: 'E030: gone' });
  t.end();
});

t.test('what the service gave as null, or an older one not at all, stays away from a result', (t) => {
  const reply = {
    status: 'pass',
    sessionId: 's',
    verificationToken: 't',
    scores: { liveness: null, uniqueness: null, authenticity: 1, overall: 1 },
    failureReasons: [],
    demographics: null,
    glassesDetected: null,
    duplicateMatch: null,
    priorParticipation: null,
    cameraFailureReason: null,
    isDuplicate: false,
  } as unknown as VerifyReply;
  const result = resultOf(reply, local(1));
  t.match(result, { scores: { liveness: null, uniqueness: null }, isDuplicate: false, risk: null, fraudSignals: [] });
  for (const name of ['demographics', 'glassesDetected', 'duplicateMatch', 'priorParticipation', 'cameraFailureReason'])
    t.notOk(name in result, name);
  t.equal(resultOf({ ...reply, status: 'review' }, local(1)).status, 'fail', 'a result knows pass and fail alone');
  t.end();
});

t.test(
  'every category of a verdict has a code of the contract and a sentence, one that is not known yet among them',
  (t) => {
    const failed = (failureCategory: unknown) =>
      verdictError(
        {
          status: 'fail',
          sessionId: 's',
          scores: {},
          failureReasons: [],
          failureCategory,
        } as unknown as VerifyReply,
        false,
      );
    const codes = new Set(['DUPLICATE_DETECTED', 'LIVENESS_FAILED', 'AUTHENTICITY_FAILED', 'FRAUD_SIGNAL']);
    for (const category of [...failureCategories, 'of_tomorrow', null]) {
      const { code, message } = failed(category);
      t.ok(codes.has(code), `${category}: ${code}`);
      t.match(message, /^[A-Z][^.]+\.$/, `${category}: ${message}`);
      t.notMatch(message, 'undefined');
    }
    t.equal(failed('fingerprint').code, 'FRAUD_SIGNAL');
    t.match(failed('of_tomorrow').context, { serverCode: 'of_tomorrow' });
    t.end();
  },
);

t.test('the message of a verdict says its reason once', (t) => {
  const messageOf = (failureCategory: string, reason: string) =>
    verdictError({ status: 'fail', failureReasons: [reason], failureCategory } as unknown as VerifyReply, false)
      .message;
  for (const [category, code] of [
    ['duplicate', 'already_took_part'],
    ['liveness', 'liveness_low'],
  ] as const)
    t.equal(messageOf(category, failureReasons[code]), failureReasons[code]);
  t.equal(
    messageOf('liveness', failureReasons.too_few_frames),
    `A live person could not be confirmed. ${failureReasons.too_few_frames}`,
  );
  t.end();
});

t.test('a refusal without a code of the service still has one', (t) => {
  const reply = { kind: 'reply', status: 418, body: undefined, etag: null, repeated: false } as const;
  t.match(refusalError(reply), { code: 'HTTP_418', context: { serverCode: 'HTTP_418' }, recoverable: false });
  t.match(refusalError({ ...reply, status: 429, body: { code: 'QUOTA_EXCEEDED' } }), { recoverable: false });
  t.match(refusalError({ ...reply, status: 410 }, 's'), { recoverable: true });
  t.match(refusalError({ ...reply, status: 410 }, 's', true), { recoverable: false });
  t.end();
});
