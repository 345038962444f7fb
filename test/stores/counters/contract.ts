/**
 * The contract of the counters store, run unchanged against every adapter. Clocks are passed in; nothing here waits.
 */
import type { Test } from 'tap';
import type { ScoreCountInput } from '../../../src/stores/counters/port.js';
import { testCounting } from './contract-counting.js';
import { testHistory } from './contract-history.js';
import { testProbes } from './contract-probes.js';
import { testRelations } from './contract-relations.js';
import { testModes } from './contract-modes.js';
import {
  countsOf,
  expectCounted,
  hourMs,
  minuteMs,
  probeInput,
  ref,
  scoreInput,
  startMs,
  type ContractSubject,
} from './inputs.js';

export async function testContract(t: Test, subject: ContractSubject): Promise<void> {
  await testLimits(t, subject);
  await testProbes(t, subject);
  await testReceipts(t, subject);
  await testSignatures(t, subject);
  await testCounting(t, subject);
  await testRelations(t, subject);
  await testHistory(t, subject);
  await testModes(t, subject);
}

async function testLimits(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('it answers a ping', async (t) => {
    await t.resolves(counters.ping());
  });

  await t.test('a limit is counted down, and refused when it is used up, until its window ends', async (t) => {
    const tag = nextProject();
    const limits = [
      { key: 'minute', limit: 2, windowSeconds: 60 },
      { key: 'day', limit: 3, windowSeconds: 86_400 },
    ];
    const endsAt = startMs / 1_000 + 60;
    const midnight = Date.UTC(2026, 9, 2) / 1_000;
    t.match(await counters.takeRate(tag, startMs, limits), {
      allowed: true,
      limit: 2,
      remaining: 1,
      resetAt: endsAt,
      resetInSeconds: 60,
    });
    t.match(await counters.takeRate(tag, startMs + 59_999, limits), {
      allowed: true,
      limit: 2,
      remaining: 0,
      resetAt: endsAt,
    });
    t.match(await counters.takeRate(tag, startMs + 59_999, limits), {
      allowed: false,
      limit: 2,
      remaining: 0,
      used: 2,
      resetAt: endsAt,
    });
    t.match(
      await counters.takeRate(tag, startMs + 59_999, [{ key: 'minute', limit: 1, windowSeconds: 60 }]),
      { allowed: false, limit: 1, remaining: 0, used: 2 },
      'a lower limit of the same window says how far it is exceeded',
    );
    t.match(
      await counters.takeRate(tag, startMs + 60_000, limits),
      { allowed: true, limit: 3, remaining: 0, resetAt: midnight },
      'the refused call took nothing off the day',
    );
    t.match(await counters.takeRate(tag, startMs + 61_000, limits), {
      allowed: false,
      limit: 3,
      remaining: 0,
      resetAt: midnight,
    });
  });

  await t.test('calls at once are counted in their order, and as many pass as there is room for', async (t) => {
    const tag = nextProject();
    const limits = [
      { key: 'minute', limit: 7, windowSeconds: 60 },
      { key: 'day', limit: 9, windowSeconds: 86_400 },
    ];
    const take = (count: number) =>
      Promise.all(Array.from({ length: count }, () => counters.takeRate(tag, startMs, limits)));
    const calls = [...(await take(2)), ...(await take(8))];
    t.same(
      calls.map(({ allowed, remaining }) => [allowed, remaining]),
      [6, 5, 4, 3, 2, 1, 0, 0, 0, 0].map((remaining, n) => [n < 7, remaining]),
    );
    const [otherLimit] = await Promise.all([
      counters.takeRate(tag, startMs + 60_000, [{ key: 'day', limit: 8, windowSeconds: 86_400 }]),
      counters.takeRate(tag, startMs + 60_000, limits),
    ]);
    t.match(otherLimit, { allowed: true, limit: 8, remaining: 0 }, 'the refused took nothing off the day');
  });

  await t.test('without limits everything is allowed', async (t) => {
    t.equal((await counters.takeRate(nextProject(), startMs, [])).allowed, true);
  });

  await t.test('scoring and takeRate share the limits of a project', async (t) => {
    const project = nextProject();
    const limits = [{ key: 'key', limit: 2, windowSeconds: 60 }];
    await counters.takeRate(project, startMs, limits);
    const counted = expectCounted(await counters.countScore(scoreInput(project, 's1', { limits })));
    t.equal(counted.rate.remaining, 0);
    t.equal((await counters.takeRate(project, startMs, limits)).allowed, false);
  });

  await t.test('a limited call counts nothing and leaves no receipt', async (t) => {
    const project = nextProject();
    const device = ref('d');
    const limited = await counters.countScore(
      scoreInput(project, 's1', { device, limits: [{ key: 'key', limit: 0, windowSeconds: 60 }] }),
    );
    t.match(limited, { kind: 'limited', rate: { allowed: false, limit: 0 } });
    t.equal(await counters.recentReceipt(project, `rcpt_${project}_s1`), null);
    t.equal((await countsOf(counters, scoreInput(project, 's2', { device }))).deviceSessionsDay, 1);
  });
}

