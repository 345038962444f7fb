import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { pack, unpack } from 'msgpackr';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { renderEvidence } from '../../../workers/evidence/render.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';

t.test('evidence rendered again from recorded facts is the evidence that was answered', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, classification, modelVersion } = scoreFacts(facts);
      assert.deepEqual(renderEvidence(unpack(pack(facts)) as ScoreFacts), {
        evidence: reply.evidence,
        classification,
        modelVersion,
      });
    }),
  );
  t.end();
});
