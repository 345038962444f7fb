import t from 'tap';
import type { CreatedLinkReply } from '../../src/contract/hosted-link.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';

const service = await startTestService(t);
const { siteUrl, projectId, organizationKey } = service.bootstrap;
const links = `/projects/${projectId}/links`;
const organization = { 'x-api-key': organizationKey };

async function makeLink(body: Readonly<Record<string, unknown>>): Promise<CreatedLinkReply> {
  const answer = await service.call('POST', links, { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const visit = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(siteUrl + path, { headers, redirect: 'manual' });

t.test('the page is strict, speaks the respondent’s language and wears the project’s branding', async (t) => {
  const branding = { companyName: 'Acme <Research>', primaryColor: '#ffcc00', backgroundColor: '#102030' };
  t.match(await service.call('PATCH', `/projects/${projectId}`, { body: { branding }, headers: organization }), {
    status: 200,
  });
  const { linkId } = await makeLink({ metadata: { secretCell: 'not for respondents' }, respondentId: 'r-secret' });
  const page = await visit(`/v/${linkId}`, { 'accept-language': 'xx, de-AT;q=0.8, en;q=0.5' });
  const html = await page.text();
  t.match(html, /<html lang="de" dir="ltr">/);
  t.match(html, /Acme &lt;Research&gt;/);
  t.notMatch(html, /r-secret|not for respondents|<script>|<style|style=|\son\w+=/);
  const policy = page.headers.get('content-security-policy') ?? '';
  for (const directive of [
    "default-src 'none'",
    "connect-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "frame-ancestors 'none'",
  ])
    t.ok(policy.split('; ').includes(directive), directive);
  t.notMatch(policy, /unsafe-inline|'unsafe-eval'/);
  t.match(await (await visit(`/v/${linkId}?lang=ar`)).text(), /<html lang="ar" dir="rtl">/);
  const sheet = await visit(`/v/${linkId}/brand.css`);
  t.match(await sheet.text(), /--accent: #ffcc00; --on-accent: #000000; --back: #102030; --text: #ffffff/);
  for (const file of ['page.css', 'hosted.js']) t.equal((await visit(`/v/assets/${file}`)).status, 200, file);
  for (const path of ['/v/nothing', `/v/link_${'f'.repeat(32)}`, '/v/%3Cscript%3E']) {
    const answer = await visit(path);
    t.equal(answer.status, 404, path);
    t.match(await answer.text(), /<!doctype html>/, 'a page for people, whatever was asked for');
  }
});

t.test('a respondent whom a limit of score mode stops is sent back as failed', async (t) => {
  const score = { verificationMode: 'score', scoreModeConfig: { blockAboveRisk: 0 } };
  await service.call('PATCH', `/projects/${projectId}`, { body: score, headers: organization });
  const { linkId } = await makeLink({});
  const verified = (await verify(service, await createSession(service, { linkId }))).body;
  t.equal(verified.status, 'pass');
  const answer = await fetch(`${siteUrl}/v/${linkId}/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: verified.verificationToken }),
  });
  t.match(await answer.json(), { status: 'fail' });
});

t.test('what was made for a respondent is erased with them', async (t) => {
  const { linkId } = await makeLink({ respondentId: 'r-erased' });
  t.match(await service.call('DELETE', `/projects/${projectId}/respondents/r-erased`, { headers: organization }), {
    status: 200,
  });
  t.match(await service.call('GET', `${links}/${linkId}`), { status: 404 });
});
