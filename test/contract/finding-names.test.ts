/** Names on screens are compared with the rules of the model. */
import t from 'tap';
import { findingNames } from '../../src/contract/finding-names.js';
import { rules } from '../../workers/scoring/rule-set.js';

t.test('each name is that of a finding, is short, and stands for one finding alone', async (t) => {
  const charactersMax = 45;
  for (const [code, name] of Object.entries(findingNames)) {
    t.ok(Object.hasOwn(rules, code), code);
    t.ok(name.length <= charactersMax, name);
  }
  t.equal(new Set(Object.values(findingNames)).size, Object.keys(findingNames).length);
});
