import t from 'tap';
import { keptSourceName } from '../../../src/scoring/thresholds/source-name.js';

t.test('a name in the log that no database keeps is kept with a replacement; any other stays as it is', async (t) => {
  t.equal(keptSourceName('nul-\0-source\0'), 'nul-\ufffd-source\ufffd');
  t.equal(keptSourceName('supplier-7'), 'supplier-7');
});
