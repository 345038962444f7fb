import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { issueConsoleToken } from '../../src/administration/console-tokens.js';
import type { FreshnessReply } from '../../src/contract/freshness.js';
import { leastIdAt } from '../../src/crypto/ids.js';
import { namespaceOf } from '../../src/stores/counters/namespace.js';
import { openRedisCounters } from '../../src/stores/counters/redis/open.js';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { findBarriers } from '../helpers/console-page.js';
import { realStoreSettings, type RealStoreSettings } from '../helpers/real-service.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { findStack, startOwnStack } from '../helpers/stores.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);
const stack = findStack(t, 'the console without PostgreSQL');

/** A page of a browser that is signed in. */
async function signIn(
  t: Pick<Test, 'teardown'>,
  { bootstrap: { siteUrl, organizationId } }: TestService,
  { VH_MASTER_KEY: key }: RealStoreSettings,
): Promise<Page> {
  const person = { organizationId, role: 'owner', subject: 'ada' } as const;
  const value = await issueConsoleToken(Buffer.from(key, 'base64'), 'session', person);
  const browser = await launchForPages();
  t.teardown(() => browser.close());
  await browser.context.addCookies([{ name: 'vh_console', value, url: `${siteUrl}/console` }]);
  return browser.context.newPage();
}

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
      const { siteUrl, projectId } = service.bootstrap;
      const scored = { sessionId: 'before', clientIp: '8.8.4.4', sourceId: 'panel-a' };
      t.match(await service.call('POST', '/lite/score', { body: scored }), { status: 200 });
      await waitUntil(
        async () =>
          ((await service.call('GET', '/lite/sessions')).body as { sessions: unknown[] }).sessions.length === 1,
        'the session is listed',
      );
      const page = await signIn(t, service, settings);
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

  t.test(
    'a rebuild of counters, and data that is late without Kafka, are named until they are over',
    { skip },
    async (t) => {
      const kafka = await startOwnStack(t, ['kafka']);
      const settings = await realStoreSettings(t, stack, { kafkaBrokers: kafka.kafkaBrokers });
      const service = await startTestService(t, { ...settings, VH_CONSUMER_TAKEOVER_MS: '3000' });
      const { siteUrl, projectId } = service.bootstrap;
      const page = await signIn(t, service, settings);
      await page.goto(`${siteUrl}/console/${projectId}/sessions`);
      await page.getByRole('heading', { name: 'No session was scored yet' }).waitFor();
      await waitUntil(
        async () =>
          ((await service.call('GET', '/lite/freshness')).body as FreshnessReply).completeUntil.scores !== null,
        'the data is complete',
      );
      const counters = await openRedisCounters({ url: settings.REDIS_URL, deadlineMs: 2_000 });
      t.teardown(() => counters.close());
      const namespace = namespaceOf(service.bootstrap);
      await counters.claimRebuild(namespace, 'elsewhere', false);
      await counters.noteRebuilt(namespace, 'elsewhere', leastIdAt('receipt', Date.now() - 3.5 * 86_400_000));
      await page.goto(`${siteUrl}/console/${projectId}/overview`);
      const rebuild = page.getByText('Counters are being rebuilt: 50% done.');
      await rebuild.waitFor();
      await counters.markComplete(namespace, 'elsewhere');
      await page.getByRole('button', { name: 'Refresh' }).click();
      await rebuild.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Sessions', exact: true }).click();

      const notice = page.getByText('Recent scores are still arriving.');
      t.equal(await notice.count(), 0);

      await kafka.command('pause');
      const scored = { sessionId: 'spooled', clientIp: '8.8.4.4' };
      t.match(await service.call('POST', '/lite/score', { body: scored }), { status: 200 });
      await notice.waitFor({ timeout: 90_000 });
      t.match(await notice.textContent(), /Those of the last \d+ (seconds|minutes?) may be missing here\./);
      t.same(await findBarriers(page), []);
      await page.getByRole('link', { name: 'Studies', exact: true }).click();
      await notice.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.getByText('Recent scores, verifications and webhook deliveries are still arriving.').waitFor();

      await kafka.command('resume');
      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      await notice.waitFor({ state: 'detached', timeout: 90_000 });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('link', { name: 'spooled' }).waitFor();
    },
  );
}
