import { deepStrictEqual, ok, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { scoreInvented, splitFacts } from '../helpers/records.js';
import { assembleFacts } from '../../src/record/assemble-facts.js';
import {
  hash,
  id,
  joinParts,
  type Layout,
  listOf,
  packPart,
  packStart,
  readParts,
  word,
} from '../../src/record/codec.js';
import {
  appendCounted,
  openBase,
  openFacts,
  openReceipt,
  openSeal,
  openSealed,
  packBase,
  packOutcome,
  packSealed,
} from '../../src/record/record.js';
import { headShape, messageShape } from '../../src/record/shapes.js';
import { createBatchSigner, verifySeal } from '../../src/crypto/batch-signer.js';
import { deriveSigningKey } from '../../src/crypto/master-key.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { anyFacts } from '../helpers/any-facts.js';
import { inheritedNames as allInherited } from '../helpers/any-of-schema.js';

t.setTimeout(120_000);
const key = deriveSigningKey(new Uint8Array(32), 'receipts');
/** A body that names `__proto__` is refused before it comes here. */
const isKept = (name: string): boolean => name !== '__proto__';
const inheritedNames = allInherited.filter(isKept);
const anyName = fc.string().filter(isKept);
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });

/** Whatever a parser of JSON makes, with the texts and numbers that have a form of their own. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      63,
      64,
      -1,
      127,
      128,
      2 ** 31,
      2 ** 53 - 1,
      -(2 ** 40),
      1e21,
      0.1,
      -30.25,
      18.125,
      1e-7,
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ maxLength: 80 }),
    fc.constantFrom('', 'allow', 'windows/chrome', 'x'.repeat(31), 'y'.repeat(40), '界'.repeat(12), 'z'.repeat(70_000)),
    fc.oneof(
      hex(8),
      hex(16),
      hex(32),
      hex(32).map((digits) => `rcpt_${digits}`),
      hex(32).map((digits) => `other_${digits}`),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...inheritedNames, 'owner', 'trace', 'body', 'ua', 'q'), anyName),
      tie('value'),
      {
        maxKeys: 5,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

/** An object that its layout expects: with some of its fields, and with others. */
const plain: Layout = { encode: (value) => value, decode: (packed) => packed };

/** A layout takes no list in place of its fields, and schemas let none come so far. */
const takesAnything = (name: string): boolean =>
  [{ [name]: [[]] }, { body: { [name]: [[]] } }].every((value) => {
    try {
      for (const layout of [headShape, messageShape]) layout.encode(value);
      return true;
    } catch {
      return false;
    }
  });

const anyFields = fc.dictionary(
  fc.oneof(fc.constantFrom(...inheritedNames, 'sourceId', 'studyId', 'sdk', 'nonce'), anyName.filter(takesAnything)),
  anyValue,
  { maxKeys: 6, noNullPrototype: true },
);

t.test('any fields come back as they were, also those that the layout does not know', async (t) => {
  fc.assert(
    fc.property(anyFields, anyFields, (fields, body) => {
      for (const [layout, value] of [
        [plain, fields],
        [headShape, fields],
        [messageShape, { ...fields, body }],
      ] as const) {
        const [first, second, third] = readParts(
          joinParts(
            packStart(),
            packPart(layout, value),
            packPart(layout, null),
            packPart(listOf(layout), [value, value]),
          ),
        );
        const text = JSON.stringify(sorted(value));
        deepStrictEqual(JSON.stringify(sorted(layout.decode(first))), text);
        deepStrictEqual(layout.decode(second), null);
        deepStrictEqual(JSON.stringify(sorted(listOf(layout).decode(third))), `[${text},${text}]`);
      }
    }),
    { numRuns: 300 },
  );
  const values = [0.1 + 0.2, 18.125, 1e-7, 2 ** 53 - 1, -(2 ** 40), Infinity, undefined, Uint8Array.of(0xc1)];
  t.same(readParts(joinParts(packStart(), packPart(plain, values)))[0], values);
});

t.test('short forms are taken for what has one alone', async (t) => {
  const forms = [
    [id('rcpt_'), `rcpt_${'0af'.repeat(10)}00`, 18],
    [id('rcpt_'), `rcpt_${'0AF'.repeat(10)}00`, 39],
    [id('rcpt_'), `org_${'0af'.repeat(10)}00`, 38],
    [hash, '0000beef', 3],
    [hash, '0000BEEF', 9],
    [hash, '        ', 9],
    [word, 'webdriver', 1],
    [word, 'a word of later', 16],
  ] as const;
  for (const [layout, text, size] of forms) {
    const packed = packPart(layout, text);
    t.equal(packed.length, size, text);
    t.equal(layout.decode(readParts(joinParts(packStart(), packed))[0]), text);
  }
  t.throws(() => word.decode(255), /a word that this version does not know/);
  t.throws(() => packPart(headShape, []), /a list where its layout has fields/);
});

