import { startStaticSite, type StaticSite } from '../../helpers/static-site.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { listContractErrors, testInBrowser } from '../../helpers/lite-page.js';
import { defaultAttributes } from '../../helpers/probe-script.js';

/** A slow machine’s load message goes out at a deadline and once more when all is known, so tests ask how many runs there were, not messages. */
const listRuns = (site: StaticSite): string[] => [...new Set(site.probes.map(({ body }) => body.nonce))];

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

testInBrowser(
  'a script with a project key sends one load message that the contract accepts, and says so',
  async (t, browser) => {
    const { site, waitForEvent, waitForLoad, readErrors } = await browser.open();
    t.strictSame(await waitForEvent(), { sessionId: 'session-1', sent: true });
    const { body, headers, method, bytes } = await waitForLoad();
    t.equal(listRuns(site).length, 1);
    t.strictSame(listContractErrors(body), []);
    t.match(body, { v: 1, projectKey: 'pk_test', sessionId: 'session-1', phase: 'load', nonce: /^[\da-f]{32}$/ });
    t.strictSame(
      ['ids', 'auto', 'lies', 'ua', 'hw', 'scr', 'loc', 'gfx', 'env', 'page', 'beh'].filter(
        (group) => !(group in body),
      ),
      [],
      'every group is there',
    );
    t.strictSame(body.gaps, []);
    t.equal(method, 'POST');
    t.match(headers['content-type'], /^text\/plain/);
    t.equal(headers.cookie, undefined);
    t.ok(bytes < 3_000, `${bytes} bytes`);
    t.strictSame(await readErrors(), []);
  },
);

testInBrowser('a script without a project key stays silent, and leaves the programmatic forms', async (t, browser) => {
  const { page, site } = await browser.open({ attributes: 'data-session-id="session-1"' });
  t.equal(await page.evaluate('typeof VHLite.run + typeof VHLite.startQuestionObserver'), 'functionfunction');
  t.equal(await page.evaluate('localStorage.length'), 0);
  t.strictSame(await page.evaluate("VHLite.run({ projectKey: 'pk_own', sessionId: 'own-1' })"), {
    sessionId: 'own-1',
    sent: true,
  });
  t.strictSame(await page.evaluate('window.seen.probes'), []);
  t.strictSame(
    [...new Set(site.probes.map(({ body }) => body.projectKey))],
    ['pk_own'],
    'the only message is the one asked for',
  );
});

testInBrowser('a session id that is left out is a random UUID', async (t, browser) => {
  const { site, waitForEvent } = await browser.open({
    attributes: 'data-project-key="pk_test" data-timeout-ms="60000"',
  });
  const { sessionId } = await waitForEvent();
  t.match(sessionId, uuid);
  t.equal(site.probes[0]?.body.sessionId, sessionId);
});

testInBrowser('the session id travels byte for byte', async (t, browser) => {
  const { waitForEvent, site } = await browser.open({
    attributes: 'data-project-key="pk_test" data-session-id="  Ünï%20/ÇASE &amp; " data-timeout-ms="60000"',
  });
  t.equal((await waitForEvent()).sessionId, '  Ünï%20/ÇASE & ');
  t.equal(site.probes[0]?.body.sessionId, '  Ünï%20/ÇASE & ');
});

testInBrowser('another endpoint is asked without a preflight', async (t, browser) => {
  const other = await startStaticSite({ files: {} });
  t.teardown(() => other.close());
  const { waitForEvent, site } = await browser.open({
    attributes: `${defaultAttributes} data-endpoint="${other.origin}/api/v1/public/lite/probe"`,
  });
  t.equal((await waitForEvent()).sent, true);
  t.strictSame([...new Set(other.requests)], ['POST /api/v1/public/lite/probe']);
  t.equal(site.probes.length, 0);
});

testInBrowser('an endpoint may be the API root, or a path that the site forwards', async (t, browser) => {
  for (const [given, path] of [
    ['/api/v1', '/api/v1/public/lite/probe'],
    ['/api/v1/', '/api/v1/public/lite/probe'],
    ['/forwarded/probe', '/forwarded/probe'],
  ] as const) {
    const { waitForEvent, site } = await browser.open({ attributes: `${defaultAttributes} data-endpoint="${given}"` });
    await waitForEvent();
    t.strictSame([...new Set(site.requests.filter((request) => request.startsWith('POST')))], [`POST ${path}`], given);
  }
});

testInBrowser('the endpoint is derived from where the script came from, not from the page', async (t, browser) => {
  const { page, site } = await browser.open({ attributes: '' });
  const customer = await startStaticSite({
    files: {
      '/': `<!doctype html><body><script src="${site.origin}/sdk/lite/v1/vh-lite.iife.js" ${defaultAttributes}></script>`,
    },
  });
  t.teardown(() => customer.close());
  await page.goto(customer.origin);
  const probe = await site.waitForProbe('the load message', () => true);
  t.equal(probe.headers.origin, customer.origin);
  t.equal(probe.headers.referer, `${customer.origin}/`);
});

