/** Obstacles to a capture: each in the contract’s words, the camera off afterwards, and never an error that reaches the page. */
import t from 'tap';
import { launchDriven } from '../../helpers/browser.js';
import { traceTasks } from '../../helpers/main-thread.js';
import { pollUntil } from '../../helpers/wait-until.js';
import { challengesOf, openCapturePage, withoutChromium } from '../../helpers/capture-page.js';

// A capture takes its time: a dozen challenges at a pace that people can follow, on the models of a slow machine.
t.setTimeout(300_000);

const skip = withoutChromium;
/** The browser's limit of a long task; here in time of the processor, which other programs do not lengthen. */
const longTaskMs = 50;
const sumOfLong = (tasks: readonly number[]): number =>
  tasks.filter((ms) => ms > longTaskMs).reduce((sum, ms) => sum + ms, 0);
// Frames that show nobody: each costs as much to look at as one with a face.
const fakeCamera = ['--use-fake-device-for-media-stream=fps=6'];
const browser = skip === false ? await launchDriven({ args: fakeCamera }) : undefined;
t.teardown(() => browser?.close());

t.test('a refusal of the browser is told by who decided it', { skip }, async (t) => {
  const { page, run } = await openCapturePage(t, { browser });
  const cases = [
    ['NotAllowedError', 'Permission denied', { kind: 'refused', reason: 'denied', name: 'NotAllowedError' }],
    ['NotAllowedError', 'Permission dismissed', { kind: 'refused', reason: 'dismissed', name: 'NotAllowedError' }],
    ['NotReadableError', 'Could not start video source', { kind: 'refused', reason: 'busy', name: 'NotReadableError' }],
    ['AbortError', 'Starting failed', { kind: 'refused', reason: 'busy', name: 'AbortError' }],
    ['NotFoundError', 'Requested device not found', { kind: 'unavailable', reason: 'NotFoundError' }],
    ['OverconstrainedError', 'No such camera', { kind: 'unavailable', reason: 'OverconstrainedError' }],
    ['SecurityError', 'Not here', { kind: 'unavailable', reason: 'SecurityError' }],
  ] as const;
  for (const [name, message, expected] of cases) {
    await page.evaluate(`failCamera(${JSON.stringify(name)}, ${JSON.stringify(message)})`);
    t.match((await run()).outcome, expected, `${name}: ${message}`);
  }
});

t.test('a page that was never permitted the camera, and a machine without one', { skip }, async (t) => {
  const denied = await openCapturePage(t, { args: [...fakeCamera, '--deny-permission-prompts'], permitted: false });
  const refused = await denied.run();
  t.match(refused.outcome, { kind: 'refused', reason: 'denied', name: 'NotAllowedError' });
  const missing = await (await openCapturePage(t)).run();
  t.match(missing.outcome, { kind: 'unavailable', reason: 'NotFoundError', parts: {} });
  for (const { guided } of [refused, missing])
    t.strictSame(
      guided.map(({ kind }) => kind),
      ['loading'],
      'nobody is told that they did well',
    );
});

t.test('an insecure page, and a browser without workers, are told before anything is asked', { skip }, async (t) => {
  const { page, run } = await openCapturePage(t, { browser });
  await page.evaluate('delete window.OffscreenCanvas');
  t.match((await run()).outcome, { kind: 'unavailable', reason: 'unknown_capability' });
  await page.evaluate('Object.defineProperty(window, "isSecureContext", { value: false })');
  t.match((await run()).outcome, { kind: 'unavailable', reason: 'SecurityError' });
});

