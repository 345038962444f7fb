/** Consequences of differing tries of one session. */
import t from 'tap';
import { nothingCompared, type ChainComparison } from '../../../src/contract/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { biometricEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const judge = (given: Partial<ChainComparison>, isFaceChanged = false) => {
  const chain = { otherDevices: 0, isOtherCountry: false, isOtherCamera: false, ...given };
  return judgeSession(factsOf(biometricEnvelope(), { uniqueness: { ...nothingCompared, isFaceChanged, chain } }))
    .verdict;
};
const typesOf = ({ fraudSignals }: ReturnType<typeof judge>): string[] => fraudSignals.map(({ type }) => type);

t.test('who goes on with their phone passes, and it is noted', (t) => {
  t.strictSame(typesOf(judge({})), []);
  const phone = judge({ otherDevices: 1, isOtherCamera: true });
  t.equal(phone.status, 'pass');
  t.strictSame(typesOf(phone), ['try_changed']);
  t.equal(
    judge({ otherDevices: 1, isOtherCamera: true, isOtherCountry: true }).status,
    'pass',
    'its network is abroad',
  );
  t.equal(judge({ otherDevices: 3, isOtherCamera: true }).status, 'pass', 'a household has a tablet as well');
  t.equal(judge({ isOtherCountry: true }).status, 'pass', 'a tunnel was switched off');
  t.end();
});

t.test('tries from several devices and countries are no one person’s', (t) => {
  const scattered = judge({ otherDevices: 2, isOtherCountry: true });
  t.match(scattered, { status: 'fail', failureCategory: 'fraud_signal' });
  t.strictSame(typesOf(scattered), ['try_changed', 'tries_scattered']);
  t.ok(scattered.scores.fraud > judge({ otherDevices: 1 }).scores.fraud, 'it is weighed');
  t.equal(judge({ otherDevices: 1 }, true).status, 'fail', 'nor does another face become more credible');
  t.end();
});
