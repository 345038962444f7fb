import t, { type Test } from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { hasChromium, hasDisplayTools } from '../helpers/browser.js';
import { startProbeTap } from '../helpers/probe-tap.js';
import { readRepositoryFile } from '../helpers/repository.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { setUps } from '../helpers/set-ups.js';
import { startStaticSite, type StaticSite } from '../helpers/static-site.js';
import { pollUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const skip =
  hasChromium() && hasDisplayTools()
    ? false
    : 'Chromium, Xvfb or xdotool is not installed: see deploy/system-packages.txt';

/** Lets a set-up visit a survey on an origin of its own that loads the probe from the service, then scores the visit as a backend would. */
async function scoreVisit(t: Test, service: TestService, setUpName: string): Promise<ScoreReply> {
  const tap = await startProbeTap(service.bootstrap.siteUrl);
  const sessionId = `visit ${setUpName}`;
  const page = readRepositoryFile('test/sdk/pages/survey.html').replace(
    /<script src="[^"]*"[^>]*>/,
    `<script src="${tap.origin}/sdk/lite/v1/vh-lite.iife.js" data-project-key="${service.bootstrap.probeKey}" data-session-id="${sessionId}">`,
  );
  const survey = await startStaticSite({ files: { '/': page } });
  t.teardown(() => Promise.all([tap.close(), survey.close()]));
  const site: StaticSite = {
    ...survey,
    probes: tap.probes,
    waitForProbe: (what, isMet, timeoutMs) => pollUntil(what, () => tap.probes.find(isMet), timeoutMs),
  };
  await setUps.find(({ name }) => name === setUpName)?.run(site);

  const userAgent = tap.probes[0]?.headers['user-agent'];
  const answer = await service.call('POST', '/lite/score', {
    body: { sessionId, clientIp: '8.8.8.8', userAgent, studyId: 'visit', respondentId: `visitor ${setUpName}` },
  });
  t.equal(answer.status, 200);
  const reply = answer.body as ScoreReply;
  t.comment(
    JSON.stringify({
      setUpName,
      score: reply.score,
      categories: reply.categories,
      against: reply.evidence.against.map(({ code }) => code),
    }),
  );
  return reply;
}

void t.test('a page on another origin', { skip, timeout: 150_000 }, async (t) => {
  const service = await startTestService(t);

  await t.test('a person-like visit is measured and scored low', async (t) => {
    const reply = await scoreVisit(t, service, 'xdotool, like a person (seed 7)');
    t.notOk(reply.degradedSignals.includes('client_probe_missing'));
    t.match(reply, { recommendation: 'allow', verdictClass: 'human' });
    t.ok(reply.score < 40);
  });

  await t.test('stock headless automation is scored higher, with findings that say why', async (t) => {
    const reply = await scoreVisit(t, service, 'playwright, headless');
    t.notOk(reply.degradedSignals.includes('client_probe_missing'));
    t.ok(reply.score >= 40);
    t.not(reply.recommendation, 'allow');
    t.ok(reply.categories.device > 0);
    t.ok(reply.evidence.against.length > 0);
    t.ok(reply.evidence.against.every(({ detail }) => detail.length > 20));
  });
});
