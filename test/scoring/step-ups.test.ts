/** The verifications of a session id that belong to the visit that is scored. */
import t from 'tap';
import type { EndedStepUp, ScoredVisit } from '../../src/contract/step-up.js';
import { scoredVisitOf, stepUpsOf } from '../../src/scoring/step-ups.js';

const refOf = (respondentId: string): string => `ref of ${respondentId}`;
const nothing: ScoredVisit = { respondent: null, deviceHash: null, os: null };
const alice: ScoredVisit = { ...nothing, respondent: refOf('alice') };
const desktop: ScoredVisit = { ...nothing, deviceHash: 'd1', os: 'windows' };

const endedOf = (scored: ScoredVisit, respondentId: string | null = null): EndedStepUp => ({
  passed: true,
  stepUp: { receiptId: 'rcpt_1', sessionId: 's', intensity: 'light', device: null, ...scored },
  respondentId,
});

const cases: readonly (readonly [string, EndedStepUp, ScoredVisit, boolean])[] = [
  ['nobody is named', endedOf(nothing), nothing, true],
  ['the same respondent', endedOf(alice, 'alice'), alice, true],
  ['another respondent', endedOf(alice, 'alice'), { ...nothing, respondent: refOf('bob') }, false],
  ['the name left away', endedOf(alice, 'alice'), nothing, false],
  ['a name where the score that asked had none', endedOf(nothing), alice, false],
  ['the name of the verification', endedOf(nothing, 'alice'), alice, true],
  ['another name than that of the verification', endedOf(nothing, 'bob'), alice, false],
  ['no name as before, though the verification had one', endedOf(nothing, 'alice'), nothing, true],
  ['the score’s name, whatever a test respondent is called', endedOf(alice, 'test_pass'), alice, true],
  ['the same device', endedOf(desktop), desktop, true],
  ['another device hash', endedOf(desktop), { ...desktop, deviceHash: 'd2' }, false],
  ['another system', endedOf(desktop), { ...desktop, os: 'android' }, false],
  ['a device that is not known', endedOf(desktop), nothing, true],
  ['a device that was not known', endedOf(nothing), desktop, true],
];

t.test('a step-up holds for its respondent, and on its device as far as both are known', (t) => {
  for (const [name, ended, visit, holds] of cases)
    t.equal(stepUpsOf([ended], visit, refOf).length, Number(holds), name);
  t.end();
});

t.test('results of others hide nothing, the order stays, and a receipt keeps a few', (t) => {
  const others = Array.from({ length: 10 }, () => endedOf(alice, 'alice'));
  const own = [true, false].map((passed) => ({ ...endedOf(nothing), passed }));
  t.same(
    stepUpsOf([...others, ...own], nothing, refOf).map(({ passed }) => passed),
    [true, false],
  );
  t.equal(stepUpsOf(others, alice, refOf).length, 4);
  t.end();
});

t.test('browsers of one system are one system', (t) => {
  const [chrome, firefox] = ['windows/chrome', 'windows/firefox'].map((deviceClass) =>
    scoredVisitOf({ trace: { device: null, deviceClass }, subjects: { respondent: null } }),
  );
  t.same(chrome, firefox);
  t.end();
});
