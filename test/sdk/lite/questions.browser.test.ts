import { probeBytesMax, userAgentLengthMax } from '../../../src/limits.js';
import { listContractErrors, testInBrowser } from '../../helpers/lite-page.js';

const form =
  '<div id="question">Why? <input id="one"><input id="two"></div><input id="other"><button id="next">Next</button>';
const observe =
  "window.handle = VHLite.startQuestionObserver(document.getElementById('question'), { questionId: 'q1' }); 0";
const read = 'handle.getSnapshot()';

interface Snapshot {
  timeOnQuestionMs: number;
  mouseMoveCount: number;
}

testInBrowser('an observer counts what happens inside its question, and nothing outside', async (t, browser) => {
  const { page, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  await page.evaluate(observe);
  t.match(await page.evaluate(read), {
    questionId: 'q1',
    mouseMoveCount: 0,
    keyCount: 0,
    pasteCount: 0,
    focusEntries: 0,
    focusExits: 0,
  });
  await page.click('#other');
  await page.keyboard.type('abc');
  await page.click('#one');
  await page.keyboard.type('abcd');
  await page.click('#two');
  await page.keyboard.type('e');
  await page.click('#other');
  const snapshot = await page.evaluate<Snapshot>(read);
  t.match(snapshot, { keyCount: 5, pasteCount: 0, focusEntries: 1, focusExits: 1 });
  t.ok(snapshot.mouseMoveCount > 0);
});

testInBrowser('a stopped observer keeps its snapshot, however often it is stopped', async (t, browser) => {
  const { page, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  await page.evaluate(observe);
  await page.click('#one');
  const stopped = await page.evaluate<Snapshot>(`handle.stop(); ${read}`);
  await page.keyboard.type('abcd');
  await page.waitForFunction(`performance.now() > ${stopped.timeOnQuestionMs} + 50`);
  t.strictSame(await page.evaluate(`handle.stop(); handle.stop(); ${read}`), stopped);
});

testInBrowser('snapshots travel with the updates, the latest fifty of them', async (t, browser) => {
  const { page, site, waitForLoad, readErrors } = await browser.open({ html: form });
  await waitForLoad();
  await page.evaluate("VHLite.startQuestionObserver('#question', { questionId: 'x'.repeat(500) })");
  await page.evaluate(
    "for (let i = 0; i < 60; i++) VHLite.startQuestionObserver('#question', { questionId: 'q' + i })",
  );
  await page.click('#next');
  const { body } = await site.waitForProbe('the update', (probe) => probe.body.q !== undefined);
  t.strictSame(listContractErrors(body), []);
  t.strictSame(
    body.q?.map(({ questionId }) => questionId),
    Array.from({ length: 50 }, (_, index) => `q${index + 10}`),
  );
  t.strictSame(await readErrors(), []);
});

testInBrowser('texts that would make an update too large go first, so that it arrives', async (t, browser) => {
  const questions = Array.from({ length: 40 }, (_, n) => `<p id="t${n}">${`問${n} `.repeat(300)}</p>`).join('');
  const { page, site, waitForLoad, readErrors } = await browser.open({ html: questions + form });
  await waitForLoad();
  await page.evaluate(
    "for (let i = 0; i < 40; i++) VHLite.startQuestionObserver('#t' + i, { questionId: 't' + i, captureText: true })",
  );
  await page.click('#next');
  const { body } = await site.waitForProbe('the update', (probe) => probe.body.q !== undefined);
  t.ok(Buffer.byteLength(JSON.stringify(body)) <= probeBytesMax);
  t.strictSame(listContractErrors(body), []);
  t.equal(body.q?.length, 40, 'no count is lost');
  t.equal(body.q?.[0]?.text, undefined, 'the oldest text went');
  t.match(body.q?.at(-1)?.text, /^問39 /, 'the newest stayed');
  t.strictSame(await readErrors(), []);
});

testInBrowser('a user agent longer than what is looked at is cut', async (t, browser) => {
  const override =
    "<script>Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 ' + 'x'.repeat(20000) })</script>";
  const { waitForLoad } = await browser.open({ html: override });
  const { body } = await waitForLoad();
  t.equal(body.ua?.ua?.length, userAgentLengthMax);
  t.strictSame(listContractErrors(body), []);
});

testInBrowser('a target that does not exist is observed as untouched', async (t, browser) => {
  const { page, waitForLoad } = await browser.open({ html: form });
  await waitForLoad();
  t.match(await page.evaluate("VHLite.startQuestionObserver('#nowhere', { questionId: 'q1' }).getSnapshot()"), {
    keyCount: 0,
    mouseMoveCount: 0,
  });
});
