import t from 'tap';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { serializeDictionary, Token } from 'structured-headers';
import { readDictionary } from '../../../src/scoring/web-bot-auth/message-signature.js';

const entriesOf = (text: string) => [...(readDictionary(text) ?? [])];
const none = new Map();

t.test('the dictionaries of RFC 9651, section 3.2, are read as it says', (t) => {
  t.same(entriesOf('en="Applepie", da=:w4ZibGV0w6ZydGU=:'), [
    ['en', ['Applepie', none]],
    ['da', [new Uint8Array(Buffer.from('Æbletærte')).buffer, none]],
  ]);
  t.same(entriesOf('a=?0, b, c; foo=bar'), [
    ['a', [false, none]],
    ['b', [true, none]],
    ['c', [true, new Map([['foo', new Token('bar')]])]],
  ]);
  t.same(entriesOf('rating=1.5, feelings=(joy sadness)'), [
    ['rating', [1.5, none]],
    [
      'feelings',
      [
        [
          [new Token('joy'), none],
          [new Token('sadness'), none],
        ],
        none,
      ],
    ],
  ]);
  t.same(entriesOf('a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid')[3], [
    'd',
    [
      [
        [5, none],
        [6, none],
      ],
      new Map([['valid', true]]),
    ],
  ]);
  t.equal(readDictionary('')?.size, 0);
  t.end();
});

t.test('what is malformed, repeated or not canonical is refused', (t) => {
  const refused = [
    'a=',
    '=1',
    'A=1',
    'a=1,',
    ',a=1',
    'a=1 b=2',
    'a=1,,b=2',
    'a=1;',
    'a=(',
    'a=("x"',
    'a=("x""y")',
    'a=("x",y)',
    'a=("x"\ty)',
    'a=)',
    'a="',
    'a="é"',
    'a="\\n"',
    'a="\n"',
    'a=1, a=2',
    'a=1;p;p',
    'a=1.50',
    'a=01',
    'a=?1',
    'a=1;p=?1',
    'a=1234567890123456',
    'a=--1',
    'a=@x',
    'a=%"%GG"',
    'a=?2',
    'a=:aGk:',
    'a=:aGl=:',
    'a=:a=Gk:',
    'a=:aG k=:',
    'a=:',
    'a=1\n',
    '\ta=1',
    'a=1, \n b=2',
  ];
  for (const text of refused) t.equal(readDictionary(text), null, JSON.stringify(text));
  t.end();
});

t.test('what was read and serialized reads as the same', (t) => {
  const bare = fc.oneof(
    fc.stringMatching(/^[ -~]{0,12}$/).map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
    fc.integer({ min: -999_999_999, max: 999_999_999_999_999 }).map(String),
    fc.constantFrom('?0', 'token', '*t/o:k'),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => `:${Buffer.from(bytes).toString('base64')}:`),
  );
  const key = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,5}$/);
  const parameters = fc.dictionary(key, bare, { maxKeys: 3 }).map((entries) =>
    Object.entries(entries)
      .map(([name, value]) => `;${name}=${value}`)
      .join(''),
  );
  const item = fc.tuple(bare, parameters).map((parts) => parts.join(''));
  const list = fc
    .tuple(fc.array(item, { maxLength: 4 }), parameters)
    .map(([items, tail]) => `(${items.join(' ')})${tail}`);
  const dictionary = fc.dictionary(key, fc.oneof(item, list), { maxKeys: 4 });
  fc.assert(
    fc.property(dictionary, (members) => {
      const text = Object.entries(members)
        .map(([name, value]) => `${name}=${value}`)
        .join(', ');
      const read = readDictionary(text);
      if (read === null) return false;
      const written = serializeDictionary(read);
      return read.size === Object.keys(members).length && isDeepStrictEqual(readDictionary(written), read);
    }),
  );
  t.pass('held for every generated dictionary');
  t.end();
});

t.test('no text makes it throw', (t) => {
  const pieces = fc
    .array(
      fc.constantFrom('a', '=', '"', '(', ')', ';', ',', ' ', ':', '?', '1', '\\', '-', '.', '@', '\t', '*', '\n', 'é'),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.string({ unit: 'binary' })), (text) => {
      readDictionary(text);
    }),
    { numRuns: 2_000 },
  );
  t.equal(readDictionary(`a="${'x'.repeat(100_000)}`), null, 'nor take long');
  t.end();
});
