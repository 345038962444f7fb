/** Each recipe for a panel runs as the page has it: the supplier is created, respondents enter by its link, and come back where the page says. */
import { createHash, createHmac } from 'node:crypto';
import t from 'tap';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply, SupplierCreation } from '../../src/contract/supplier.js';
import { callerOf, open, openEntry, placeAt, returnUrl } from '../helpers/fielding.js';
import { blocksOf } from '../helpers/guide-blocks.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const receiver = await startReceiver(t);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const page = 'docs/how-to/use-panel-conventions.md';
const [studyBlock, ...blocks] = blocksOf(page);
const recipes = blocks.flatMap(({ language, code }, index) =>
  language === 'json' ? [{ supplier: code, shown: blocks[index + 1]?.code ?? '' }] : [],
);
const panel = 'https://panel.example.com';
const rid = 'r-1001';
/** Placeholders of panels, which they fill in. */
const macros = /\[%\w+%\]|\{\{\w+\}\}|\$\{\w+\}|%%\w+%%/;

interface Ends {
  readonly entry: string;
  readonly redirects: Readonly<Record<string, string>>;
  readonly postbacks: readonly string[];
}
/** Reads the lines of a block: the end, and its address. */
function endsOf(shown: string): Ends {
  const lines = shown
    .trim()
    .split('\n')
    .map((line) => /^(\w+) +(\S.*)$/.exec(line)?.slice(1) ?? []);
  const of = (name: string) => lines.flatMap(([end, address = '']) => (end === name ? [address] : []));
  return {
    entry: of('entry')[0] ?? '',
    postbacks: of('postback'),
    redirects: Object.fromEntries(lines.filter(([end]) => end !== 'entry' && end !== 'postback')) as Ends['redirects'],
  };
}

/** Computes the hash that the page describes in angle brackets, from its words and not by the service. */
function withHash(address: string, secret: string): string {
  const [, before = '', parameter = '', said = ''] = /^(.*?)(&\w+=)<(.*)>$/.exec(address) ?? [];
  const hmac = (algorithm: string, text: string): string =>
    createHmac(algorithm, secret).update(text).digest('base64url');
  const hashes: Readonly<Record<string, () => string>> = {
    'HMAC-SHA1 of the address with &': () => hmac('sha1', `${before}&`),
    'HMAC-SHA256 of the address': () => hmac('sha256', before),
    'SHA-1 of the address and the secret': () => createHash('sha1').update(`${before}${secret}`).digest('hex'),
  };
  if (said === '') return address;
  const hash = hashes[said];
  if (hash === undefined) throw new Error(`the page names an unknown hash: ${said}`);
  return before + parameter + hash();
}

/** A study with one place takes the same rid once for each end; the place is free until the complete. */
async function visitAll(supplier: CreatedSupplierReply, entry: string) {
  const asked = JSON.parse((studyBlock?.code ?? '').replace('<supplierId>', supplier.supplierId)) as {
    readonly audience: object;
  };
  const redirects: Record<string, string | null> = {};
  for (const [status, end] of [
    ...([['terminate', 'screened_out'], ['quality', 'quality'], ['complete', 'complete']] as const),
  ]) {
    const study = await launch({ ...asked, survey: { minimumSeconds: 0 } });
    redirects[end] = await finish(study, entry, status);
    if (end === 'complete') {
      const full = await launch({ ...asked, audience: { ...asked.audience, sample_size: 1 } });
      await openEntry(entryOf(full, entry, 'first'));
      redirects['full'] = (await openEntry(entryOf(full, entry, rid))).location;
    }
  }
  return redirects;
}

async function launch(asked: object): Promise<CreatedStudyReply> {
  const made = await call('POST', '/studies', asked);
  if (made.status !== 201) throw new Error(made.text);
  const study = made.body as CreatedStudyReply;
  await call('POST', `/studies/${study.studyId}/launch`);
  return study;
}

/** The panel fills in the id; browsers escape the rest. */
const entryOf = ({ entryUrl }: CreatedStudyReply, entry: string, id: string): string =>
  new URL(entry.replace('{entryUrl}', entryUrl).replace(macros, id)).href;

async function finish(study: CreatedStudyReply, entry: string, status: string): Promise<string | null> {
  const { location } = await openEntry(entryOf(study, entry, rid));
  const body = { place: placeAt(location), status };
  const returned = await call('POST', `/studies/${study.studyId}/returns`, body, study.surveyKey);
  if (returned.status !== 200) throw new Error(returned.text);
  return (await open(returnUrl(location, status))).location;
}

for (const { supplier: code, shown } of recipes) {
  const recipe = JSON.parse(code) as SupplierCreation;
  t.test(`${recipe.name}: respondents come back where the page says`, async (t) => {
    const { entry, redirects, postbacks } = endsOf(shown);
    t.match(entry, macros, 'the page shows the link of the panel');
    const { postbackUrl } = recipe;
    const made = await call('POST', '/suppliers', {
      ...recipe,
      ...(postbackUrl !== undefined && { postbackUrl: postbackUrl.replace(panel, receiver.url) }),
    });
    t.equal(made.status, 201, made.text);
    const supplier = made.body as CreatedSupplierReply;
    const visited = await visitAll(supplier, entry);
    t.ok(Object.keys(redirects).length > 0);
    for (const [end, address] of Object.entries(redirects))
      t.equal(visited[end], withHash(address, supplier.entrySecret), end);
    const ends = Object.keys({ ...recipe.redirects }).filter((end) => redirects[end] === undefined);
    t.same(ends, [], 'the page shows each redirect that it sets');
    const expected = postbacks.map((address) => address.replace(panel, ''));
    const posted = () => receiver.received.map(({ path }) => path).filter((path) => path.includes(rid));
    await waitUntil(() => expected.every((path) => posted().includes(path)), 'the postbacks arrived');
    if (expected.length > 0) t.same([...posted()].sort(), [...expected].sort(), 'and no other');
  });
}

t.test('the page has a recipe of each kind, and a link for each way to write a placeholder', (t) => {
  t.equal(recipes.length, 6);
  const links = recipes.map(({ shown }) => endsOf(shown).entry);
  for (const form of ['[%', '{{', '${', '%%']) t.ok(links.some((link) => link.includes(form)), form);
  t.end();
});
