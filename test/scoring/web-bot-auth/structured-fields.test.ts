import t from 'tap';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import {
  Token,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from '../../../src/scoring/web-bot-auth/structured-fields.js';

t.test('a dictionary is read as it was written', (t) => {
  const read = parseDictionary(' a=1, b ,c="q\\"\\\\";p=?0;q,\td=:aGk=:, e=tok/en;x=-12, f=( "x";k="1"  y );z=2 ');
  t.same([...(read?.keys() ?? [])], ['a', 'b', 'c', 'd', 'e', 'f']);
  t.same(read?.get('a'), { value: 1, parameters: new Map() });
  t.same(read?.get('b'), { value: true, parameters: new Map() });
  t.same(read?.get('c'), {
    value: 'q"\\',
    parameters: new Map([
      ['p', false],
      ['q', true],
    ]),
  });
  t.same(read?.get('d'), { value: Buffer.from('hi'), parameters: new Map() });
  t.same(read?.get('e'), { value: new Token('tok/en'), parameters: new Map([['x', -12]]) });
  const list = read?.get('f');
  t.equal(list !== undefined && isInnerList(list) && serializeInnerList(list), '("x";k="1" y);z=2');
  t.equal(parseDictionary('')?.size, 0);
  t.end();
});

t.test('what is malformed, repeated, not canonical or of another type is refused', (t) => {
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
    'a=1.5',
    'a=1234567890123456',
    'a=--1',
    'a=@1',
    'a=%"x"',
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
  for (const text of refused) t.equal(parseDictionary(text), null, JSON.stringify(text));
  t.end();
});

t.test('what was read and serialized reads as the same', (t) => {
  const bare = fc.oneof(
    fc.stringMatching(/^[ -~]{0,12}$/).map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
    fc.integer({ min: -999_999_999, max: 999_999_999_999_999 }).map(String),
    fc.constantFrom('?0', '?1', 'token', '*t/o:k'),
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
      const read = parseDictionary(text);
      if (read === null) return false;
      const written = [...read]
        .map(([name, member]) => `${name}=${isInnerList(member) ? serializeInnerList(member) : serializeItem(member)}`)
        .join(', ');
      return read.size === Object.keys(members).length && isDeepStrictEqual(parseDictionary(written), read);
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
      parseDictionary(text);
    }),
    { numRuns: 2_000 },
  );
  t.equal(parseDictionary(`a="${'x'.repeat(100_000)}`), null, 'nor take long');
  t.end();
});
