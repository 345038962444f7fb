/** The blocks of the pages for suppliers and surveys run as written, and what they sign and verify is what the service signs and verifies. */
import t from 'tap';
import { callerOf, open, openEntry, placeAt } from '../helpers/fielding.js';
import { blocksOf, prepareProject } from '../helpers/guide-blocks.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, baseUrl, organizationKey, projectId } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const run = await prepareProject(temporaryDirectory(t), { AUDIENCE: audienceUrl, ORGANIZATION_KEY: organizationKey });
const pages = ['connect-suppliers', 'report-returns', 'take-respondents-back'] as const;
const blocks = pages
  .flatMap((page) => blocksOf(`docs/how-to/${page}.md`))
  .filter(({ language }) => language === 'sh' || language === 'js');
const block = async (nth: number, environment: Readonly<Record<string, string>> = {}): Promise<string> => {
  const found = blocks[nth - 1];
  if (found === undefined) throw new Error(`the pages have no block ${nth}`);
  return run(found, environment);
};
const [entrySecret = '', surveyKey = '', entryUrl = '', invited = ''] = (await block(1)).split('\n');
const studyId = entryUrl.split('/').at(-1) ?? '';
const link = await block(2, { ENTRY_URL: entryUrl, STUDY_ID: studyId, ENTRY_SECRET: entrySecret });

t.test('every block of the pages is tried here', (t) => {
  t.same(
    blocks.map(({ language }) => language),
    ['sh', 'js', 'sh', 'js', 'js', 'js'],
  );
  t.end();
});

t.test('an invitation and a link signed as the page does it open the study', async (t) => {
  for (const url of [invited, link]) {
    const checked = await call('POST', '/supply/links', { url });
    t.match(checked.body, { ok: true, entry: 'signed', signedWith: 'current', problems: [] });
    t.same(JSON.parse(await block(3, { LINK: url })), checked.body);
  }
  const wrong = await call('POST', '/supply/links', { url: link.replace('age=34', 'age=35') });
  t.match(wrong.body, { ok: false, problems: [{ code: 'signature_wrong' }] });
});

t.test('a return signed as the page does it is the survey’s word; the redirect proves itself as the page checks it', async (t) => {
  const { location } = await openEntry(link);
  const parameters = new URL(location ?? '').searchParams;
  const given = { API: baseUrl, PROJECT_ID: projectId, TOKEN: parameters.get('vh_token') ?? '' };
  t.equal(await block(4, { ...given, STUDY_ID: studyId }), `${placeAt(location)} r-1002 north`);
  await t.rejects(block(4, { ...given, STUDY_ID: 'study_other' }));
  const signed = await block(5, {
    ...{ STUDY_ID: studyId, SURVEY_KEY: surveyKey },
    RETURN_URL: parameters.get('vh_return') ?? '',
    TOKEN: parameters.get('vh_token') ?? '',
  });
  t.match(await open(signed), { title: 'Vielen Dank', location: null }, 'sooner than minimumSeconds does not count');
  const place = placeAt(location);
  const insisted = await call('POST', `/studies/${studyId}/returns`, {
    ...{ place, status: 'complete', ignoreMinimumSeconds: true },
  });
  t.match(insisted.body, { completion: 'confirmed' });
  const { location: redirect } = await open(signed);
  t.match(redirect, `https://panel.example.com/end?s=1&rid=r-1002&study=${studyId}&place=${place}&status=complete&sig=`);
  const check = (address: string) => block(6, { ENTRY_SECRET: entrySecret, REDIRECT: address });
  t.equal(await check(redirect ?? ''), 'true');
  t.equal(await check((redirect ?? '').replace('r-1002', 'r-1003')), 'false');
});
