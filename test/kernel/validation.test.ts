import fc from 'fast-check';
import t from 'tap';
import { Type } from 'typebox';
import { createValidatorCompiler } from '../../src/kernel/validation.js';
import { nearestName } from '../../src/nearest-name.js';

t.test('the nearest name is the one that a slip of the finger meant', (t) => {
  const names = ['reviewLow', 'blockThreshold', 'stepUpEnabled'];
  t.equal(nearestName('reviewLo', names), 'reviewLow');
  t.equal(nearestName('blockTreshold', names), 'blockThreshold');
  t.equal(nearestName('REVIEWLOW', names), 'reviewLow');
  t.equal(nearestName('reason', ['type', 'reasonClass']), 'reasonClass', 'the beginning of it');
  t.equal(nearestName('rea', ['reasonClass']), null);
  t.equal(nearestName('zzzzzz', names), null);
  t.equal(nearestName('x', []), null);
  t.end();
});

t.test('hostile names never throw and never take long', (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000 }), (name) =>
        [null, 'reviewLow'].includes(nearestName(name, ['reviewLow'])),
      ),
    ),
  );
  t.end();
});

t.test('a list that is too long is refused before its items are looked at', (t) => {
  const row = Type.Object({ rid: Type.String() });
  const schema = Type.Object({ study: Type.Object({ rows: Type.Array(row, { maxItems: 3 }) }) });
  const validate = createValidatorCompiler()({ schema, method: 'POST', url: '/', httpPart: 'body' });
  const issuesOf = (value: unknown) => {
    const { error } = validate(value) as { error?: { validation: { instancePath: string; message: string }[] } };
    return error?.validation.map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  t.same(issuesOf({ study: { rows: Array.from({ length: 100_000 }, () => ({})) } }), [
    '/study/rows must NOT have more than 3 items',
  ]);
  t.same(issuesOf({ study: { rows: [{}] } }), ["/study/rows/0 must have required property 'rid'"]);
  t.equal(issuesOf({ study: { rows: [{ rid: 'r' }] } }), undefined);
  t.equal(issuesOf({ study: null })?.length, 1);
  t.end();
});
