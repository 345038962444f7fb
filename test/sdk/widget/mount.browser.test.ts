/**
 * One table of cases, run through every way in: the HTML drop-in, `VH.mount` and React must end the same. The service is the product’s own and
 * the browser a real one with a window, under the policy that integrators are told.
 */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Page, Route } from 'playwright-core';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import {
  lenient,
  startSdkSiteInWindow,
  ways,
  type Ended,
  type PlainOptions,
  type SdkPage,
  type Way,
} from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

interface Case {
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
const failing = (failureCategory: string, over: object = {}) =>
  onVerify(async (route) => {
    const response = await route.fetch();
    const body = { ...((await response.json()) as object), status: 'fail', failureCategory, ...over };
    await route.fulfill({ response, json: body });
  });
const down = onVerify((route) => route.abort('connectionrefused'));
const broken = onVerify((route) =>
  route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' }, json: { code: 'OVERLOADED' } }),
);

const flagged = (degradedReason: string) => ({
  result: { token: null, degraded: true, degradedReason, risk: { degradedSignals: ['vh_unreachable'] } },
  error: null,
});

const cases: readonly Case[] = [
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
    check: (t, _page, { result }) => {
      t.notOk('degraded' in (result ?? {}), 'not degraded');
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
  ).map(([category, code, recoverable]): Case => ({
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
    options: { apiEndpoint: 'http://127.0.0.1:1/api/v1', degradedMode: 'FAIL_CLOSED' },
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

void t.test('every way in ends the same', { skip }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, projectId, organizationKey, bootstrap } = { ...service.bootstrap, bootstrap: service.bootstrap };
  const patch = async ({ config = {}, ...fields }: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const body = {
      verificationMode: 'block',
      scoreModeConfig: null,
      customThresholds: lenient,
      ...fields,
      config: {
        widgetMode: 'invisible',
        degradedMode: null,
        maxRetries: null,
        // One device makes all visits.
        deduplication: { perDataCollector: true },
        ...(config as object),
      },
    };
    const { status, body: answer } = await service.call('PATCH', `/projects/${projectId}`, {
      body,
      headers: { 'x-api-key': organizationKey },
    });
    t.equal(status, 200, status === 200 ? 'the project is set' : JSON.stringify(answer));
  };
  /** A session that failed, for retries. */
  const failOnce = async (): Promise<string> => {
    const page = await site.open('mount', failing('liveness'));
    await page.begin({ siteKey, dataCollector: randomUUID() });
    const { error } = await page.settled();
    await page.page.close();
    return String(error?.context?.['sessionId']);
  };

  for (const { name, options = {}, project, prepare, expect, isNoisy = false, check } of cases) {
    await t.test(name, async (t) => {
      await patch(project);
      const given =
        options.previousSessionId === undefined ? options : { ...options, previousSessionId: await failOnce() };
      for (const way of ways) {
        const page = await site.open(way, prepare);
        await page.begin({ siteKey, respondentId: way, dataCollector: randomUUID(), ...given });
        const ended = await page.settled();
        t.match(ended, expect, way);
        if (!isNoisy) t.strictSame(page.errors, [], `${way} leaves no error in the console`);
        await check?.(t, page, ended, way);
        await page.page.close();
      }
    });
  }

  await t.test('score mode calls onResult with the signed envelope, then goes to the redirect', async (t) => {
    const done = `${site.site.origin}/done`;
    await patch({ verificationMode: 'score', scoreModeConfig: { redirectPassUrl: done, redirectFailUrl: done } });
    for (const way of ways) {
      const page = await site.open(way);
      await page.begin({ siteKey, respondentId: way, dataCollector: randomUUID() });
      await waitUntil(() => page.page.url().startsWith(done), `${way} follows the redirect`);
      t.match(new URL(page.page.url()).searchParams.get('vh_token'), /^[\w-]+\.[\w-]+\.[\w-]+$/, way);
      await page.page.close();
    }
    for (const way of ['mount', 'react'] as const) {
      const page = await site.open(way);
      await page.page.evaluate('window.seen.answer = false');
      await page.begin({ siteKey, respondentId: 'r', studyId: 's', dataCollector: randomUUID() });
      t.match(await page.settled(), { result: { status: String, token: String }, error: null }, way);
      const dispatches = await page.page.evaluate<object[]>('window.seen.dispatches');
      t.equal(dispatches.length, 1);
      t.match(dispatches[0], {
        mode: 'score',
        status: 'scored',
        redirectUrl: /\/redirect\?code=/,
        reason: null,
        envelope: { sessionId: /^sess_/, respondentId: 'r', studyId: 's', token: String, scores: { overall: Number } },
      });
      t.notOk(page.page.url().startsWith(done), `${way}: false keeps the page`);
      const { redirectUrl } = dispatches[0] as { redirectUrl: string };
      if (way === 'mount') await checkToken(t, page, redirectUrl);
      await page.page.close();
    }
  });

  /** The token of a redirect, checked in the page. */
  async function checkToken(t: Test, { page }: SdkPage, redirectUrl: string): Promise<void> {
    const answer = await fetch(redirectUrl, { redirect: 'manual' });
    const token = new URL(answer.headers.get('location') ?? '').searchParams.get('vh_token') ?? '';
    const verify = (jwt: string, audience: string) =>
      page.evaluate(`VH.verifyToken(${JSON.stringify(jwt)}, ${JSON.stringify({ audience })})`);
    t.match(await verify(token, projectId), { valid: true, claims: { aud: projectId } });
    t.strictSame(await verify(token, 'proj_other'), { valid: false, error: 'WRONG_AUDIENCE' });
    const [header, , signature] = token.split('.');
    const forged = `${header}.${Buffer.from('{"exp":9999999999}').toString('base64url')}.${signature}`;
    t.strictSame(await verify(forged, projectId), { valid: false, error: 'INVALID' });
    t.strictSame(await verify('not a token', projectId), { valid: false, error: 'MALFORMED' });
  }

  await t.test('a session without a mount is created at once, runs once, and can be called off', async (t) => {
    await patch();
    const { page } = await site.open('mount');
    const options = JSON.stringify({ siteKey, apiEndpoint: bootstrap.baseUrl, dataCollector: randomUUID() });
    t.match(
      await page.evaluate(
        `VH.session(${options}).then(async (s) => ({ id: s.sessionId, expiresAt: s.expiresAt, result: await s.start() }))`,
      ),
      { id: /^sess_/, expiresAt: Number, result: { status: 'pass' } },
    );
    t.equal(
      await page.evaluate(
        `VH.session(${options}).then((s) => { const running = s.start(); s.cancel(); return running.catch((e) => e.name); })`,
      ),
      'AbortError',
    );
    await page.close();
  });

  await t.test('the globals cannot be replaced; where another script was first, the document is told', async (t) => {
    const first = await site.open('mount');
    t.equal(
      await first.page.evaluate("(() => { 'use strict'; try { window.VH = 1; } catch (e) { return e.name; } })()"),
      'TypeError',
    );
    t.equal(await first.page.evaluate('Object.isFrozen(VH) && Object.isFrozen(VerifyHuman)'), true);
    await first.page.close();
    const taken = await site.open('mount', async (page) => {
      await page.addInitScript('window.VH = { mount() {} }');
    });
    t.strictSame(await taken.page.evaluate('window.seen.events'), ['vh:integrity-error IntegrityError']);
    t.match(taken.errors, [/IntegrityError/]);
    await taken.page.close();
  });

  await t.test('a callback of the page that throws changes no verdict', async (t) => {
    const page = await site.open('html');
    await page.page.evaluate(`
      document.addEventListener('vh:verified', ({ detail }) => ended(detail, null));
      window.throwing = () => { throw new Error('of the page'); };
      const element = document.getElementById('target');
      element.dataset.callback = 'throwing';
      element.dataset.apiEndpoint = ${JSON.stringify(bootstrap.baseUrl)};
      element.dataset.dataCollector = ${JSON.stringify(randomUUID())};
      element.dataset.sitekey = ${JSON.stringify(siteKey)};
      VerifyHuman.init();`);
    t.match(await page.settled(), { result: { status: 'pass' } });
    t.ok(page.errors.some((text) => text.includes('data-callback threw')));
    await page.page.close();
  });
});
