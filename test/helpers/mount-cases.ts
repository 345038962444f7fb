/** Every way in has the same ends: a row for each end that a mount can have without a camera. */
import type { Page, Route } from 'playwright-core';
import type { Test } from 'tap';
import { lenient } from './project-fields.js';
import { type Ended, type PlainOptions, type SdkPage, type Way } from './sdk-page.js';

interface MountCase {
  readonly name: string;
  readonly options?: Partial<PlainOptions>;
  /** Fields of the project while it runs. */
  readonly project?: Readonly<Record<string, unknown>>;
  readonly prepare?: (page: Page) => Promise<void>;
  readonly expect: Readonly<Record<string, unknown>>;
  /** Console errors are what the case is about. */
  readonly isNoisy?: boolean;
  readonly check?: (t: Test, page: SdkPage, ended: Ended, way: Way) => Promise<void> | void;
}

const onVerify = (act: (route: Route) => Promise<void>) => async (page: Page) => {
  await page.route('**/public/verify', (route) =>
    route.request().method() === 'OPTIONS' ? route.continue() : act(route),
  );
};
/** The service’s real answer, with the category of a failure that a page without a camera cannot bring about. */
export const failing = (failureCategory: string, over: object = {}) =>
  onVerify(async (route) => {
    const response = await route.fetch();
    const body = { ...((await response.json()) as object), status: 'fail', failureCategory, ...over };
    await route.fulfill({ response, json: body });
  });
/** Presses Close where a screen offers to try again. */
const closeWhenAsked = async (page: Page): Promise<void> => {
  void page
    .getByRole('button', { name: 'Close' })
    .click({ delay: 90 })
    .catch(() => undefined);
};
const down = onVerify((route) => route.abort('connectionrefused'));
const broken = onVerify((route) =>
  route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' }, json: { code: 'OVERLOADED' } }),
);

/** How a mount ends where the service cannot be reached, and is let on. */
export const flagged = (degradedReason: string) => ({
  result: { token: null, degraded: true, degradedReason, risk: { degradedSignals: ['vh_unreachable'] } },
  error: null,
});

export const mountCases: readonly MountCase[] = [
  {
    name: 'a pass carries a token and every field',
    options: { studyId: 'study', metadata: { wave: 2 }, locale: 'de' },
    expect: {
      error: null,
      result: {
        status: 'pass',
        success: true,
        sessionId: /^sess_/,
        token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
        scores: { liveness: null, uniqueness: null, authenticity: Number, overall: Number },
        failureReasons: Array,
        fraudSignals: Array,
        risk: null,
        livenessScore: Number,
        confidence: Number,
        challengesPassed: 0,
        challengesTotal: 0,
        step: 1,
        deviceId: String,
        locale: 'de',
        timestamp: Number,
        behavioralSignals: {
          mouseScore: Number,
          signalCount: Number,
          deviceConsistencyScore: Number,
          lieCount: Number,
        },
        isDuplicate: false,
        lowQuality: Boolean,
        highFraudRisk: false,
        assuranceLevel: 'device_only',
        verificationOutcome: String,
        unifiedVerdict: { verdict: String, assuranceLevel: String },
      },
    },
    check: (t, _page, { result }, way) => {
      t.notOk('degraded' in (result ?? {}), 'not degraded');
      const claims: unknown = JSON.parse(
        Buffer.from(result?.token?.split('.')[1] ?? '', 'base64url').toString() || '{}',
      );
      t.match(claims, { sub: result?.sessionId, study_id: 'study', respondent_id: way }, 'the token says whose it is');
    },
  },
  {
    name: 'a threshold that the device does not reach fails, with the context of its verdict',
    project: { customThresholds: { ...lenient, authenticity: 1 } },
    expect: {
      result: null,
      error: {
        name: 'VerifyError',
        code: 'FRAUD_SIGNAL',
        context: { sessionId: /^sess_/, scores: { authenticity: Number }, failureReasons: Array, fraudSignals: Array },
      },
    },
  },
  ...(
    [
      ['duplicate', 'DUPLICATE_DETECTED', false],
      ['liveness', 'LIVENESS_FAILED', true],
      ['authenticity', 'AUTHENTICITY_FAILED', true],
      ['fraud_signal', 'FRAUD_SIGNAL', true],
    ] as const
  ).map(([category, code, recoverable]): MountCase => ({
    name: `a failure of category ${category} is ${code}`,
    prepare: failing(
      category,
      category === 'duplicate' ? { duplicateMatch: { fingerprintId: 'f', similarity: 1 } } : {},
    ),
    expect: {
      result: null,
      error: {
        code,
        recoverable,
        context: {
          serverCode: category,
          ...(category === 'duplicate' ? { duplicateMatch: { fingerprintId: 'f' } } : {}),
        },
      },
    },
  })),
  {
    name: 'an unknown site key is refused with the service’s own code, and never degraded',
    options: { siteKey: 'proj_unknown', degradedMode: 'FAIL_OPEN_TRUSTED' },
    isNoisy: true,
    expect: { result: null, error: { code: 'NOT_FOUND', context: { serverCode: 'NOT_FOUND' } } },
  },
  {
    name: 'without the service, the project’s default resolves flagged',
    prepare: down,
    isNoisy: true,
    expect: flagged('network'),
  },
  {
    name: 'a service that fails is flagged too, by another reason',
    prepare: broken,
    isNoisy: true,
    expect: flagged('server'),
  },
  {
    name: 'the project’s FAIL_CLOSED rejects with E030 and no context',
    project: { config: { degradedMode: 'FAIL_CLOSED' } },
    prepare: down,
    isNoisy: true,
    expect: { result: null, error: { code: 'NETWORK_ERROR', message: /^E030/, context: null } },
  },
  {
    name: 'FAIL_OPEN_TRUSTED of the mount wins, and looks like a pass',
    project: { config: { degradedMode: 'FAIL_CLOSED' } },
    options: { degradedMode: 'FAIL_OPEN_TRUSTED' },
    prepare: down,
    isNoisy: true,
    expect: {
      error: null,
      result: { status: 'pass', success: true, token: null, risk: { degradedSignals: ['vh_unreachable'] } },
    },
    check: (t, _page, { result }) => {
      t.notOk('degraded' in (result ?? {}), 'without the flag');
    },
  },
  {
    name: 'a host that the page’s policy blocks is named with its directive',
    options: { apiEndpoint: 'http://127.0.0.1:1/api/v1', degradedMode: 'FAIL_CLOSED', locale: 'en' },
    prepare: closeWhenAsked,
    isNoisy: true,
    expect: {
      result: null,
      error: { code: 'NETWORK_ERROR', message: /^E030: .*connect-src 'self' http:\/\/127\.0\.0\.1:1$/ },
    },
  },
  {
    name: 'a spent retry budget is final',
    project: { config: { maxRetries: 0 }, customThresholds: { ...lenient, authenticity: 1 } },
    isNoisy: true,
    options: { previousSessionId: 'failed before' },
    expect: { result: null, error: { code: 'RETRY_BUDGET_EXHAUSTED', recoverable: false } },
  },
];
