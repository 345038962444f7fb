/** The script that ships in Firefox, where it is installed, under the policy that integrators are told. Nothing drives it: the page tells what it saw. */
import t from 'tap';
import type { VHMountResult } from '../../../sdk/widget/api.js';
import { en } from '../../../sdk/widget/ui/texts/en.js';
import { answering, readPersonFiles } from '../../helpers/capture-page.js';
import { hasFirefox, launchFirefox } from '../../helpers/firefox.js';
import { policyFor } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { pollUntil } from '../../helpers/wait-until.js';

const skip = hasFirefox() ? false : 'Firefox is not installed (FIREFOX_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

type Note =
  | { readonly kind: 'complaint'; readonly text: string }
  | { readonly kind: 'passed'; readonly result: VHMountResult }
  | { readonly kind: 'failed' | 'blocked'; readonly code: string; readonly message: string }
  | { readonly kind: 'seen'; readonly liveness: number | null; readonly tracks: readonly string[] }
  | { readonly kind: 'shown'; readonly text: string; readonly sheets: number };

const script = (siteKey: string) => `
  const note = (body) => fetch('/note', { method: 'POST', body: JSON.stringify(body) });
  const complain = (text) => note({ kind: 'complaint', text: String(text) });
  addEventListener('error', ({ message }) => complain(message));
  addEventListener('unhandledrejection', ({ reason }) => complain(reason));
  console.error = (...all) => complain(all.join(' '));
  const tell = (kind) => ({ code, message }) => note({ kind, code, message });
  const options = { siteKey: ${JSON.stringify(siteKey)}, locale: 'en' };
  VH.mount('#unseen', { ...options, widgetMode: 'invisible' }).then((result) => note({ kind: 'passed', result }), tell('failed'));
  const elsewhere = { apiEndpoint: 'http://127.0.0.1:1/api/v1', degradedMode: 'FAIL_CLOSED', widgetMode: 'invisible' };
  VH.mount('#blocked', { ...options, ...elsewhere }).catch(tell('blocked'));
  VH.mount('#shown', { ...options, widgetMode: 'standard' }).catch(complain);
  const looking = setInterval(() => {
    const root = document.querySelector('#shown > div')?.shadowRoot;
    const heading = root?.querySelector('h2')?.textContent;
    if (!heading || heading === ${JSON.stringify(en.working)}) return;
    clearInterval(looking);
    note({ kind: 'shown', text: heading, sheets: root.adoptedStyleSheets.length });
  }, 100);
  addEventListener('load', async () => {
    await placeFace();
    ${answering}
    const seen = ({ scores }) => note({ kind: 'seen', liveness: scores?.liveness ?? null, tracks: readTracks() });
    const consent = { biometric: true, at: new Date().toISOString() };
    const mounted = VH.mount('#seen', { ...options, widgetMode: 'standard', autoStart: true, consent });
    mounted.then(seen, ({ context }) => seen(context ?? {}));
    // Whoever was not seen well enough does not try again.
    const buttons = () => document.querySelector('#seen > div')?.shadowRoot?.querySelectorAll('button') ?? [];
    setInterval(() => [...buttons()].find((button) => button.textContent === 'Close')?.click(), 200);
  });`;

void t.test('the widget in Firefox', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, siteKey } = service.bootstrap;
  const site = await startStaticSite({
    files: {
      '/': `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title><body><div id="unseen"></div><div id="blocked"></div><div id="shown"></div><div id="seen"></div><video hidden></video><script type="module" src="/run.js"></script><script src="${siteUrl}/sdk/v1/verifyhuman.umd.js"></script><script src="/page.js"></script></body></html>`,
      '/page.js': script(siteKey),
      ...readPersonFiles(),
      '/favicon.ico': '',
    },
    headers: { 'content-security-policy': policyFor(siteUrl) },
  });
  t.teardown(() => site.close());
  const browser = launchFirefox(`${site.origin}/`);
  t.teardown(() => browser.close());
  const notes = site.notes as Note[];
  const find = (...kinds: readonly Note['kind'][]) =>
    pollUntil(kinds.join(' or '), () => notes.find(({ kind }) => kinds.includes(kind)), 120_000);
  t.match(await find('passed', 'failed'), {
    kind: 'passed',
    result: { status: 'pass', token: String, assuranceLevel: 'device_only' },
  });
  t.match(await find('blocked'), {
    code: 'NETWORK_ERROR',
    message: /^E030: .*connect-src 'self' http:\/\/127\.0\.0\.1:1$/,
  });
  t.match(await find('shown'), { text: 'Quick check: are you a real person?', sheets: 1 });
  // At the pace of a browser that draws in software a blink may go by unseen; that the camera is measured and judged does not hang on it.
  t.match(await find('seen'), { liveness: Number, tracks: ['ended'] });
  t.strictSame(
    notes.filter(({ kind }) => kind === 'complaint'),
    [],
  );
});
