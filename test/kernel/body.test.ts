import t from 'tap';
import { Type } from 'typebox';
import { OutcomeEvent } from '../../src/contract/outcome.js';
import { ProbeBody } from '../../src/contract/probe.js';
import { createNullRemover } from '../../src/kernel/body.js';

const cleaned = (schema: object, body: unknown): unknown => {
  createNullRemover(schema)(body);
  return body;
};

t.test('null in an optional field means that the field is absent, at any depth', (t) => {
  const snapshot = { questionId: 'q', text: null };
  t.same(cleaned(ProbeBody, { v: 1, beh: null, lies: null, q: [snapshot], ua: { ua: null } }), {
    v: 1,
    q: [{ questionId: 'q' }],
    ua: { ua: null },
  });
  t.same(cleaned(OutcomeEvent, { type: 'ban', reasonClass: null, detail: { reasonClass: null, own: null } }), {
    type: 'ban',
    detail: { own: null },
  });
  t.end();
});

t.test('what is needed, what may be null and what has another shape is left alone', (t) => {
  const schema = Type.Object({ needed: Type.String(), open: Type.Optional(Type.Unknown()) });
  for (const body of [{ needed: null, open: null }, null, 7, 'x', [null]]) t.same(cleaned(schema, body), body);
  t.same(cleaned(ProbeBody, { beh: [null], ids: 'x' }), { beh: [null], ids: 'x' });
  t.end();
});
