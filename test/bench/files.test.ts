import t from 'tap';
import { benchFiles } from '../../bench/files.js';
import { findStack } from '../helpers/stores.js';

t.setTimeout(120_000);

/** Files that one score may execute from route to acknowledgement. Lower them when a score needs fewer. */
const committed = { stack: 110, embedded: 110 };

t.test('a score on embedded stores executes no more files than was committed', async (t) => {
  const { table, ratios } = await benchFiles({ embedded: true });
  t.match(table, /^src\/scoring\/score-service\.ts$/m);
  t.match(table, /^workers\/scoring\/score\.ts$/m);
  t.ok((ratios['files'] ?? NaN) <= committed.embedded, table);
});

if (findStack(t, 'the bench on real stores') !== null) {
  t.test('a score on real stores executes no more files than was committed', async (t) => {
    const { table, ratios } = await benchFiles({ embedded: false });
    t.match(table, /^src\/scoring\/score-service\.ts$/m);
    t.ok((ratios['files'] ?? NaN) <= committed.stack, table);
  });
}
