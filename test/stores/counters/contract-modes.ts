/**
 * Contract of the counters, part five: test and demo keys count in modes of their own.
 */
import type { Test } from 'tap';
import { countsOf, expectCounted, probeInput, ref, scoreInput, startMs, type ContractSubject } from './inputs.js';

export async function testModes(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const same = { device: ref('d'), respondent: ref('r'), address: ref('a'), prefix: ref('p'), source: ref('source') };
  const signature = ref('signature');
  const subject = { respondent: ref('r'), source: null, subSource: null };
  const value = { n: 1, fraud: 1, clawbacks: 1, asOfDay: 20_000 };

  await t.test('live counts, history, receipts and signatures never see what a test or demo key did', async (t) => {
    const live = nextProject();
    for (const mode of [`${live}~test`, `${live}~demo`]) {
      for (let i = 0; i < 9; i += 1)
        await counters.countScore(scoreInput(mode, `s${i}`, { ...same, respondent: ref(`r${i}`), signature }));
      await counters.publishHistory(mode, [{ subject: ref('r'), version: 9, value }]);
      await counters.markComplete(mode);
    }
    t.equal((await counters.checkComplete(live)).isComplete, false);
    t.equal(await counters.recentReceipt(live, `rcpt_${live}~test_s1`), null);
    const seen = expectCounted(
      await counters.countScore(scoreInput(live, 's1', { ...same, signature, history: subject })),
    );
    const untouched = expectCounted(
      await counters.countScore(scoreInput(nextProject(), 's1', { ...same, signature, history: subject })),
    );
    t.same(seen.counts, untouched.counts);
    t.match(seen, { complete: false, signatureFresh: true, history: { respondent: null } });
  });

  await t.test('a test key reads the page’s probe, and the live score finds it as it was', async (t) => {
    const live = nextProject();
    await counters.storeProbe(probeInput(live, 's', { bands: ['b'] }));
    const tested = expectCounted(await counters.countScore(scoreInput(`${live}~test`, 's')));
    t.equal(Buffer.from(tested.probe?.pages[0]?.load ?? []).toString(), 'load of s');
    t.same((await counters.recentReceipt(`${live}~test`, tested.receiptId))?.probe, tested.probe);
    const scored = expectCounted(await counters.countScore(scoreInput(live, 's')));
    t.same(scored.probe, tested.probe);
    t.same(scored.counts.terms?.total, 1, 'and counts it for the first time');
    t.same(scored.counts.candidates, []);
  });

  await t.test('the limits of a key are the same whatever it calls', async (t) => {
    const live = nextProject();
    const limits = [{ key: 'key', limit: 2, windowSeconds: 60 }];
    await counters.takeRate(live, startMs, limits);
    await countsOf(counters, scoreInput(`${live}~test`, 's1', { limits }));
    t.match(await counters.countScore(scoreInput(`${live}~test`, 's2', { limits })), { kind: 'limited' });
  });
}
