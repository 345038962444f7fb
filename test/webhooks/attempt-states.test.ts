import t from 'tap';
import { attemptsMax, terminalStatuses, transitionOf } from '../../src/webhooks/attempt-states.js';

for (const status of [200, 201, 204, 299])
  t.test(`PENDING with ${status} is SUCCEEDED, whichever attempt`, (t) => {
    for (let attempt = 1; attempt <= attemptsMax; attempt++)
      t.same(transitionOf({ status }, attempt), { state: 'SUCCEEDED', retry: false });
    t.end();
  });
for (const status of [null, 500, 502, 503, 504, 301, 302, 307, 402, 405, 408, 409, 418])
  t.test(`PENDING with ${status ?? 'no answer'} is FAILED and repeated, until the fifth attempt`, (t) => {
    for (let attempt = 1; attempt < attemptsMax; attempt++)
      t.same(transitionOf({ status }, attempt), { state: 'FAILED', retry: true });
    t.same(transitionOf({ status }, attemptsMax), { state: 'EXHAUSTED', retry: false });
    t.end();
  });
for (const status of [400, 401, 403, 404, 410, 422, 429])
  t.test(`PENDING with ${status} is EXHAUSTED at the first attempt`, (t) => {
    t.ok(terminalStatuses.includes(status));
    t.same(transitionOf({ status }, 1), { state: 'EXHAUSTED', retry: false });
    t.end();
  });
t.test('the terminal statuses are those of the contract', (t) => {
  t.same([...terminalStatuses].sort(), [400, 401, 403, 404, 410, 422, 429]);
  t.end();
});
