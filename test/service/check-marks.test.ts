/** The mark of a link whose page was shown: it skips no check for whoever copies it, and none when it is loaded again. */
import t from 'tap';
import { callerOf, creation, desktopAgent, fieldStudy, open, startSurvey, titles } from '../helpers/fielding.js';
import { keepCookies, nextOf, sendEntryProbe } from '../helpers/entry-probe.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(60_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, projectKey } = service.bootstrap;
const survey = await startSurvey(t, () => null);
const study = await fieldStudy(callerOf(audienceUrl, projectKey), creation(survey.url));
const linkOf = (rid: string): string => `${study.entryUrl}?rid=${rid}&src=s`;

t.test('a mark that was copied or made up is checked, and stands once in the next address', async (t) => {
  const link = linkOf('copied');
  for (const mark of ['1', '0', String(Math.floor(Date.now() / 1_000)), 'x', '']) {
    const cookie = `vh_device=${'1a'.repeat(16)}`;
    const page = await open(`${link}&vh_checked=${mark}`, { cookie });
    t.equal(page.title, titles.checking, mark);
    const { searchParams } = new URL(nextOf(page.html) ?? '', link);
    t.same(searchParams.getAll('vh_checked').length, 1);
    t.not(searchParams.get('vh_checked'), '1');
    t.same([searchParams.get('rid'), searchParams.get('src')], ['copied', 's']);
  }
  t.equal((await open(`${link}&vh_checked=1`)).title, titles.checking, 'an old one, in a new browser');
});

t.test('a page that could not check is checked again when it is loaded again, and leads on then', async (t) => {
  const link = linkOf('reload');
  const first = await open(link);
  const [cookie, next] = [keepCookies(first.headers), new URL(nextOf(first.html) ?? '', link).href];
  const unchecked = await open(next, { cookie });
  t.equal(unchecked.title, titles.unchecked);
  t.match(unchecked.headers.getSetCookie(), [/^vh_check_\d+=; .*Max-Age=0/]);
  const device = {
    cookie: cookie
      .split('; ')
      .filter((one) => one.startsWith('vh_device'))
      .join('; '),
  };
  const again = await open(next, device);
  t.equal(again.title, titles.checking);
  await sendEntryProbe(again.html, { agent: desktopAgent, seed: 'reload' });
  const onward = await open(new URL(nextOf(again.html) ?? '', link).href, {
    cookie: keepCookies(again.headers, device.cookie),
  });
  t.ok(onward.location?.startsWith(survey.url));
});
