/** The probe in Firefox, where it is installed. Nothing drives it, and nobody acts on the page. */
import t from 'tap';
import { hasFirefox, launchFirefox } from '../../helpers/firefox.js';
import { listContractErrors } from '../../helpers/lite-page.js';
import { bundle, defaultAttributes, scriptPath } from '../../helpers/probe-script.js';
import { joinMessages, listInputTells, listStaticTells } from '../../helpers/probe-findings.js';
import { startStaticSite } from '../../helpers/static-site.js';

const skip = hasFirefox() ? false : 'Firefox is not installed (FIREFOX_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(200_000);

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title><script>
  const complain = (text) => fetch('/note', { method: 'POST', body: JSON.stringify(String(text)) });
  addEventListener('error', ({ message }) => complain(message));
  addEventListener('unhandledrejection', ({ reason }) => complain(reason));
</script><input><script src="${scriptPath}" ${defaultAttributes}></script></html>`;

const preferences: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  'as it is': {},
  'that resists fingerprinting': { 'privacy.resistFingerprinting': true },
};

for (const [name, chosen] of Object.entries(preferences))
  void t.test(
    `Firefox ${name}: messages are as the contract says, and nothing in them speaks of a program`,
    { skip, timeout: 180_000 },
    async (t) => {
      const site = await startStaticSite({ files: { '/': page, [scriptPath]: bundle(), '/favicon.ico': '' } });
      t.teardown(() => site.close());
      const browser = launchFirefox(`${site.origin}/`, { preferences: chosen });
      t.teardown(() => browser.close());
      await site.waitForProbe(
        'a load message with the slow signals',
        ({ body }) => body.phase === 'load' && body.gfx?.canvas !== undefined,
        150_000,
      );
      for (const { body } of site.probes) t.strictSame(listContractErrors(body), []);
      const joined = joinMessages(site.probes.map(({ body }) => body));
      if (!joined) throw new Error('no load message came');
      t.strictSame([...listStaticTells(joined), ...listInputTells(joined)], []);
      t.match(joined.ua?.ua, /Firefox/);
      t.strictSame(site.notes, [], 'no error reached the page');
    },
  );