testInBrowser(
  'sent is false when nothing answers, the answer is a refusal, or it takes too long',
  async (t, browser) => {
    const closed = await startStaticSite({ files: {} });
    await closed.close();
    const unreachable = await browser.open({ attributes: `${defaultAttributes} data-endpoint="${closed.origin}/"` });
    t.strictSame(await unreachable.waitForEvent(), { sessionId: 'session-1', sent: false, reason: 'network' });
    const refused = await browser.open({ probeStatus: 403 });
    t.equal((await refused.waitForEvent()).sent, false);
    const slow = await browser.open({ attributes: defaultAttributes.replace('60000', '50'), probeStatus: 'hang' });
    t.equal((await slow.waitForEvent()).sent, false);
    for (const { readErrors } of [unreachable, refused, slow]) t.strictSame(await readErrors(), []);
  },
);

testInBrowser(
  'a second copy of the script, or a second call for the session, joins the first run',
  async (t, browser) => {
    const { page, site, waitForEvent } = await browser.open();
    await waitForEvent();
    await page.addScriptTag({ url: '/sdk/lite/v1/vh-lite.iife.js' });
    const runs = "Promise.all([1, 2].map(() => VHLite.run({ projectKey: 'pk_test', sessionId: 'session-1' })))";
    t.strictSame(
      await page.evaluate(runs),
      [1, 2].map(() => ({ sessionId: 'session-1', sent: true })),
    );
    t.equal(listRuns(site).length, 1);
  },
);

testInBrowser('another session on the same page gets a nonce of its own', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open();
  const first = await waitForLoad([], 'session-1');
  await page.evaluate("VHLite.run({ projectKey: 'pk_test', sessionId: 'session-2' })");
  const second = await waitForLoad([], 'session-2');
  t.ok(
    site.probes.some(({ body }) => body.nonce === second.body.nonce && body.seq === 0),
    'its messages are counted anew',
  );
  t.not(second.body.nonce, first.body.nonce);
  t.equal(second.body.ids?.token, first.body.ids?.token);
  t.equal(second.body.ids?.kept, true);
});

testInBrowser('a run that was stopped sends nothing more, and another may begin', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open({ html: '<button id="next">Next</button>' });
  await waitForLoad([], 'session-1');
  await page.evaluate('VHLite.stop()');
  const sent = site.probes.length;
  await page.click('#next');
  await page.evaluate("VHLite.run({ projectKey: 'pk_test', sessionId: 'session-1' })");
  await page.click('#next');
  await site.waitForProbe('an update of the second run', ({ body }) => body.phase === 'update');
  const [first] = site.probes;
  t.strictSame(
    site.probes.slice(sent).filter(({ body }) => body.nonce === first?.body.nonce),
    [],
  );
});

testInBrowser('an element that is added later runs as well', async (t, browser) => {
  const { page, site, waitForEvent } = await browser.open({ attributes: '' });
  await page.evaluate(
    "const script = document.createElement('script'); script.src = '/sdk/lite/v1/vh-lite.iife.js'; script.dataset.projectKey = 'pk_late'; script.dataset.sessionId = 'late-1'; document.head.append(script)",
  );
  t.strictSame(await waitForEvent(), { sessionId: 'late-1', sent: true });
  t.equal(site.probes[0]?.body.projectKey, 'pk_late');
});

testInBrowser('a secret key is refused with an error in the console, and is not sent', async (t, browser) => {
  const secret = 'vf_live_0123456789';
  const { page, site, waitForEvent } = await browser.open({
    attributes: `data-project-key="${secret}" data-session-id="s"`,
  });
  t.strictSame(await waitForEvent(), { sessionId: 's', sent: false, reason: 'secret' });
  const told: string[] = [];
  page.on('console', (message) => message.type() === 'error' && told.push(message.text()));
  t.match(await page.evaluate(`VHLite.run({ projectKey: '${secret}', sessionId: 's' })`), { reason: 'secret' });
  await waitUntil(() => told.length > 0, 'the console says so');
  t.match(told, [/vf_ key is secret.*Rotate it.*pk_ key/]);
  t.notOk(told.join('').includes(secret));
  t.equal(site.probes.length, 0);
});

testInBrowser('data-probe-key is the same key, and a refusal carries its status', async (t, browser) => {
  const attributes = 'data-probe-key="pk_test" data-session-id="s" data-timeout-ms="60000"';
  t.strictSame(await (await browser.open({ attributes })).waitForEvent(), { sessionId: 's', sent: true });
  const refused = await browser.open({ attributes, probeStatus: 404 });
  t.strictSame(await refused.waitForEvent(), { sessionId: 's', sent: false, reason: 'HTTP 404' });
  const told: string[] = [];
  refused.page.on('console', (message) => message.type() === 'error' && told.push(message.text()));
  await refused.page.evaluate("VHLite.run({ projectKey: 'pk_wrong', sessionId: 's' })");
  await waitUntil(() => told.includes('VHLite: unknown pk_ key'), 'the console names the key');
});
