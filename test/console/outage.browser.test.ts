import t from 'tap';
import { issueConsoleToken } from '../../src/administration/console-tokens.js';
import { hasChromium, launchDriven } from '../helpers/browser.js';
import { findBarriers } from '../helpers/console-page.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { startTestService } from '../helpers/service.js';
import { findStack } from '../helpers/stores.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);
const stack = findStack(t, 'the console without PostgreSQL');

if (stack !== null) {
  t.test(
    'without PostgreSQL the console stays, says what is missing, and reads again afterwards',
    { skip },
    async (t) => {
      const databaseUrl = new URL(stack.databaseUrl);
      const proxy = await startTcpProxy(t, Number(databaseUrl.port));
      databaseUrl.port = String(proxy.port);
      const settings = await realStoreSettings(t, stack, { databaseUrl: databaseUrl.href });
      const service = await startTestService(t, settings);
      const { siteUrl, projectId, organizationId } = service.bootstrap;
      const scored = { sessionId: 'before', clientIp: '8.8.4.4', sourceId: 'panel-a' };
      t.match(await service.call('POST', '/lite/score', { body: scored }), { status: 200 });
      await waitUntil(
        async () =>
          ((await service.call('GET', '/lite/sessions')).body as { sessions: unknown[] }).sessions.length === 1,
        'the session is listed',
      );
      const masterKey = Buffer.from(settings.VH_MASTER_KEY, 'base64');
      const person = { organizationId, role: 'owner', subject: 'ada' } as const;
      const browser = await launchDriven();
      t.teardown(() => browser.close());
      await browser.context.addCookies([
        { name: 'vh_console', value: await issueConsoleToken(masterKey, 'session', person), url: `${siteUrl}/console` },
      ]);
      const page = await browser.context.newPage();
      await page.goto(`${siteUrl}/console/${projectId}/sessions`);
      await page.getByRole('link', { name: 'before' }).waitFor();

      await proxy.refuse();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('This page shows older data.').waitFor();
      t.equal(await page.getByRole('link', { name: 'before' }).count(), 1, 'what was read stays');
      // A page that is opened now has nothing to show but that.
      await page.goto(`${siteUrl}/console/${projectId}/overview`);
      await page.getByText(/The sessions by day could not be read\./).waitFor();
      await page.getByText(/The webhooks could not be read\./).waitFor();
      t.same(await findBarriers(page), []);

      await proxy.restore();
      await waitUntil(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        await page.getByText('Loading what needs attention').waitFor({ state: 'detached' });
        return (await page.getByText('could not be read').count()) === 0;
      }, 'everything is read again');
      await page.getByText('Today (UTC)').waitFor();
    },
  );
}
