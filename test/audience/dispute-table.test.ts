import t from 'tap';
import { readDisputeTable } from '../../src/audience/dispute-table.js';

const expected =
  'Send rid or place, and reason; sourceId and note are optional. Separate columns with commas, and name each once.';

t.test('a wrong, missing or repeated column is refused with the columns found and those expected', (t) => {
  const cases: readonly (readonly [text: string, found: string])[] = [
    ['respondentId,reason\r\nr1,fraud\r\n', 'the columns "respondentId", "reason"'],
    ['\uFEFFrid,reasons\nr1,fraud\n', 'the columns "rid", "reasons"'],
    ['rid\nr1\n', 'the columns "rid"'],
    ['reason\nfraud\n', 'the columns "reason"'],
    ['rid;reason\nr1;fraud\n', 'the columns "rid;reason"'],
    ['RID,Reason\nr1,fraud\n', 'the columns "RID", "Reason"'],
    ['rid,rid,reason\na,b,fraud\n', 'the columns "rid", "rid", "reason"'],
    ['rid,reason,amount\nr1,fraud,3\n', 'the columns "rid", "reason", "amount"'],
    ['', 'no columns'],
  ];
  for (const [text, found] of cases)
    t.throws(() => readDisputeTable(text), { message: `The body has ${found}. ${expected}` }, JSON.stringify(text));
  const long = `${'x'.repeat(10_000)},reason\nr1,fraud\n`;
  t.throws(() => readDisputeTable(long), { message: /^.{1,400}$/ });
  t.end();
});

t.test('a line that cannot be read, and a table without lines, are refused as that', (t) => {
  for (const text of ['rid,reason\n"r1,fraud\n', 'rid,reason\nr1,fraud,x\n'])
    t.throws(() => readDisputeTable(text), { message: /has a line that cannot be read/ });
  t.throws(() => readDisputeTable('rid,reason\n'), { message: 'The body has no line below its header.' });
  t.end();
});

t.test('columns may stand in any order, and one without a value may have any name', (t) => {
  t.same(readDisputeTable('\n reason ,place,amount\nfit,plc_1,\n'), [{ reason: 'fit', place: 'plc_1' }]);
  t.end();
});
