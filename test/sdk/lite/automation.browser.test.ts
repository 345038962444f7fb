import { testInBrowser } from '../../helpers/lite-page.js';

testInBrowser('globals and attributes that automation tools leave behind are named', async (t, browser) => {
  const left = [
    'cdc_adoQpoasnfa76pfcZLmcfl_Array',
    '__webdriver_evaluate',
    '_Selenium_IDE_Recorder',
    'callPhantom',
    '__playwright__binding__',
    '__pwInitScripts',
    'domAutomationController',
  ];
  const html = `<script>for (const name of ${JSON.stringify(left)}) window[name] = 1; document.$cdc_asdjflasutopfhvcZLmcfl_ = 1; document.documentElement.setAttribute('webdriver', 'true')</script>`;
  const { waitForLoad } = await browser.open({ html });
  const { body } = await waitForLoad();
  t.strictSame(body.auto?.globals?.sort(), [...left, '$cdc_asdjflasutopfhvcZLmcfl_', 'webdriver'].sort());
});

testInBrowser('players, product tours, wallets and the like are not taken for automation', async (t, browser) => {
  const honest = [
    'player',
    'playVideo',
    'driver',
    'Driver',
    'phantom',
    'browserUserAgent',
    'emit',
    'geb',
    'pw',
    'Buffer',
  ];
  const { waitForLoad } = await browser.open({
    html: `<script>for (const name of ${JSON.stringify(honest)}) window[name] = 1</script>`,
  });
  const { body } = await waitForLoad();
  t.strictSame(body.auto?.globals, []);
});

testInBrowser(
  'a driver that listens on the debugging protocol leaves both traces, even where the page silenced its console',
  async (t, browser) => {
    const { waitForLoad } = await browser.open({
      html: '<script>for (const name in console) console[name] = () => {}</script>',
    });
    const { body } = await waitForLoad();
    t.match(body.auto, { webdriver: true, debugStack: true, debugGetter: true });
  },
);
