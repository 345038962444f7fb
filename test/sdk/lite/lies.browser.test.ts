import { testInBrowser } from '../../helpers/lite-page.js';

testInBrowser('an untouched browser, and a page that wraps what pages wrap, show no lies', async (t, browser) => {
  const wraps =
    'for (const name of ["addEventListener", "removeEventListener"]) { const native = EventTarget.prototype[name]; EventTarget.prototype[name] = function (...values) { return native.apply(this, values) } }' +
    'window.fetch = new Proxy(fetch, {}); console.debug = () => {}; history.pushState = new Proxy(history.pushState, {}); Navigator.prototype.sendBeacon = new Proxy(navigator.sendBeacon, {});';
  const { waitForLoad } = await browser.open({ html: `<script>${wraps}</script>` });
  const { body } = await waitForLoad();
  t.strictSame(body.lies, []);
});

testInBrowser(
  'proxies, replaced getters and properties of the instance are named, and stay as they were',
  async (t, browser) => {
    const patches = `
    const wrap = (object, name, key) => {
      const descriptor = Object.getOwnPropertyDescriptor(object, name);
      Object.defineProperty(object, name, { ...descriptor, [key]: new Proxy(descriptor[key], {}) });
    };
    wrap(Navigator.prototype, 'userAgent', 'get');
    wrap(Permissions.prototype, 'query', 'value');
    wrap(Function.prototype, 'toString', 'value');
    Object.defineProperty(Screen.prototype, 'width', { get: () => 1000, configurable: true });
    Object.defineProperty(Screen.prototype, 'height', { get: function () { return 700 } });
    Object.defineProperty(navigator, 'platform', { get: () => 'Win32' });`;
    const { page, waitForLoad } = await browser.open({ html: `<script>${patches}</script>` });
    const { body } = await waitForLoad();
    const lies = body.lies ?? [];
    for (const lie of [
      'proxy.userAgent',
      'proxy.query',
      'proxy.toString',
      'proxy.width',
      'proxy.height',
      'own.platform',
    ])
      t.ok(lies.includes(lie), lie);
    t.equal(await page.evaluate('Object.getPrototypeOf(Permissions.prototype.query) === Function.prototype'), true);
    t.equal(
      await page.evaluate(
        'navigator.userAgent === String(navigator.userAgent) && document.querySelector("iframe") === null',
      ),
      true,
    );
  },
);

testInBrowser(
  'what was changed in the page alone disagrees with a fresh frame and with a worker',
  async (t, browser) => {
    const patch =
      "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 64 }); Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => undefined });";
    const { waitForLoad } = await browser.open({ html: `<script>${patch}</script>` });
    const { body } = await waitForLoad();
    const lies = body.lies ?? [];
    for (const lie of ['frame.hardwareConcurrency', 'worker.hardwareConcurrency', 'frame.webdriver'])
      t.ok(lies.includes(lie), lie);
  },
);
