/** The tutorials run as written, from a first start: each page in one shell, and every reply shown is the real one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exportLines } from '../../src/cli/shell-names.js';
import type { SessionReply } from '../../src/contract/session.js';
import { probeExample } from '../../src/scoring/examples.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { open, openEntry } from '../helpers/fielding.js';
import { blocksOf, inOneShell, patternOf, prepareProject, type Block } from '../helpers/guide-blocks.js';
import { freePort } from '../helpers/ports.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { envelopeFor, page } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(240_000);
const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const environment = Object.fromEntries(
  exportLines(service.bootstrap).map((line) => line.replace('export ', '').split('=') as [string, string]),
);

interface Page {
  readonly path: string;
  /** Variables that an earlier page has set. */
  readonly given?: Readonly<Record<string, string>>;
  /** Whether a reply shown is an invented one. */
  readonly isInvented?: boolean;
  /** Changes a block before it runs, or runs it in another way and answers null. */
  readonly adapt?: (block: Block, folder: string) => Promise<Block | null> | Block | null;
}

/** Runs the blocks of a page in one shell. */
async function follow(test: Test, { path, adapt = (block) => block, given = {}, isInvented = false }: Page): Promise<string[]> {
  const folder = temporaryDirectory(test);
  const run = inOneShell(await prepareProject(folder, { ...environment, ...given }), join(folder, 'state'));
  const outputs: string[] = [];
  for (const block of blocksOf(path)) {
    if (block.language === 'json' && !isInvented)
      test.match(JSON.parse(outputs.at(-1) ?? ''), patternOf(block), block.name);
    if (block.language !== 'sh' && block.language !== 'js') continue;
    // Commands of the service's own package, which the test service replaces.
    if (/^(?:npm |eval )/.test(block.code)) continue;
    const adapted = await adapt(block, folder);
    if (adapted !== null) outputs.push(await run(adapted));
  }
  return outputs;
}

t.test('first-score: score, probe, outcome and webhook', async (t) => {
  const receiver = await startReceiver(t);
  await follow(t, {
    path: 'docs/tutorials/first-score.md',
    async adapt(block) {
      if (block.code.includes('/lite/sessions/'))
        return { ...block, code: block.code.replace('curl ', 'curl --retry 5 --retry-all-errors ') };
      if (block.code.startsWith('cat > survey.html')) {
        // The reader's browser sends the probe.
        const body = { ...probeExample(service.bootstrap.probeKey), sessionId: 's-1002', seq: 0, phase: 'load' };
        const sent = await service.call('POST', '/public/lite/probe', { body, headers: { origin: 'null' } });
        t.equal(sent.status, 202);
      }
      return { ...block, code: block.code.replace('http://127.0.0.1:4000', receiver.url) };
    },
  });
  await waitUntil(() => receiver.received.length > 0, 'the test event arrives');
  t.match(JSON.parse(receiver.received[0]?.body ?? '{}'), { event: 'verification.completed', data: { status: 'pass' } });
});

t.test('verify-a-respondent: a session, its completion and its token', async (t) => {
  const port = String(await freePort());
  const outputs = await follow(t, {
    path: 'docs/tutorials/verify-a-respondent.md',
    adapt(block, folder) {
      const code = block.code.replaceAll('4001', port);
      if (block.language === 'js') {
        writeFileSync(join(folder, 'verify.mjs'), code);
        return null;
      }
      return code.startsWith('node verify.mjs &') ? startProgram(t, block, 'verify.mjs', folder) : { ...block, code };
    },
  });
  await takePartOnPage(t, `http://localhost:${port}`);
  const { url } = JSON.parse(outputs.at(-1) ?? '') as { readonly url: string };
  t.equal((await fetch(url)).status, 200, 'the hosted page opens');
});

t.test('first-study: a respondent of one supplier completes; the complete is exported, rejected and taken back', async (t) => {
  const port = String(await freePort());
  const outputs = await follow(t, {
    path: 'docs/tutorials/first-study.md',
    async adapt(block, folder) {
      const code = block.code.replaceAll('4000', port);
      if (block.language === 'js') {
        writeFileSync(join(folder, 'survey.mjs'), code);
        return null;
      }
      if (code.startsWith('node survey.mjs &')) return startProgram(t, block, 'survey.mjs', folder);
      if (code.includes('/invitations')) return { ...block, code: `${code.trim()} | tee link\n` };
      if (code.startsWith('get ') && code.includes('/respondents')) await takePart(t, readFileSync(join(folder, 'link'), 'utf8').trim(), port);
      return { ...block, code };
    },
  });
  const { studyId = '' } = JSON.parse(outputs.find((output) => output.startsWith('{"studyId"')) ?? '{}') as {
    studyId?: string;
  };
  const { respondents } = JSON.parse(outputs.find((output) => output.startsWith('{"respondents"')) ?? '{}') as {
    respondents: readonly { readonly sessionId: string }[];
  };
  const given = { STUDY_ID: studyId, PLACE: respondents[0]?.sessionId ?? '' };
  const [, , exported = ''] = await follow(t, {
    path: 'docs/how-to/export-a-study.md',
    given,
    isInvented: true,
  });
  t.match(JSON.parse(exported), { respondentId: 'r-1001', completion: 'confirmed' });
  await follow(t, { path: 'docs/how-to/reject-completes.md', given });
});

/** The block that starts a program of a tutorial in the background. */
function startProgram(test: Test, block: Block, file: string, folder: string): Block {
  test.teardown(() => process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8'))));
  return { ...block, code: `node ${file} > log 2>&1 &\necho $! > pid\nsleep 1\n` };
}

/** Opens the page of the tutorial and completes its session, as the widget does; its backend accepts the token of its respondent only. */
async function takePartOnPage(test: Test, url: string): Promise<void> {
  const shown = await fetch(`${url}/`);
  const [cookie = ''] = shown.headers.getSetCookie();
  const html = await shown.text();
  test.match(html, `siteKey: '${service.bootstrap.siteKey}:test'`);
  const session = JSON.parse(/session: (\{.*\}) \}\)/.exec(html)?.[1] ?? '') as SessionReply;
  const { body } = await service.call('POST', '/public/verify', {
    body: envelopeFor(session),
    headers: { ...page, 'x-client-secret': session.clientSecret },
  });
  const { verificationToken } = body as { readonly verificationToken: string };
  const verified = (token: string, respondent: string) =>
    fetch(`${url}/verified`, { method: 'POST', body: token, headers: { cookie: respondent } });
  test.equal((await verified(verificationToken, cookie)).status, 200);
  test.equal((await verified(verificationToken, 'respondent=other')).status, 403);
  test.equal((await verified('', cookie)).status, 403);
}

/** Opens the link as a browser does, to the panel at the end. */
async function takePart(test: Test, link: string, port: string): Promise<void> {
  let page = await openEntry(link);
  for (let steps = 0; page.location !== null && steps < 5; steps++) {
    const { location } = page;
    page = await open(location);
    if (page.location === null) test.equal(location, `http://localhost:${port}/panel?status=complete&rid=r-1001`);
  }
}