async function testReceipts(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('a receipt is found by its id as it was counted, in its project only', async (t) => {
    const project = nextProject();
    await counters.storeProbe(probeInput(project, 's', { content: Buffer.from([1, 0, 200]) }));
    const content = Buffer.from([0, 1, 254, 255]);
    const counted = expectCounted(await counters.countScore(scoreInput(project, 's', { content, device: ref('d') })));
    const receipt = await counters.recentReceipt(project, counted.receiptId);
    t.same([...(receipt?.content ?? [])], [...content]);
    t.same(
      [receipt?.receiptId, receipt?.namespace, receipt?.device, receipt?.signatureFresh],
      [counted.receiptId, project, ref('d'), false],
    );
    t.same(receipt?.counts, counted.counts);
    t.same(receipt?.probe, counted.probe);
    t.equal(await counters.recentReceipt(nextProject(), counted.receiptId), null);
    await counters.forgetReceipts(nextProject(), [counted.receiptId]);
    t.not(
      await counters.recentReceipt(project, counted.receiptId),
      null,
      'another project forgets nothing of this one',
    );
    await counters.forgetReceipts(project, [counted.receiptId, 'rcpt_unknown']);
    t.equal(await counters.recentReceipt(project, counted.receiptId), null);
    t.equal(await counters.recentReceipt(project, 'rcpt_unknown'), null);
  });

  await t.test('the bytes of a receipt are those at the time of the call', async (t) => {
    const project = nextProject();
    const content = Buffer.from('before');
    await counters.countScore(scoreInput(project, 's', { content }));
    content.fill(0);
    t.equal(
      Buffer.from((await counters.recentReceipt(project, `rcpt_${project}_s`))?.content ?? []).toString(),
      'before',
    );
  });

  await t.test('an identical retry gets the first receipt and counts nothing, but takes off the limit', async (t) => {
    const project = nextProject();
    const limits = [{ key: 'key', limit: 3, windowSeconds: 60 }];
    const input = scoreInput(project, 's', { device: ref('d'), limits });
    const first = expectCounted(await counters.countScore(input));
    const retry = await counters.countScore({ ...input, receiptId: 'rcpt_second', content: Buffer.from('second') });
    if (retry.kind !== 'replayed') throw new Error(retry.kind);
    t.equal(retry.recorded.receiptId, first.receiptId);
    t.same(retry.recorded.counts, first.counts);
    t.equal(Buffer.from(retry.recorded.content).toString(), 'content of s');
    t.equal(retry.rate.remaining, 1);
    t.equal(await counters.recentReceipt(project, 'rcpt_second'), null);
    t.equal((await counters.countScore(input)).kind, 'replayed');
    t.equal((await counters.countScore(input)).kind, 'limited', 'the limits come first');
  });

  await t.test('a retry whose receipt was let go of is told its id and counts nothing', async (t) => {
    const project = nextProject();
    const limits = [{ key: 'key', limit: 9, windowSeconds: 60 }];
    const input = scoreInput(project, 's', { device: ref('d'), limits, idempotency: ref('key') });
    await counters.storeProbe(probeInput(project, 's'));
    await counters.countScore(input);
    await counters.releaseReceipts(nextProject(), [input.receiptId]);
    await counters.releaseReceipts(project, [input.receiptId, 'rcpt_unknown']);
    await counters.releaseReceipts(project, []);
    const retry = { ...input, receiptId: 'rcpt_second' };
    t.equal((await counters.countScore(retry)).kind, 'replayed', 'for some minutes it is still here');
    t.not(await counters.recentReceipt(project, input.receiptId), null);
    await counters.forgetReceipts(project, [input.receiptId]);

    const released = { kind: 'released', receiptId: input.receiptId };
    t.match(await counters.countScore(retry), { ...released, rate: { remaining: 6 } });
    t.match(await counters.countScore({ ...retry, idempotency: null }), released, 'known by its body');
    t.match(await counters.countScore({ ...retry, idempotency: ref('new key') }), released);
    t.match(await counters.countScore({ ...retry, fingerprint: 'other' }), { kind: 'conflict' });
    await counters.storeProbe(probeInput(project, 's', { phase: 'update', seq: 1 }));
    for (const key of ['key', 'new key'])
      t.match(await counters.countScore({ ...retry, idempotency: ref(key) }), released, 'known by its key');
    t.equal(await counters.recentReceipt(project, 'rcpt_second'), null);
    const other = scoreInput(project, 'other', { device: ref('d') });
    t.equal((await countsOf(counters, other)).deviceSessionsDay, 2, 'the session counts once');
  });

  await t.test(
    'a retry whose receipt is nowhere any more is counted when that is said, and answered again then',
    async (t) => {
      const project = nextProject();
      const input = scoreInput(project, 's', { idempotency: ref('key') });
      await counters.countScore(input);
      await counters.forgetReceipts(project, [input.receiptId]);
      const anew = { ...input, receiptId: 'rcpt_second', gone: input.receiptId };
      t.match(await counters.countScore({ ...anew, gone: 'rcpt_other' }), {
        kind: 'released',
        receiptId: input.receiptId,
      });
      const counted = expectCounted(await counters.countScore(anew));
      t.same([counted.receiptId, counted.supersedes], ['rcpt_second', input.receiptId]);
      t.match(await counters.countScore(input), { kind: 'replayed', recorded: { receiptId: 'rcpt_second' } });
      t.match(await counters.countScore(anew), { kind: 'replayed' }, 'of two at once, one is counted');
    },
  );

  await t.test('an idempotency key stands for its body and receipt for a day, whatever the probe sends', async (t) => {
    const project = nextProject();
    const input = scoreInput(project, 's', { idempotency: ref('key') });
    const keyed = (over: object = {}) => counters.countScore({ ...input, receiptId: 'rcpt_other', ...over });
    await counters.countScore(input);
    await counters.storeProbe(probeInput(project, 's'));
    t.match(await keyed(), { kind: 'replayed', recorded: { receiptId: input.receiptId } });
    t.match(await keyed({ fingerprint: 'other' }), { kind: 'conflict' });
    t.match(await keyed({ fingerprint: 'other', session: ref('other') }), { kind: 'conflict' }, 'of any session');
    t.match(await keyed({ fingerprint: 'other', namespace: `${project}~test` }), { kind: 'counted' }, 'of one mode');
    t.match(await keyed({ fingerprint: 'other', nowMs: startMs + 24 * hourMs }), { kind: 'counted' }, 'for a day');
  });

  await t.test(
    'of two calls at once with one idempotency key, one counts and the other gets its receipt',
    async (t) => {
      const input = scoreInput(nextProject(), 's', { idempotency: ref('key') });
      const answers = await Promise.all(
        ['rcpt_a', 'rcpt_b', 'rcpt_c'].map((receiptId) => counters.countScore({ ...input, receiptId })),
      );
      t.same(answers.map(({ kind }) => kind).sort(), ['counted', 'replayed', 'replayed']);
      const ids = answers.map((answer) =>
        answer.kind === 'replayed' ? answer.recorded.receiptId : expectCounted(answer).receiptId,
      );
      t.equal(new Set(ids).size, 1);
    },
  );

  await t.test('what is kept of a session is told without changing it', async (t) => {
    const project = nextProject();
    t.equal(await counters.findProbe(project, ref('s'), startMs), null);
    await counters.storeProbe(probeInput(project, 's'));
    const probe = await counters.findProbe(project, ref('s'), startMs);
    t.match(probe, { device: ref('device of s'), pages: [{ update: null }] });
    t.equal(Buffer.from(probe?.pages[0]?.load ?? []).toString(), 'load of s');
    t.same(probe, expectCounted(await counters.countScore(scoreInput(project, 's'))).probe);
    t.equal(await counters.findProbe(project, ref('s'), startMs + 25 * hourMs), null);
    await counters.forgetProbes(nextProject(), [ref('s')]);
    t.not(await counters.findProbe(project, ref('s'), startMs), null, 'another project forgets nothing of this one');
    await counters.forgetProbes(project, [ref('s'), ref('unknown')]);
    t.equal(await counters.findProbe(project, ref('s'), startMs), null);
    t.same(await counters.wereScored(project, [ref('other'), ref('s')]), [false, true]);
    t.same(await counters.wereScored(`${project}~test`, [ref('s')]), [false], 'each mode by itself');
    t.same(await counters.wereScored(project, []), []);
  });

  await t.test('a receipt names the one that the session got before it', async (t) => {
    const project = nextProject();
    const input = scoreInput(project, 's');
    const score = async (receiptId: string, fingerprint: string) =>
      expectCounted(await counters.countScore({ ...input, receiptId, fingerprint })).supersedes;
    t.same(
      [await score('rcpt_1', 'a'), await score('rcpt_2', 'b'), await score('rcpt_3', 'c')],
      [null, 'rcpt_1', 'rcpt_2'],
    );
    t.equal((await counters.recentReceipt(project, 'rcpt_2'))?.supersedes, 'rcpt_1', 'also when it is read again');
    t.equal(expectCounted(await counters.countScore(scoreInput(project, 'other'))).supersedes, null);
  });

  await t.test('another body of the same session is scored again and found again', async (t) => {
    const project = nextProject();
    const input = scoreInput(project, 's');
    await counters.countScore(input);
    t.equal((await counters.countScore({ ...input, fingerprint: 'other', receiptId: 'rcpt_2' })).kind, 'counted');
    t.match(await counters.countScore(input), { kind: 'replayed', recorded: { receiptId: input.receiptId } });
    t.match(await counters.countScore({ ...input, fingerprint: 'other' }), {
      kind: 'replayed',
      recorded: { receiptId: 'rcpt_2' },
    });
  });

  await t.test(
    'after its probe came a session is scored again, and counts its device then, nothing else twice',
    async (t) => {
      const project = nextProject();
      const input = scoreInput(project, 's', { respondent: ref('r'), source: ref('source') });
      const before = await countsOf(counters, input);
      t.same([before.deviceSessionsDay, before.respondentDay, before.terms], [null, 1, null]);
      await counters.storeProbe(probeInput(project, 's'));
      const after = await countsOf(counters, { ...input, receiptId: 'rcpt_2', nowMs: startMs + minuteMs });
      t.same(
        [
          after.deviceSessionsDay,
          after.respondentDay,
          after.addressSessionsHour,
          after.prefixSessionsDay,
          after.source?.hour,
        ],
        [1, 1, 1, 1, 1],
      );
      t.same([after.respondentDevicesWeek, after.deviceRespondentsDay, after.neighborhood.sessions], [1, 1, 1]);
      t.same(after.terms, { total: 1, counts: [1, 1, null] });
      await counters.storeProbe(probeInput(project, 's', { phase: 'update', seq: 1 }));
      const again = await countsOf(counters, { ...input, receiptId: 'rcpt_3', nowMs: startMs + 2 * minuteMs });
      t.same(again, after);
    },
  );

  await t.test('a retry is no longer identical once its receipt expired', async (t) => {
    const project = nextProject();
    const input = scoreInput(project, 's', { device: ref('d') });
    await counters.countScore(input);
    t.equal(
      (await counters.countScore({ ...input, nowMs: startMs + 24 * hourMs, receiptId: 'rcpt_2' })).kind,
      'counted',
    );
  });
}

async function testSignatures(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('a signature is good for the one session that brought it first', async (t) => {
    const project = nextProject();
    const signature = ref('signature');
    const fresh = async (session: string, over: Partial<ScoreCountInput>) =>
      expectCounted(await counters.countScore(scoreInput(project, session, over))).signatureFresh;
    t.equal(await fresh('s0', {}), false, 'without a signature');
    t.equal(await fresh('s1', { signature }), true);
    t.equal(await fresh('s1', { signature, fingerprint: 'other' }), true, 'the same session scored again');
    t.equal(await fresh('s2', { signature }), false);
    t.equal(
      expectCounted(await counters.countScore(scoreInput(nextProject(), 's2', { signature }))).signatureFresh,
      true,
      'in another project',
    );
  });
}
