import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { Calibration } from '../../src/contract/calibration.js';
import { ProbeBody } from '../../src/contract/probe.js';
import { anyBody, anyCalibration, anyFacts } from './any-facts.js';
import { cleanFacts, humanBody } from './facts.js';
import { automatedVisits, phoneFacts } from './visits.js';

t.test('the probes of the helpers are ones that the contract allows', (t) => {
  const check = Compile(ProbeBody);
  for (const facts of [...Object.values(automatedVisits), phoneFacts()]) t.ok(check.Check(facts.probe?.body));
  t.ok(check.Check(humanBody()));
  fc.assert(fc.property(anyBody, (body) => check.Check(body)));
  t.end();
});

t.test('generated calibrations are ones that the contract allows, their edges in order', (t) => {
  const check = Compile(Calibration);
  fc.assert(
    fc.property(
      anyCalibration,
      (calibration) => check.Check(calibration) && calibration.reviewLow <= calibration.blockThreshold,
    ),
  );
  t.end();
});

t.test('an organization key’s facts carry nothing that was counted', (t) => {
  fc.assert(
    fc.property(anyFacts, ({ measured, counts, history, probe }) =>
      assert.ok(measured || (counts === null && history === null && probe === null)),
    ),
  );
  t.equal(cleanFacts({ sessionId: 'other' }).sessionId, 'other');
  t.end();
});