/** Names in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, each]): [string, unknown] => [name, sorted(each)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

t.test('base, facts and record open as what they were packed of, for any facts', async (t) => {
  fc.assert(
    fc.property(anyFacts, fc.boolean(), (facts, isAway) => {
      const { base, counted } = splitFacts(facts);
      const known = isAway ? null : counted;
      const packed = packBase(base);
      const appended = appendCounted(packed, known);
      const assembled = assembleFacts(base, known);
      deepStrictEqual(openBase(packed), base);
      deepStrictEqual(openFacts(appended), assembled);
      const verdict = recordVerdict(scoreFacts(assembled));
      const record = joinParts(appended, packOutcome(verdict, assembled));
      deepStrictEqual(openFacts(record), assembled, 'a record is its facts and more');
      const { owner, sourceId, studyId, trace, subjects } = base;
      const known2 = { ...owner, sourceId, studyId, trace, subjects, sessionId: assembled.sessionId, verdict };
      const device = trace.device ?? assembled.token ?? null;
      const rest = { device, supersedes: assembled.supersedes ?? null, facts: record };
      deepStrictEqual(openReceipt(record), { ...known2, ...rest });
    }),
    { numRuns: 150 },
  );
  t.pass('all of them');
});

t.test(
  'a record that is cut short or damaged throws or reads as something, and nothing beyond it is read',
  async (t) => {
    const [record = new Uint8Array()] = scoreInvented(1).map(({ record }) => record);
    for (let length = 0; length < record.length; length += 1) throws(() => openReceipt(record.subarray(0, length)));
    fc.assert(
      fc.property(fc.nat({ max: record.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const damaged = Uint8Array.from(record);
        damaged[at] = byte;
        try {
          openReceipt(damaged);
          openFacts(damaged);
        } catch (error) {
          ok(error instanceof Error);
        }
      }),
      { numRuns: 500 },
    );
    t.throws(() => openReceipt(Uint8Array.of(3, 0)), /no record of a known format/);
  },
);

t.test('the seal is of what is stored, to the byte', async (t) => {
  const [scored] = scoreInvented(1);
  if (scored === undefined) throw new Error('nothing was scored');
  const { record } = scored;
  const stored = openSealed(packSealed(record, await createBatchSigner(key).seal(record)));
  t.same(stored.record, record);
  t.ok(verifySeal(key, stored.record, openSeal(stored.seal)));
  for (const at of [3, record.length >> 1, record.length - 1]) {
    const altered = Uint8Array.from(stored.record);
    altered[at] = (altered[at] ?? 0) ^ 1;
    t.notOk(verifySeal(key, altered, openSeal(stored.seal)), `byte ${at}`);
  }
});

t.test('a record of this format reads as it did when the format was made', async (t) => {
  const { entry, facts, receipt } = JSON.parse(readFileSync('test/record/recorded/golden-record.json', 'utf8')) as {
    readonly entry: string;
    readonly facts: ScoreFacts;
    readonly receipt: object;
  };
  const { record, seal } = openSealed(Buffer.from(entry, 'base64'));
  t.ok(verifySeal(key, record, openSeal(seal)), 'and its seal holds');
  t.strictSame(openFacts(record), facts);
  const { facts: _packed, ...opened } = openReceipt(record);
  t.strictSame(opened, { device: opened.trace.device, ...receipt });
});

t.test('the bodies of the bench make records of at most 0.7 KB, and 2.2 KB with a probe', async (t) => {
  const scored = scoreInvented(200);
  const sizes = (hasProbe: boolean): number[] =>
    scored.filter(({ record }) => (openFacts(record).probe !== null) === hasProbe).map(({ record }) => record.length);
  const [plain, probed] = [sizes(false), sizes(true)];
  t.ok(plain.length === 100 && probed.length === 100);
  t.ok(Math.max(...plain) <= 700, `${Math.max(...plain)} bytes without a probe`);
  t.ok(Math.max(...probed) <= 2_249, `${Math.max(...probed)} bytes with a probe`);
});