t.test('a model file that is missing or changed stops the capture, and nothing of it runs', { skip }, async (t) => {
  const first = await openCapturePage(t, { browser, models: { 'facemesh-3': null } });
  await first.page.evaluate('watchCamera()');
  const missing = await first.run({ challenges: challengesOf('blink') });
  t.match(missing.outcome, { kind: 'unavailable', reason: 'mediapipe_load_failed' });
  t.same(missing.tracks, ['ended']);
  for (const [part, name] of [
    ['iris-d', 'a model'],
    ['face_recognition_model-b', 'a model that is loaded last'],
    ['tfjs-backend-wasm-simd', 'the arithmetic'],
    ['capture-worker', 'the worker'],
  ] as const) {
    const tampered = await openCapturePage(t, {
      browser,
      models: { [part]: Buffer.from(part === 'capture-worker' ? 'self.postMessage({type:"ready"})' : 'changed') },
    });
    await tampered.page.evaluate('watchCamera()');
    const { outcome, tracks } = await tampered.run();
    t.match(outcome, { kind: 'unavailable', reason: 'mediapipe_load_failed' }, name);
    t.ok(
      tracks.every((state) => state === 'ended'),
      name,
    );
    await tampered.page.close();
  }
});

t.test(
  'age, gender and skin have no model on the device unless they are asked for, and loading says how much there is',
  { skip },
  async (t) => {
    const { page, run, site } = await openCapturePage(t, { browser });
    for (const demographics of [false, true]) {
      site.requests.length = 0;
      const { guided } = await run({ demographics, abortAt: 'no_face' });
      await pollUntil(
        'the models',
        async () => site.requests.some((path) => path.includes('face_recognition_model-b')) || undefined,
      );
      t.equal(
        site.requests.some((path) => path.includes('age_gender')),
        demographics,
        `asked for: ${demographics}`,
      );
      const bytes = guided.flatMap(({ bytes }) => bytes ?? []);
      t.ok(
        bytes.every(({ loaded, total }) => loaded >= 0 && loaded <= total) && (bytes.at(-1)?.total ?? 0) > 4_000_000,
      );
    }
    await page.close();
  },
);

t.test('nobody before the camera is told as such', { skip }, async (t) => {
  const { page, run } = await openCapturePage(t, { browser });
  await page.evaluate('watchCamera()');
  const starting = await traceTasks(page);
  const { totalMs: startMs } = await run({ challenges: challengesOf('blink'), abortAt: 'no_face' });
  const heldMs = sumOfLong(await starting.stop());
  // A tenth on a quiet machine; models that were read by the page itself would hold all of it.
  t.ok(
    heldMs < startMs * 0.3,
    `the page’s thread is not held while camera and models start: ${heldMs} of ${startMs} ms`,
  );
  const looking = await traceTasks(page);
  const { outcome, tracks, guided, totalMs } = await run({ challenges: challengesOf('blink') });
  const busyMs = sumOfLong(await looking.stop());
  t.match(outcome, { kind: 'unavailable', reason: 'no_face_capture', parts: { camera: { label: /fake/ } } });
  t.ok(guided.some(({ kind }) => kind === 'no_face'));
  t.ok(busyMs < totalMs * 0.05, `nor while frames are looked at: ${busyMs} of ${totalMs} ms`);
  t.ok(
    tracks.every((state) => state === 'ended'),
    tracks.join(),
  );
});

t.test('who stops has the camera off at once, and the capture rejects with the reason', { skip }, async (t) => {
  const { page, run } = await openCapturePage(t, { browser });
  await page.evaluate('watchCamera()');
  for (const abortAt of ['loading', 'no_face']) {
    const { rejected, tracks } = await run({ challenges: challengesOf('blink'), abortAt });
    t.equal(rejected, 'AbortError', abortAt);
    t.ok(
      tracks.every((state) => state === 'ended'),
      abortAt,
    );
  }
});

t.test('who leaves the page has the camera off', { skip }, async (t) => {
  const { page, run } = await openCapturePage(t, { browser });
  await page.evaluate('watchCamera()');
  const left = run();
  await pollUntil('the camera', async () => ((await page.evaluate('readTracks().length')) === 1 ? true : undefined));
  await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide"))');
  t.match((await left).outcome, { kind: 'refused', reason: 'dismissed', name: 'AbortError' });
  t.same((await left).tracks, ['ended']);
});
