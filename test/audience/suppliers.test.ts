/** The pure rules of suppliers: signatures, addresses with placeholders, merges. */
import { createHash, createHmac } from 'node:crypto';
import t from 'tap';
import { entryLines, exitLines, returnLines, sign, signerOf, textOf } from '../../src/audience/signatures.js';
import { fillPlaceholders } from '../../src/net/web-address.js';
import { addressHashes } from '../../src/contract/supplier.js';
import {
  changedSettings,
  fillRedirect,
  placeholderValues,
  findSupplierIssues,
  redirectOf,
  templateProblem,
} from '../../src/audience/supplier-rules.js';

const link = { studyId: 'study_1', rid: 'r-1', src: 'panel', exp: '1790000000' };
const secrets = { current: 'a'.repeat(64), previous: 'b'.repeat(64) };
const exit = { studyId: 'study_1', placeId: 'plc_1', rid: 'r&1?', status: 'complete', entry: 'signed' } as const;

t.test('a signature covers the documented lines, an absent trait as an empty one', (t) => {
  t.equal(textOf(entryLines(link)), 'vh-entry-1\nstudy_1\nr-1\npanel\n1790000000\n\n\n\n');
  const full = { ...link, country: 'DE', age: '33', gender: 'female', profession: 'nurse' };
  t.equal(textOf(entryLines(full)), 'vh-entry-1\nstudy_1\nr-1\npanel\n1790000000\nDE\n33\nfemale\nnurse');
  t.equal(textOf(returnLines('study_1', 'plc_1', 'complete', '1790')), 'vh-return-1\nstudy_1\nplc_1\ncomplete\n1790');
  const end = { studyId: 'study_1', placeId: 'plc_1', rid: 'r-1', status: 'full' };
  t.equal(textOf(exitLines({ ...end, entry: 'signed' })), 'vh-exit-1\nstudy_1\nplc_1\nr-1\nfull');
  t.equal(textOf(exitLines({ ...end, entry: 'open' })), 'vh-exit-open-1\nstudy_1\nplc_1\nr-1\nfull');
  const byHand = createHmac('sha256', secrets.current)
    .update(textOf(entryLines(full)))
    .digest('base64url');
  t.equal(sign(secrets.current, entryLines(full)), byHand);
  t.end();
});

t.test('a signature names the secret that made it, and anything else is none', (t) => {
  const lines = entryLines(link);
  t.equal(signerOf(secrets, lines, sign(secrets.current, lines)), 'current');
  t.equal(signerOf(secrets, lines, sign(secrets.previous, lines)), 'previous');
  t.equal(signerOf({ ...secrets, previous: null }, lines, sign(secrets.previous, lines)), null);
  for (const [name, value] of Object.entries({ studyId: 'study_2', rid: 'r-2', src: 'other', exp: '1', country: 'DE' }))
    t.equal(signerOf(secrets, entryLines({ ...link, [name]: value }), sign(secrets.current, lines)), null, name);
  for (const signature of ['', 'x', sign(secrets.current, lines).slice(1), sign('c'.repeat(64), lines)])
    t.equal(signerOf(secrets, lines, signature), null, signature);
  t.end();
});

t.test('placeholders are escaped where they stand, and only known ones are taken', (t) => {
  const values = placeholderValues(exit, secrets.current);
  const signature = values.sig;
  t.equal(signature, sign(secrets.current, exitLines(exit)));
  t.equal(
    fillPlaceholders('https://panel.example/e?i={rid}&s={status}&p={place}&y={study}&h={sig}', values),
    `https://panel.example/e?i=r%261%3F&s=complete&p=plc_1&y=study_1&h=${signature}`,
  );
  t.match(
    templateProblem('https://panel.example/{id}', () => null),
    /unknown placeholder \{id\}/,
  );
  t.match(
    templateProblem('https://{rid}.example/', () => null),
    /host/,
  );
  t.equal(
    templateProblem('https://panel.example/{rid}', () => null),
    null,
  );
  t.same(
    findSupplierIssues(
      { redirects: { complete: 'ftp://x', full: 'https://panel.example/{rid}' }, postbackUrl: 'https://10.0.0.1/' },
      'production',
      () => 'must be public.',
    ).map(({ path }) => path),
    ['/redirects/complete', '/postbackUrl'],
  );
  t.end();
});

