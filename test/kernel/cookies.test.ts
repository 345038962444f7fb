import t from 'tap';
import { findCookie, formatCookie } from '../../src/kernel/cookies.js';

t.test('a cookie is set for its path, for HTTPS alone if the page comes over it, and no script reads it', (t) => {
  const cookie = { name: 'a', path: '/p', sameSite: 'Lax' } as const;
  t.equal(formatCookie({ ...cookie, isSecure: false }, 'v', 9), 'a=v; Path=/p; HttpOnly; SameSite=Lax; Max-Age=9');
  t.match(formatCookie({ ...cookie, isSecure: true }, '', 0), /^a=; .*; Max-Age=0; Secure$/);
  t.end();
});

t.test('a cookie is found by its whole name, among others and with its whole value', (t) => {
  for (const [header, value] of [
    [undefined, null],
    ['', null],
    ['ab=1; a=2;b=3', '2'],
    ['b=a=1', null],
    ['a=x=y', 'x=y'],
    ['a=', ''],
  ] as const)
    t.equal(findCookie('a', header), value, String(header));
  t.end();
});
