/** The pure judgement of entry links: what opens a study, and what is wrong with the rest. */
import fc from 'fast-check';
import t from 'tap';
import { judgeLink, signLink, traitsOf, type GivenLink, type LinkContext } from '../../src/audience/entry-links.js';
import { entryLines, sign } from '../../src/audience/signatures.js';
import { fillPlaceholders } from '../../src/net/web-address.js';

const nowMs = Date.UTC(2026, 10, 1);
const secrets = { current: 'a'.repeat(64), previous: null };
const supplier = { supplierId: 'sup_1', secrets };
const signed: LinkContext = { study: { entry: 'signed', suppliers: [] }, supplier, nowMs };
const open: LinkContext = { ...signed, study: { entry: 'open', suppliers: [] } };
const exp = String(nowMs / 1_000 + 60);
const bare: GivenLink = { studyId: 'study_1', rid: 'r', src: 'panel', exp: undefined, sig: undefined };
const linkOf = (over: Partial<GivenLink> = {}, secret = secrets.current): GivenLink => {
  const link = { ...bare, exp, ...over };
  return { ...link, sig: over.sig ?? sign(secret, entryLines({ ...link, exp: link.exp ?? '' })) };
};
const codes = (link: GivenLink, context: LinkContext) => judgeLink(link, context).problems.map(({ code }) => code);

t.test('a signed study takes what its supplier signed, and nothing else', (t) => {
  t.match(judgeLink(linkOf({ country: 'DE', age: '33' }), signed), {
    ...{ entry: 'signed', supplierId: 'sup_1', signedWith: 'current', problems: [], isExpired: false },
    expiresAt: new Date(Number(exp) * 1_000),
  });
  const cases: readonly (readonly [string, GivenLink, Partial<LinkContext>, readonly string[]])[] = [
    ['no signature', bare, {}, ['signature_missing']],
    ['an empty signature', linkOf({ sig: '' }), {}, ['signature_missing']],
    ['somebody else’s rid', { ...linkOf(), rid: 'other' }, {}, ['signature_wrong']],
    ['another study', { ...linkOf(), studyId: 'study_2' }, {}, ['signature_wrong']],
    ['a longer life', { ...linkOf(), exp: String(Number(exp) + 1) }, {}, ['signature_wrong']],
    ['a target added', { ...linkOf(), country: 'DE' }, {}, ['signature_wrong']],
    ['a target taken away', { ...linkOf({ gender: 'female' }), gender: undefined }, {}, ['signature_wrong']],
    ['another secret', linkOf({}, 'b'.repeat(64)), {}, ['signature_wrong']],
    ['no time', { ...linkOf(), exp: undefined }, {}, ['value_missing']],
    ['a time that is none', linkOf({ exp: 'tomorrow' }), {}, ['value_missing']],
    ['a line feed', linkOf({ rid: 'r\npanel' }), {}, ['line_feed']],
    ['a dot segment', linkOf({ rid: '.' }), {}, ['value_unreadable']],
    ['two dots', linkOf({ rid: '..' }), {}, ['value_unreadable']],
    ['no such supplier', linkOf(), { supplier: null }, ['supplier_unknown']],
    [
      'a supplier that is not named',
      linkOf(),
      { study: { entry: 'signed', suppliers: ['sup_2'] } },
      ['supplier_not_in_study'],
    ],
  ];
  for (const [name, link, over, expected] of cases) t.same(codes(link, { ...signed, ...over }), expected, name);
  t.end();
});

t.test('no rid that opens a study changes the path of the address that it is filled into', (t) => {
  const dotted = fc.string({ unit: fc.constantFrom('.', '/', '%', '2', 'e', 'E', '\\', '?', '#'), minLength: 1 });
  fc.assert(
    fc.property(dotted, (rid) => {
      if (codes(linkOf({ rid }), signed).length > 0) return true;
      const filled = fillPlaceholders('https://panel.example/pb/{rid}/{status}', { rid, status: 'complete' });
      const { pathname, search, hash } = new URL(filled);
      const [, first, value = '', last, ...more] = pathname.split('/');
      t.same([first, decodeURIComponent(value), last, more, search + hash], ['pb', rid, 'complete', [], '']);
      return true;
    }),
    { numRuns: 1_000, examples: [['..'], ['.'], ['%2e%2e'], ['...']] },
  );
  t.end();
});

t.test('values cannot be moved from one line to the next', (t) => {
  const moved = { ...linkOf({ rid: 'r', src: 'panel' }), rid: 'r\npanel', src: exp };
  t.ok(judgeLink(moved, signed).problems.length > 0);
  t.end();
});

t.test('an expired link opens nothing new, and is known to have been right', (t) => {
  const late = { ...signed, nowMs: nowMs + 60_000 };
  t.match(judgeLink(linkOf(), late), { isExpired: true, problems: [{ code: 'expired' }] });
  t.match(judgeLink({ ...linkOf(), rid: 'x' }, late), { isExpired: false, problems: [{ code: 'signature_wrong' }] });
  const elsewhere = { ...late, study: { entry: 'signed', suppliers: ['sup_2'] } } as const;
  t.equal(judgeLink(linkOf(), elsewhere).isExpired, false);
  t.end();
});

t.test('an open study takes both, and says of an unsigned rid that it is unproven', (t) => {
  t.match(judgeLink(bare, open), { entry: 'open', supplierId: null, problems: [] }, 'src is a label');
  const naming = { ...open, study: { entry: 'open', suppliers: ['sup_1'] } } as const;
  t.match(judgeLink(bare, naming), { entry: 'open', supplierId: 'sup_1', problems: [] }, 'the study names it');
  t.match(judgeLink(linkOf(), open), { entry: 'signed', supplierId: 'sup_1', problems: [] });
  t.match(judgeLink(bare, { ...open, supplier: null }), { entry: 'open', supplierId: null, problems: [] });
  t.match(judgeLink(linkOf(), open), { entry: 'signed', problems: [] });
  t.same(codes({ ...linkOf(), rid: 'other' }, open), ['signature_wrong'], 'a forged signature is not passed over');
  t.same(codes(linkOf(), { ...open, supplier: null }), ['supplier_unknown']);
  t.same(codes(bare, { ...open, supplier: null, study: { entry: 'open', suppliers: ['sup_2'] } }), [
    'supplier_unknown',
  ]);
  t.end();
});

t.test('a link that is made is right, whatever is in its values', (t) => {
  const link = { studyId: 'study_1', rid: 'r&1 ü', src: 'a=b', exp, profession: 'nurse & midwife' };
  const { searchParams } = new URL(signLink('https://a.example/v1/enter/study_1', link, secrets.current));
  const given = { studyId: 'study_1', ...Object.fromEntries(searchParams) } as unknown as GivenLink;
  t.same(judgeLink(given, signed).problems, []);
  t.same(traitsOf({ age: '131', gender: ' F ', country: 'xx' }), {
    ...{ age: null, gender: 'f', country: null, profession: null },
  });
  t.end();
});