t.test('a hash at the end covers the address before it, and stands nowhere else', (t) => {
  const secret = secrets.current;
  const filled = (end: string): string => fillRedirect(`https://panel.example/e?i={rid}${end}`, exit, secret);
  const before = 'https://panel.example/e?i=r%261%3F';
  const hmac = (algorithm: string, text: string): string =>
    createHmac(algorithm, secret).update(text).digest('base64url');
  t.equal(filled('&h={hmac_sha1}'), `${before}&h=${hmac('sha1', before)}`);
  t.equal(filled('&h={hmac_sha256}'), `${before}&h=${hmac('sha256', before)}`);
  t.equal(filled('&h={hmac_sha1_amp}'), `${before}&h=${hmac('sha1', `${before}&`)}`);
  t.equal(filled('&h={hmac_sha256_amp}'), `${before}&h=${hmac('sha256', `${before}&`)}`);
  t.equal(
    filled('&h={sha1}'),
    `${before}&h=${createHash('sha1').update(`${before}${secret}`).digest('hex')}`,
    'the secret follows the address',
  );
  const asked = fillRedirect('https://Panel.example:443?i={rid}&h={hmac_sha1}', { ...exit, rid: "o'brien" }, secret);
  const normal = 'https://panel.example/?i=o%27brien';
  t.equal(asked, `${normal}&h=${hmac('sha1', normal)}`, 'the address as a browser asks for it');
  const sly = { ...exit, rid: '&h={sha1}' };
  t.equal(fillRedirect('https://panel.example/e?i={rid}', sly, secret), 'https://panel.example/e?i=%26h%3D%7Bsha1%7D');
  const problem = (address: string, postbackUrl: string | null = null) =>
    findSupplierIssues({ redirects: { complete: address }, postbackUrl }, 'production', () => null)[0]?.message ?? null;
  for (const name of addressHashes) t.equal(problem(`https://panel.example/e?i={rid}&h={${name}}`), null, name);
  for (const address of [
    'e?h={sha1}&i={rid}',
    '{sha1}',
    'e#h={sha1}',
    'e?h={sha1}#x',
    'e?h=a{sha1}',
    'e?{sha1}={sha1}',
  ])
    t.match(problem(`https://panel.example/${address}`), /\{sha1\} in a wrong place/, address);
  t.match(problem('https://panel.example/', 'https://panel.example/p?h={sha1}'), /signed in their headers/);
  t.end();
});

t.test('placeholders of other systems are refused instead of sent', (t) => {
  for (const foreign of ['[%RID%]', '{{rid}}', '${rid}', '%%rid%%', '${e://Field/rid}'])
    t.match(
      templateProblem(`https://panel.example/e?i=${foreign}`, () => null),
      `has ${foreign}, a placeholder of another system`,
    );
  t.end();
});

t.test('a refusal goes to its own address, else to that of the screened out; a change merges', (t) => {
  const redirects = { complete: 'https://c', screened_out: 'https://s' };
  t.equal(redirectOf(redirects, 'quality'), 'https://s');
  t.equal(redirectOf({ ...redirects, duplicate: 'https://d' }, 'duplicate'), 'https://d');
  t.equal(redirectOf(redirects, 'full'), null);
  const base = { name: 'P', sourceId: 'p', projectId: 'proj_1', redirects, postbackUrl: 'https://b' };
  t.same(changedSettings(base, { redirects: { complete: null, full: 'https://f' }, postbackUrl: null }), {
    ...base,
    redirects: { screened_out: 'https://s', full: 'https://f' },
    postbackUrl: null,
  });
  t.same(changedSettings(base, { redirects: null, projectId: null }), { ...base, redirects: {}, projectId: null });
  t.end();
});
