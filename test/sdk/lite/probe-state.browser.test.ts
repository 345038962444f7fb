/** The field of docs/reference/probe.md reports why a probe is missing. */
import { readRepositoryFile } from '../../helpers/repository.js';
import { testInBrowser } from '../../helpers/lite-page.js';

const page = readRepositoryFile('docs/reference/probe.md');
const [field = ''] = page.match(/<input type="hidden" name="probeState"[^]*?<\/script>/) ?? [];
const read = "document.getElementById('probe-state').value";

testInBrowser('a form reports whether the probe was sent, blocked, or never loaded', async (t, browser) => {
  t.match(field, /value="no_javascript"/, 'a page without JavaScript keeps the first value');
  const sent = await browser.open({ html: field });
  await sent.waitForEvent();
  t.equal(await sent.page.evaluate(read), 'sent');
  for (const blocked of [{ probeStatus: 404 }, { headers: { 'content-security-policy': "connect-src 'none'" } }]) {
    const { page: opened, waitForEvent } = await browser.open({ html: field, ...blocked });
    await waitForEvent();
    t.equal(await opened.evaluate(read), 'not_sent', JSON.stringify(blocked));
  }
  const { page: opened } = await browser.open({
    html: field,
    headers: { 'content-security-policy': "script-src 'unsafe-inline'" },
  });
  t.equal(await opened.evaluate('typeof VHLite'), 'undefined', 'the policy blocks the script');
  t.equal(await opened.evaluate(read), 'not_loaded');
});
