import t from 'tap';
import { isDeeper } from '../../src/kernel/body.js';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

t.test('levels are counted at the deepest place, and any depth costs no stack', (t) => {
  t.notOk(isDeeper('text', 1));
  t.notOk(isDeeper(undefined, 1));
  t.notOk(isDeeper(nested(3), 3));
  t.ok(isDeeper(nested(4), 3));
  t.ok(isDeeper({ wide: [1, 2, 3], deep: { a: { b: {} } } }, 3));
  t.notOk(isDeeper({ wide: Array.from({ length: 1_000 }, () => ({})) }, 3));
  t.ok(isDeeper(nested(400_000), 64));
  t.end();
});
