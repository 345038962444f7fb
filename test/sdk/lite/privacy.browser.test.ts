import { testInBrowser } from '../../helpers/lite-page.js';

const secret = 'Zq7xsecret';
const form = `<label>Name of your first pet <input id="answer"></label><div id="question">Which ${secret}q?<textarea id="free"></textarea><p contenteditable id="rich"></p></div><button id="next">Next</button>`;

testInBrowser(
  'no key, no typed or pasted text, no text of the page and no query string leaves the browser',
  async (t, browser) => {
    const { page, site, waitForEvent } = await browser.open({ html: form, query: `?id=${secret}#${secret}` });
    await waitForEvent();
    await page.evaluate("VHLite.startQuestionObserver('#question', { questionId: 'q1' })");
    await page.click('#answer');
    await page.keyboard.type(secret);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+C');
    await page.click('#free');
    await page.keyboard.press('Control+V');
    await page.click('#next');
    await page.goto(site.origin + '/next');
    const last = await site.waitForProbe('the last update', ({ body }) => (body.beh?.pastes ?? 0) > 0);
    t.match(last.body.beh, { pastes: 1, pasteChars: secret.length });
    for (const { text, headers } of site.probes) {
      t.notMatch(text, new RegExp(secret, 'i'));
      t.notMatch(text, /127\.0\.0\.1|first pet|KeyZ|"key"|"code"/);
      if (headers['content-type'] === 'text/plain') t.equal(headers.referer, `${site.origin}/`);
    }
  },
);

testInBrowser(
  'a question’s text leaves the browser only where captureText is given, and never its answer',
  async (t, browser) => {
    const { page, waitForEvent } = await browser.open({ html: form });
    await waitForEvent();
    await page.fill('#free', 'my answer');
    await page.fill('#rich', 'my rich answer');
    const observe = (options: string) =>
      page.evaluate(`VHLite.startQuestionObserver('#question', { questionId: 'q1'${options} }).getSnapshot()`);
    t.notOk('text' in ((await observe('')) as object));
    t.notOk('text' in ((await observe(', captureText: false')) as object));
    t.equal(((await observe(', captureText: true')) as { text: string }).text, `Which ${secret}q?`);
  },
);

testInBrowser('signals that the project leaves out are not read', async (t, browser) => {
  const { page, waitForLoad } = await browser.open({
    attributes:
      'data-project-key="pk_test" data-session-id="session-1" data-timeout-ms="60000" data-without="storage, canvas audio worker"',
  });
  const { body } = await waitForLoad(['audio', 'canvas', 'storage', 'worker']);
  t.equal(body.ids, undefined);
  t.strictSame(Object.keys(body.gfx ?? {}).sort(), ['renderer', 'vendor']);
  t.equal(await page.evaluate('localStorage.length'), 0);
});
