import { listContractErrors, testInBrowser } from '../../helpers/lite-page.js';

/** The n-th update is followed by no other for n times this, as `sdk/lite/updates.ts` says; timers and `up` count whole milliseconds. */
const spacingMs = 400;
const roundingMs = 1;
const form = '<input id="answer"><button id="next">Next</button><p id="text">words</p>';

testInBrowser('a press of a button sends the behaviour up to it at once', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open({ html: form });
  const load = await waitForLoad();
  await page.click('#next');
  const { body } = await site.waitForProbe('the update', (probe) => (probe.body.beh?.clicks ?? 0) > 0);
  t.strictSame(listContractErrors(body), []);
  t.match(body, {
    phase: 'update',
    seq: load.body.seq + 1,
    nonce: load.body.nonce,
    beh: { clicks: 1 },
    page: { hidden: false },
  });
  t.notOk('ua' in body || 'gfx' in body, 'what does not change is not sent again');
});

testInBrowser('activity without a press is sent within some seconds', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  await page.mouse.move(10, 10);
  await page.mouse.move(200, 100, { steps: 12 });
  const { body } = await site.waitForProbe('the update', (probe) => (probe.body.beh?.moves ?? 0) > 5);
  t.equal(body.phase, 'update');
});

testInBrowser('what is left goes out when the page is left, and sequence numbers rise', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  await page.click('#answer');
  await page.keyboard.type('some words');
  await page.goto(site.origin + '/next');
  const { body } = await site.waitForProbe('the last update', (probe) => probe.body.beh?.keys === 10);
  t.ok((body.beh?.keyDwell?.[0] ?? 0) > 0);
  // Messages overtake each other on their way.
  const sent = site.probes.map((probe) => probe.body).sort((a, b) => a.seq - b.seq);
  t.equal(new Set(sent.map(({ seq }) => seq)).size, sent.length, 'each has a number of its own');
  t.ok(
    sent.every(({ up }, index) => up >= (sent[index - 1]?.up ?? 0)),
    'and a later one a higher',
  );
});

testInBrowser('a page left before its load message was due sends one all the same', async (t, browser) => {
  const { page, site } = await browser.open({ attributes: '' });
  // The page answers before it leaves: an evaluation whose page goes away under it may never end.
  await page.evaluate(
    "VHLite.run({ projectKey: 'pk_test', sessionId: 'session-1' }); setTimeout(() => (location.href = '/next')); 0",
  );
  // If the page took its time to leave, an update follows and may overtake it.
  const { body } = await site.waitForProbe('the load message', ({ body }) => body.phase === 'load');
  t.strictSame(listContractErrors(body), []);
});

testInBrowser('each update waits longer than the one before, and a message stays small', async (t, browser) => {
  const { page, site, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  const startMs = await page.evaluate<number>('performance.now()');
  for (let press = 0; press < 20; press++) await page.click('#next');
  await page.mouse.move(5, 5);
  for (let sweep = 0; sweep < 10; sweep++) await page.mouse.move(sweep % 2 ? 5 : 600, sweep * 10, { steps: 50 });
  await page.goto(site.origin + '/next');
  const { body } = await site.waitForProbe('the last update', (probe) => (probe.body.beh?.moves ?? 0) > 450);
  t.equal(body.beh?.clicks, 20);
  // The last one goes out because the page is left.
  const updates = site.probes.map((probe) => probe.body).filter(({ phase }) => phase === 'update');
  for (const [index, { up }] of updates
    .sort((a, b) => a.seq - b.seq)
    .slice(0, -1)
    .entries()) {
    const earliestMs = startMs + spacingMs * ((index * (index + 1)) / 2);
    t.ok(up >= earliestMs - roundingMs * (index + 1), `update ${index + 1} at ${up} ms, not before ${earliestMs} ms`);
  }
  for (const probe of site.probes) t.ok(probe.bytes < 3_000, `${probe.bytes} bytes`);
});
