import type { Page } from 'playwright-core';
import t from 'tap';
import { english } from '../../../sdk/widget/ui/locale.js';
import { hasChromium, launchForPages } from '../../helpers/browser.js';
import { openGallery } from '../../helpers/gallery.js';
import { pollUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

/** Waits by asking from outside: within the page, its policy forbids what playwright would do. */
const until = (page: Page, condition: string) =>
  pollUntil(condition, async () => ((await page.evaluate(condition)) === true ? true : undefined), 10_000);

/** The text or name of what has focus, inside the interface. */
const focused = `(() => { const part = document.activeElement?.shadowRoot?.activeElement;
  return part ? part.getAttribute('aria-label') ?? part.textContent : null })()`;

t.test('what a respondent does', { skip, timeout: 280_000 }, async (t) => {
  const browser = await launchForPages();
  t.teardown(() => browser.close());
  const open = async (html = '') => {
    const gallery = await openGallery(browser.context, html);
    t.teardown(gallery.close);
    return gallery;
  };

  await t.test('the box is ticked by keyboard, and stays where it was', async (t) => {
    const { page, show, answers } = await open();
    await show(['checkbox']);
    t.equal(await page.evaluate(focused), null, 'it takes no focus by itself');
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(focused), "I'm human");
    await page.keyboard.press('Space');
    await until(page, 'gallery.answers.length === 1');
    t.strictSame(await answers(), [{ trusted: true }]);
    await page.evaluate("gallery.open(document.querySelector('[data-screen]')).showProgress('checking')");
    const box = page.getByRole('checkbox');
    t.equal(await box.getAttribute('aria-disabled'), 'true');
    t.equal(await page.evaluate(focused), 'Just a moment…', 'focus stays on it');
    await page.keyboard.press('Space');
    t.equal((await answers()).length, 1, 'a second press does nothing');
    await page.evaluate(
      "void gallery.open(document.querySelector('[data-screen]')).showOutcome({ status: 'pass', code: null, canRetry: false })",
    );
    t.equal(await box.getAttribute('aria-checked'), 'true');
    t.equal(await page.getByRole('status').first().textContent(), 'Thank you, all done', 'and it is said');
  });

  await t.test('a start that no person made says so', async (t) => {
    const { page, show, answers } = await open();
    await show(['start']);
    await page.evaluate("document.querySelector('[data-screen] > div').shadowRoot.querySelector('.main').click()");
    await until(page, 'gallery.answers.length === 1');
    t.strictSame(await answers(), [{ trusted: false }]);
  });

  for (const locale of ['en', 'ar'])
    await t.test(`the slider is moved by keys and by hand, and by a tap at its end (${locale})`, async (t) => {
      const { page, show, answers } = await open();
      await show(['slider'], { locale });
      const slider = page.getByRole('slider');
      await page.keyboard.press('Tab');
      await page.keyboard.press(locale === 'ar' ? 'ArrowLeft' : 'ArrowRight');
      t.equal(await slider.inputValue(), '10');
      t.strictSame(await answers(), []);
      await page.keyboard.press('End');
      t.strictSame(await answers(), [{ trusted: true }]);

      await show(['slider'], { locale });
      const box = (await slider.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const at = (share: number) => box.x + box.width * (locale === 'ar' ? 1 - share : share);
      const y = box.y + box.height / 2;
      await page.mouse.move(at(0.06), y);
      await page.mouse.down();
      await page.mouse.move(at(0.5), y, { steps: 4 });
      t.ok(Number(await slider.inputValue()) > 20);
      await page.mouse.up();
      t.equal(await slider.inputValue(), '0', 'let go half way, it goes back');
      await page.mouse.click(at(0.98), y);
      t.equal((await answers()).length, 2, 'a tap at the end is enough');
    });

  await t.test('standard mode is walked by keyboard alone; focus follows each screen', async (t) => {
    const { page, show } = await open('<button id="before">before</button>');
    await show(['start']);
    await page.evaluate(`(async () => {
      gallery.walk = [];
      const view = gallery.open(document.querySelector('[data-screen]'));
      await view.awaitStart();
      gallery.walk.push(await view.askConsent());
      const stage = view.openStage();
      stage.guide({ kind: 'challenge', type: 'smile', index: 0, total: 1, progress: 0, leftMs: 8000 });
      await new Promise((resolve) => stage.signal.addEventListener('abort', resolve));
      gallery.walk.push(stage.takeMoreTime(), stage.takeMoreTime(), stage.signal.reason);
      stage.close();
      gallery.walk.push(await view.askCameraAgain('busy'));
      view.showProgress('sending');
      gallery.walk.push(await view.showOutcome({ status: 'fail', code: 'LIVENESS_FAILED', canRetry: true }));
      await view.showOutcome({ status: 'pass', code: null, canRetry: false });
      gallery.walk.push('end');
    })(), undefined`);
    const tabTo = async (name: string) => {
      await page.keyboard.press('Tab');
      t.equal(await page.evaluate(focused), name);
      await page.keyboard.press('Enter');
    };
    await page.locator('#before').focus();
    await page.evaluate(focused);
    await tabTo('Start');
    t.equal(await page.evaluate(focused), 'May we use your camera?');
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(focused), 'Privacy policy');
    await tabTo('I agree, use my camera');
    t.equal(await page.evaluate(focused), 'Smile');
    await tabTo('More time');
    t.equal(await page.getByRole('status').first().textContent(), 'Smile', 'and is told again what to do');
    await tabTo('Continue without camera');
    t.equal(await page.evaluate(focused), 'Your camera is in use');
    await tabTo('Try again');
    t.equal(await page.evaluate(focused), "We couldn't verify you");
    await tabTo('Try again');
    t.equal(await page.evaluate(focused), 'Thank you!');
    t.strictSame(await page.evaluate('gallery.walk'), ['granted', true, false, 'without', 'again', 'retry', 'end']);
  });

  await t.test(
    'the question about the camera is modal beside captcha: Escape declines, focus comes back',
    async (t) => {
      const { page, show, answers } = await open('<button id="before">before</button><a href="/x">after</a>');
      await show(['captcha-consent']);
      t.equal(await page.evaluate(focused), 'May we use your camera?');
      const seen = new Set<unknown>();
      for (let press = 0; press < 6; press += 1) {
        await page.keyboard.press('Tab');
        seen.add(await page.evaluate('document.activeElement.id'));
      }
      t.notOk(seen.has('before'), 'Tab does not reach the page behind');
      await page.keyboard.press('Escape');
      await until(page, 'gallery.answers.length === 1');
      t.strictSame(await answers(), ['declined']);
      await page.evaluate("gallery.open(document.querySelector('[data-screen]')).showProgress('sending')");
      t.equal(
        await page.evaluate('document.querySelector("[data-screen] > div").shadowRoot.querySelector("dialog").open'),
        false,
      );
    },
  );

  await t.test('invisible mode draws nothing until it asks, and takes all away again', async (t) => {
    const { page, show, answers } = await open();
    await show(['progress'], { mode: 'invisible' });
    t.equal(await page.evaluate("document.querySelector('[data-screen]').getBoundingClientRect().height"), 0);
    await page.evaluate(
      "void gallery.open(document.querySelector('[data-screen]')).askConsent().then((answer) => gallery.answers.push(answer))",
    );
    await page.getByRole('button', { name: 'I agree, use my camera' }).click();
    t.strictSame(await answers(), ['granted']);
    t.equal(await page.getByRole('dialog').count(), 0);
    await page.evaluate("gallery.close(document.querySelector('[data-screen]'))");
    t.equal(await page.evaluate("document.querySelector('[data-screen]').childElementCount"), 0);
  });

  await t.test('hints wait until they last; instructions and the last seconds are said', async (t) => {
    const { page, show } = await open();
    await show(['loading']);
    await page.evaluate(`(() => {
      const stage = (gallery.stage = gallery.open(document.querySelector('[data-screen]')).openStage());
      gallery.told = [];
      const root = document.querySelector('[data-screen] > div').shadowRoot;
      new MutationObserver(() => gallery.told.push(root.querySelector('h2').textContent)).observe(root.querySelector('h2'), { childList: true });
      for (let round = 0; round < 40; round += 1) stage.guide({ kind: round % 2 ? 'no_face' : 'too_far' });
      stage.guide({ kind: 'challenge', type: 'nod', index: 0, total: 2, progress: 0, leftMs: 8000 });
    })()`);
    t.strictSame(await page.evaluate('gallery.told'), ['Nod your head'], 'nothing flickered');
    const status = page.getByRole('status').first();
    t.equal(await status.textContent(), 'Nod your head. Step 1 of 2');
    await page.evaluate(
      "gallery.stage.guide({ kind: 'challenge', type: 'nod', index: 0, total: 2, progress: 0, leftMs: 2900 })",
    );
    t.equal(await status.textContent(), 'Seconds left: 3');
    await page.evaluate("gallery.stage.guide({ kind: 'no_face' })");
    await until(page, "gallery.told.at(-1).startsWith('Move your face')");
  });

  await t.test('hostile branding and texts have no effect', async (t) => {
    const { page, show, complaints } = await open();
    const markup = '<img src=x onerror="seen.push(1)"><script>seen.push(2)</script>';
    const branding = {
      companyName: markup,
      primaryColor: 'red;background:url(https://evil.test/a)',
      backgroundColor: '#fff}*{display:none',
      fontFamily: 'x;} * { display: none } @import url(https://evil.test/b)',
      privacyUrl: 'javascript:seen.push(3)',
      supportEmail: 'a@b.test?subject=x&body=<script>',
      logoUrl: 'data:text/html,<script>seen.push(4)</script>',
    };
    const consent = {
      ...{ controller: markup, privacyUrl: branding.privacyUrl, comparedWith: 'group', reEligibilityDays: null },
      ...{ faceReuse: true, keptDays: 400, pictures: true, demographics: true },
    };
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await show(['checkbox', 'start', 'consent', 'pass'], {
      branding,
      consent,
      disclosure: { mode: 'CUSTOM', text: markup },
    });
    const read = (script: string): Promise<unknown[]> =>
      page.evaluate(`[...document.querySelectorAll('[data-screen] > div')].map(({ shadowRoot: root }) => (${script}))`);
    t.strictSame(await read("root.querySelectorAll('img, script, a').length"), [0, 0, 0, 0]);
    t.strictSame(await read("root.querySelector('.root').style.fontFamily"), ['', '', '', '']);
    t.equal(
      (await page.getByText(markup, { exact: true }).count()) >= 4,
      true,
      'names and texts are shown as they are',
    );
    t.strictSame(
      new Set(await read("getComputedStyle(root.querySelector('.card')).backgroundColor")),
      new Set(['rgb(255, 255, 255)']),
    );
    t.strictSame(asked, []);
    t.strictSame(await complaints(), []);
  });

  await t.test('each disclosure has words of its own, and the biometric consent stands under each', async (t) => {
    const { page, show } = await open();
    const { neutral, transparent } = english.texts;
    const custom = 'We check who answers';
    for (const [mode, said] of [
      ['NEUTRAL', neutral],
      ['TRANSPARENT', transparent],
      ['CUSTOM', custom],
    ] as const) {
      await show(['start', 'consent'], { locale: 'en', disclosure: { mode, text: mode === 'CUSTOM' ? custom : null } });
      for (const text of [neutral, transparent, custom])
        t.equal((await page.getByText(text, { exact: true }).count()) > 0, text === said, `${mode}: ${text}`);
      t.equal(await page.getByRole('heading', { name: 'May we use your camera?' }).count(), 1, mode);
    }
  });

  await t.test('the consent names the comparison with the faces of the last day if there is one', async (t) => {
    const { page, show } = await open();
    const consent = {
      ...{ controller: 'Panel Ltd', privacyUrl: null, comparedWith: 'own', reEligibilityDays: null },
      ...{ keptDays: 400, pictures: false, demographics: false },
    };
    const [, sentence = ''] = english.texts.reuseFound.split('{company}');
    t.match(sentence, '24 hours');
    for (const faceReuse of [true, false]) {
      await show(['consent'], { locale: 'en', consent: { ...consent, faceReuse } });
      t.equal(await page.getByText(sentence.trim()).count(), Number(faceReuse));
    }
  });

  await t.test('the theme follows the system where it is asked to', async (t) => {
    const { page, show } = await open();
    await page.emulateMedia({ colorScheme: 'dark' });
    await show(['start'], { theme: 'auto' });
    const ground =
      "getComputedStyle(document.querySelector('[data-screen] > div').shadowRoot.querySelector('.card')).backgroundColor";
    const dark = await page.evaluate(ground);
    await page.emulateMedia({ colorScheme: 'light' });
    await until(page, `${ground} !== ${JSON.stringify(dark)}`);
    t.equal(await page.evaluate(ground), 'rgb(255, 255, 255)');
  });
});
