import { pollUntil } from '../../helpers/wait-until.js';
import { listContractErrors, testInBrowser } from '../../helpers/lite-page.js';
import { bundle, defaultAttributes, scriptPath } from '../../helpers/probe-script.js';

testInBrowser('under a strict policy the probe measures what it may and breaks nothing', async (t, browser) => {
  const policy =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'";
  // Such a page cannot be asked through the driver, so it tells by itself.
  const tell = "const tell = (note) => fetch('/note', { method: 'POST', body: JSON.stringify(note) });";
  const html = `<script>${tell} document.addEventListener('vh-lite:probe', (event) => tell({ ...event.detail, errors: seen.errors }))</script>`;
  const { site, waitForLoad } = await browser.open({ html, headers: { 'content-security-policy': policy } });
  const note = await pollUntil('the event', () => site.notes[0]);
  t.strictSame(note, { sessionId: 'session-1', sent: true, errors: [] });
  // A worker that was not compared is told from one that agrees.
  const { body } = await waitForLoad(['worker']);
  t.strictSame(listContractErrors(body), []);
  t.ok(body.ua && body.hw && body.scr && body.gfx && body.auto);
});

testInBrowser(
  'a page with trusted types that allows the policy loses no signal, and sees no violation',
  async (t, browser) => {
    const policy =
      "require-trusted-types-for 'script'; trusted-types verifyhuman 'allow-duplicates'; worker-src blob:; script-src 'self' 'unsafe-inline'";
    const tell = "fetch('/note', { method: 'POST', body: JSON.stringify([event.violatedDirective, event.sample]) })";
    const html = `<script>addEventListener('securitypolicyviolation', (event) => ${tell})</script>`;
    const { site, waitForLoad } = await browser.open({ html, headers: { 'content-security-policy': policy } });
    t.strictSame((await waitForLoad()).body.lies, []);
    t.strictSame(site.notes, []);
  },
);

testInBrowser('where the policy forbids the connection, sent is false', async (t, browser) => {
  const { waitForEvent, readErrors } = await browser.open({
    headers: { 'content-security-policy': "connect-src 'none'" },
  });
  t.equal((await waitForEvent()).sent, false);
  t.strictSame(await readErrors(), []);
});

testInBrowser('in a sandboxed frame without storage the rest is measured', async (t, browser) => {
  const { page, site } = await browser.open({ attributes: '' });
  await page.evaluate(
    `document.body.insertAdjacentHTML('beforeend', \`<iframe sandbox="allow-scripts" srcdoc='<script src="${site.origin}${scriptPath}" ${defaultAttributes}></scr\` + \`ipt>'></iframe>\`)`,
  );
  const { body } = await site.waitForProbe('the load message', ({ body }) => body.env !== undefined);
  t.strictSame(listContractErrors(body), []);
  t.match(body, { page: { framed: true }, env: { storage: false } });
  t.equal(body.ids, undefined);
});

const breakages: Record<string, string> = {
  'fetch throws': 'window.fetch = () => { throw new Error("no") }',
  'sendBeacon is gone': 'Navigator.prototype.sendBeacon = undefined',
  'the console throws': 'console.debug = () => { throw new Error("no") }',
  'workers are gone': 'window.Worker = undefined',
  'canvas refuses': 'HTMLCanvasElement.prototype.getContext = () => null',
  'frames refuse':
    'Document.prototype.createElement = new Proxy(Document.prototype.createElement, { apply(f, self, [n]) { if (n === "iframe") throw new Error("no"); return Reflect.apply(f, self, [n]) } })',
  'client hints never answer': 'NavigatorUAData.prototype.getHighEntropyValues = () => new Promise(() => {})',
  'randomUUID is gone': 'Crypto.prototype.randomUUID = undefined',
};

testInBrowser('whatever the page broke, no error surfaces and the event comes', async (t, browser) => {
  for (const [name, script] of Object.entries(breakages)) {
    const { page, site, waitForEvent, readErrors } = await browser.open({
      html: `<button id="next">Next</button><script>${script}</script>`,
      attributes: 'data-project-key="pk_test" data-timeout-ms="20000"',
    });
    const { sent } = await waitForEvent();
    t.equal(sent, name !== 'fetch throws', name);
    await page.click('#next');
    await page.goto(site.origin + '/next').then(() => page.goBack());
    t.strictSame(await readErrors(), [], name);
    for (const { body } of site.probes) t.strictSame(listContractErrors(body), [], name);
  }
});

testInBrowser(
  'slow signals do not hold up the load message, and a second one brings what they found',
  async (t, browser) => {
    const late =
      'NavigatorUAData.prototype.getHighEntropyValues = () => new Promise((resolve) => document.addEventListener("vh-lite:probe", () => resolve({ model: "late" })))';
    const { site, waitForEvent, waitForLoad } = await browser.open({ html: `<script>${late}</script>` });
    t.equal((await waitForEvent()).sent, true);
    const first = await site.waitForProbe('the first load message', ({ body }) => body.seq === 0);
    t.match(first.body, { phase: 'load', ua: undefined });
    const { body } = await waitForLoad();
    t.match(body, { seq: 1, ua: { model: 'late' } });
    t.ok(body.hw && body.gfx);
  },
);

testInBrowser('an inline or injected copy without a script element is programmatic only', async (t, browser) => {
  const { page, site } = await browser.open({ attributes: '' });
  await page.goto(site.origin + '/next');
  await page.evaluate(bundle());
  t.equal(site.probes.length, 0);
  t.strictSame(await page.evaluate("VHLite.run({ projectKey: 'pk_test', sessionId: 'session-1' })"), {
    sessionId: 'session-1',
    sent: true,
  });
});
