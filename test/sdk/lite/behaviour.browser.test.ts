import { testInBrowser, type LitePage } from '../../helpers/lite-page.js';

const html =
  '<style>body { height: 4000px }</style><label id="label">Yes <input id="box" type="checkbox"></label><input id="answer"><button id="next">Next</button>';

/** Presses the button, and reads the behaviour up to it: of a message with at least `clicks` clicks, of which this is the last. */
async function readBehaviour({ page, site }: LitePage, clicks: number) {
  await page.click('#next');
  const { body } = await site.waitForProbe(
    'the behaviour up to the press',
    ({ body }) => (body.beh?.clicks ?? 0) >= clicks,
  );
  return body.beh ?? {};
}

testInBrowser(
  'clicks by pointer, by key, and passed on by a label are not taken for bare ones; those out of nowhere are',
  async (t, browser) => {
    const opened = await browser.open({ html });
    await opened.waitForEvent();
    await opened.page.click('#label');
    await opened.page.focus('#next');
    await opened.page.keyboard.press('Enter');
    t.match(await readBehaviour(opened, 4), { clickBare: 0, untrusted: 0 });
    const other = await browser.open({ html });
    await other.waitForEvent();
    await other.page.evaluate("for (let i = 0; i < 3; i++) document.getElementById('box').click()");
    t.match(await readBehaviour(other, 4), { clicks: 4, clickBare: 3, untrusted: 3 });
  },
);

testInBrowser(
  'text that no key, paste or composition brought is counted, and typed text is not',
  async (t, browser) => {
    const opened = await browser.open({ html });
    await opened.waitForEvent();
    await opened.page.focus('#answer');
    await opened.page.keyboard.insertText('from nowhere');
    t.match(await readBehaviour(opened, 1), { keys: 0, inputNoKey: 1 });
    const typed = await browser.open({ html });
    await typed.waitForEvent();
    await typed.page.focus('#answer');
    await typed.page.keyboard.type('by hand');
    t.match(await readBehaviour(typed, 1), { keys: 7, inputNoKey: 0, keyNoCode: 0 });
  },
);

testInBrowser('a wheel that scrolls tells its distance twice alike', async (t, browser) => {
  const opened = await browser.open({ html });
  await opened.waitForEvent();
  await opened.page.mouse.wheel(0, 300);
  await opened.page.waitForFunction('scrollY > 0');
  const { wheels, wheelLies, scrolls } = await readBehaviour(opened, 1);
  t.equal(wheels, 1);
  t.equal(wheelLies, 0);
  t.ok((scrolls ?? 0) > 0);
});

testInBrowser('touches are counted with their force and radius', async (t, browser) => {
  const opened = await browser.open({ html });
  await opened.waitForEvent();
  const protocol = await opened.page.context().newCDPSession(opened.page);
  await protocol.send('Input.dispatchTouchEvent', {
    type: 'touchStart',
    touchPoints: [{ x: 50, y: 300, radiusX: 11, force: 0.5 }],
  });
  await protocol.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  t.match(await readBehaviour(opened, 1), {
    touches: 1,
    touchForce: [1, 0.5, 0, 0.5, 0.5],
    touchRadius: [1, 11, 0, 11, 11],
  });
});

testInBrowser('a page that stops its events does not hide them from the probe', async (t, browser) => {
  const stop =
    "for (const type of ['pointermove', 'pointerdown', 'click', 'keydown']) document.addEventListener(type, (event) => event.stopImmediatePropagation(), true)";
  const opened = await browser.open({ html: `${html}<script>${stop}</script>` });
  await opened.waitForEvent();
  await opened.page.click('#answer');
  await opened.page.keyboard.type('abc');
  t.match(await readBehaviour(opened, 2), { clicks: 2, keys: 3 });
});
