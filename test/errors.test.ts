import t from 'tap';
import { Fault, errorTable, storeUnavailable } from '../src/errors.js';

t.test('a fault carries the status of its code', (t) => {
  t.equal(new Fault('NOT_FOUND', 'nothing').status, 404);
  t.equal(storeUnavailable('redis: ECONNREFUSED').status, 503);
  t.notMatch(storeUnavailable('redis: ECONNREFUSED').message, /redis/);
  t.ok(Object.values(errorTable).every((entry) => entry.meaning.length > 20));
  t.end();
});
