import fc from 'fast-check';
import t from 'tap';
import type { DecisionInputs } from '../../../src/contract/thresholds.js';
import { readCell, writeCell } from '../../../src/scoring/thresholds/distribution-store.js';

const anyInputs: fc.Arbitrary<DecisionInputs> = fc.record({
  uncapped: fc.nat({ max: 100 }),
  caps: fc.subarray(['uncorroborated', 'dispositive', 'policy:40']),
  agentPolicy: fc.constantFrom('allow' as const, 'review' as const, null),
  stepUpThreshold: fc.option(fc.nat({ max: 100 }), { nil: null }),
});

t.test('a cell is read as it was written, whatever the order of its ceilings', (t) => {
  fc.assert(
    fc.property(anyInputs, (inputs) => {
      const read = readCell(writeCell(inputs));
      t.same({ ...read, caps: [...read.caps].sort() }, { ...inputs, caps: [...inputs.caps].sort() });
      return writeCell({ ...inputs, caps: [...inputs.caps].reverse() }) === writeCell(inputs);
    }),
  );
  t.end();
});

t.test('what is no cell is refused', async (t) => {
  for (const text of ['', '50', '50||', '50||||', '50||a|40|x']) t.throws(() => readCell(text), /not a cell/);
});
