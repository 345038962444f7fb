import t from 'tap';
import { cutPage, readPage } from '../../src/kernel/paging.js';

const id = (n: number): string => `proj_${n.toString(16).padStart(32, '0')}`;

t.test('a cursor leads to where the page before ended', (t) => {
  const { items, nextCursor } = cutPage([id(3), id(2), id(1)], 2, (item) => item);
  t.same(items, [id(3), id(2)]);
  t.same(readPage({ limit: 2, cursor: nextCursor ?? '' }), { limit: 2, below: id(2) });
  t.equal(cutPage([id(2), id(1)], 2, (item) => item).nextCursor, null, 'a full last page has no next');
  t.equal(cutPage([], 2, String).nextCursor, null);
  t.same(readPage({}), { limit: 50, below: null });
  t.end();
});

t.test('a cursor of one’s own making is refused', (t) => {
  for (const cursor of [
    'x',
    'AAAA',
    Buffer.from("proj_' OR 1=1").toString('base64url'),
    Buffer.from('proj_\u0000').toString('base64url'),
  ]) {
    t.throws(
      () => readPage({ cursor }),
      { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/querystring/cursor' }] } },
      cursor,
    );
  }
  t.end();
});
