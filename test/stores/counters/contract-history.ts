/**
 * Contract of the counters, part four: published history, complete projects, and sessions restored after a loss.
 */
import type { Test } from 'tap';
import type { CountedSession, HistoryValue, ScoreCountInput } from '../../../src/stores/counters/port.js';
import {
  countsOf,
  expectCounted,
  hourMs,
  minuteMs,
  probeInput,
  ref,
  scoreInput,
  sketchOf,
  startMs,
  type ContractSubject,
} from './inputs.js';

const nobody = { respondent: null, source: null, subSource: null };
const some: HistoryValue = { n: 12.062_519_283_746_51, fraud: 0.000_123_456_789_012_3, clawbacks: 2, asOfDay: 20_727 };

export async function testHistory(t: Test, subject: ContractSubject): Promise<void> {
  await testPublished(t, subject);
  await testCompleteness(t, subject);
  await testRestored(t, subject);
}

/** The restored form of a session that was scored like this. */
export function countedOf(
  input: ScoreCountInput,
  probe: { sketch: CountedSession['sketch']; bands: readonly string[]; token?: string | null } = {
    sketch: null,
    bands: [],
  },
): CountedSession {
  const { nowMs, session, scope, respondent, device, address, prefix, source, deviceClass, addressShared, host } =
    input;
  return {
    nowMs,
    session,
    scope,
    respondent,
    device,
    address,
    prefix,
    source,
    deviceClass,
    addressShared,
    host,
    token: probe.token ?? null,
    sketch: probe.sketch,
    bands: probe.bands,
  };
}

async function testPublished(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const historyOf = async (project: string, session: string, history: Partial<ScoreCountInput['history']>) =>
    expectCounted(await counters.countScore(scoreInput(project, session, { history: { ...nobody, ...history } })))
      .history;

  await t.test('published history is read with the count, to the last digit, in its project only', async (t) => {
    const project = nextProject();
    await counters.publishHistory(project, [
      { subject: ref('r'), version: 1, value: some },
      { subject: ref('s'), version: 1, value: { ...some, n: 5 } },
    ]);
    t.same(await historyOf(project, 's1', { respondent: ref('r'), source: ref('s'), subSource: ref('unknown') }), {
      respondent: some,
      source: { ...some, n: 5 },
      subSource: null,
    });
    const further = { range: ref('s'), network: ref('unknown'), study: ref('r') };
    t.same(
      await historyOf(project, 's5', further),
      { ...nobody, range: { ...some, n: 5 }, study: some },
      'further subjects where they have a record',
    );
    const young = { ...some, young: [[0, 3] as const, [59, 12] as const] };
    await counters.publishHistory(project, [{ subject: ref('y'), version: 1, value: young }]);
    t.same((await historyOf(project, 's4', { respondent: ref('y') })).respondent, young, 'with what is young');
    t.same(await historyOf(project, 's2', {}), nobody, 'whoever is not named');
    const onDevice = scoreInput(project, 's6', { device: ref('s') });
    t.same(expectCounted(await counters.countScore(onDevice)).history, { ...nobody, device: { ...some, n: 5 } });
    await counters.storeProbe(probeInput(project, 's7', { device: ref('r') }));
    const onToken = expectCounted(await counters.countScore(scoreInput(project, 's7', { device: null })));
    t.same(onToken.history, { ...nobody, device: some }, 'a device that the probe named');
    t.same(await historyOf(nextProject(), 's3', { respondent: ref('r') }), nobody);
  });

  await t.test('an equal or lower version never replaces a higher one', async (t) => {
    const project = nextProject();
    const publish = (version: number, n: number) =>
      counters.publishHistory(project, [{ subject: ref('r'), version, value: { ...some, n } }]);
    await publish(9, 1);
    await publish(10, 2);
    await publish(10, 3);
    await publish(9, 4);
    t.equal((await historyOf(project, 's', { respondent: ref('r') })).respondent?.n, 2);
  });

  await t.test('many records are published at once, and none is nothing', async (t) => {
    const project = nextProject();
    await counters.publishHistory(project, []);
    await counters.publishHistory(
      project,
      Array.from({ length: 250 }, (_, i) => ({ subject: ref(`r${i}`), version: 1, value: { ...some, n: i } })),
    );
    const { respondent, source } = await historyOf(project, 's', { respondent: ref('r0'), source: ref('r249') });
    t.same([respondent?.n, source?.n], [0, 249]);
  });

  await t.test(
    'a retry and the receipt tell history and completeness as they were when the session was counted',
    async (t) => {
      const project = nextProject();
      const input = scoreInput(project, 's', { history: { ...nobody, respondent: ref('r') } });
      await counters.publishHistory(project, [{ subject: ref('r'), version: 1, value: some }]);
      await counters.countScore(input);
      await counters.publishHistory(project, [{ subject: ref('r'), version: 2, value: { ...some, n: 99 } }]);
      await counters.markComplete(project);
      const retry = await counters.countScore(input);
      t.match(retry, { kind: 'replayed', recorded: { complete: false, history: { ...nobody, respondent: some } } });
      t.match(await counters.recentReceipt(project, input.receiptId), {
        complete: false,
        history: { respondent: some },
      });
    },
  );

  await t.test('the probe of a receipt stays what it was, whatever the page sends later', async (t) => {
    const project = nextProject();
    const update = (seq: number) =>
      probeInput(project, 's', { phase: 'update', seq, content: Buffer.from(`update ${seq}`) });
    await counters.storeProbe(probeInput(project, 's', { bands: ['b1'] }));
    await counters.storeProbe(update(1));
    const first = expectCounted(
      await counters.countScore(scoreInput(project, 's', { fingerprint: 'a', receiptId: 'rcpt_a' })),
    );
    await counters.storeProbe(update(2));
    await counters.storeProbe(update(3));
    const second = expectCounted(
      await counters.countScore(scoreInput(project, 's', { fingerprint: 'b', receiptId: 'rcpt_b' })),
    );
    await counters.storeProbe(
      probeInput(project, 's', {
        nonce: ref('second page'),
        sketch: null,
        content: Buffer.from('second load'),
        nowMs: startMs + 25 * hourMs,
      }),
    );
    await counters.storeProbe(
      probeInput(project, 's', { nonce: ref('second page'), phase: 'update', seq: 4, nowMs: startMs + 25 * hourMs }),
    );
    t.equal(Buffer.from(first.probe?.pages[0]?.update ?? []).toString(), 'update 1');
    t.equal(Buffer.from(second.probe?.pages[0]?.update ?? []).toString(), 'update 3');
    t.same((await counters.recentReceipt(project, 'rcpt_a'))?.probe, first.probe);
    t.same((await counters.recentReceipt(project, 'rcpt_b'))?.probe, second.probe);
  });
}

async function testCompleteness(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('a project is incomplete until it is marked, and each call says so', async (t) => {
    const project = nextProject();
    t.equal((await counters.checkComplete(project)).isComplete, false);
    t.equal(expectCounted(await counters.countScore(scoreInput(project, 's1'))).complete, false);
    t.equal((await counters.checkComplete(project)).isComplete, false, 'counting alone warms nothing');
    await counters.markComplete(project);
    t.equal((await counters.checkComplete(project)).isComplete, true);
    t.equal(expectCounted(await counters.countScore(scoreInput(project, 's2'))).complete, true);
    t.same(await counters.checkComplete(nextProject()), { isComplete: false, keptUpToMs: null });
    t.equal(await counters.claimRebuild(project, 'one', false), 'held');
    t.equal(await counters.rebuiltDownTo(project), null, 'a rebuild begins at the beginning');
    t.equal(await counters.noteRebuilt(project, 'one', 'rcpt_1'), true);
    t.equal(await counters.markComplete(project, 'one'), true, 'by who rebuilt it');
  });
}

async function testRestored(t: Test, { counters, nextProject, setClock }: ContractSubject): Promise<void> {
  await t.test('a restored session counts once, and its retry gets a new receipt', async (t) => {
    const project = nextProject();
    const input = scoreInput(project, 's', { device: ref('d'), idempotency: ref('key') });
    await counters.restoreSessions(project, [countedOf(input)]);
    const retried = expectCounted(await counters.countScore({ ...input, receiptId: 'rcpt_retry' }));
    t.match(retried, { receiptId: 'rcpt_retry', supersedes: null, counts: { deviceSessionsDay: 1 } });
  });

  const same = {
    device: ref('d'),
    respondent: ref('r'),
    address: ref('a'),
    source: ref('source'),
    deviceClass: 'windows/chrome',
  };
  const probe = { sketch: sketchOf('x', 'y', null), bands: ['b1', 'b2'] };
  const at = (project: string, i: number) =>
    scoreInput(project, `s${i}`, {
      ...same,
      prefix: ref(`p${i % 3}`),
      device: ref(`d${i % 2}`),
      respondent: ref(`r${i}`),
      nowMs: startMs - (10 - i) * 20 * minuteMs,
    });

  const restored = (project: string, i: number) =>
    countedOf(at(project, i), { ...probe, token: ref(`device of s${i}`) });

  /** A project that counted ten sessions, each with its probe, and what it says of one more. */
  const live = async (project: string): Promise<ReturnType<typeof countsOf>> => {
    for (let i = 0; i < 10; i += 1) {
      const input = at(project, i);
      await counters.storeProbe(probeInput(project, `s${i}`, { ...probe, nowMs: input.nowMs }));
      await countsOf(counters, input);
    }
    return last(project);
  };
  const last = async (project: string) => {
    await counters.storeProbe(probeInput(project, 'last', probe));
    return countsOf(counters, scoreInput(project, 'last', { ...same, prefix: ref('p1') }));
  };

  await t.test('restored sessions count as if they had been scored', async (t) => {
    const expected = await live(nextProject());
    const project = nextProject();
    await counters.restoreSessions(
      project,
      Array.from({ length: 10 }, (_, i) => restored(project, i)),
    );
    t.same(await last(project), expected);
  });

  await t.test('a session counts once, however often it is restored, before and after it is scored', async (t) => {
    const expected = await live(nextProject());
    const project = nextProject();
    const sessions = Array.from({ length: 10 }, (_, i) => restored(project, i));
    await counters.restoreSessions(project, sessions.slice(0, 6));
    await counters.restoreSessions(project, sessions);
    for (const i of [8, 9]) {
      await counters.storeProbe(probeInput(project, `s${i}`, { ...probe, nowMs: at(project, i).nowMs }));
      await countsOf(counters, at(project, i));
    }
    await counters.restoreSessions(project, sessions);
    t.same(await last(project), expected);
  });

  await t.test('sessions restored behind those counted meanwhile take their place in time', async (t) => {
    const expected = await live(nextProject());
    const project = nextProject();
    for (const i of [8, 9]) {
      await counters.storeProbe(probeInput(project, `s${i}`, { ...probe, nowMs: at(project, i).nowMs }));
      await countsOf(counters, at(project, i));
    }
    await counters.restoreSessions(
      project,
      Array.from({ length: 10 }, (_, i) => restored(project, i)),
    );
    t.same(await last(project), expected);
  });

  await t.test('what a counter no longer looks back to is left out, and the rest is found', async (t) => {
    const project = nextProject();
    const old = { ...restored(project, 0), nowMs: startMs - 20 * 24 * hourMs };
    await counters.restoreSessions(project, [old, old]);
    const counts = await countsOf(
      counters,
      scoreInput(project, 'now', { respondent: ref('r0'), address: ref('a'), source: ref('source') }),
    );
    t.match(counts, {
      respondentDay: 1,
      addressSessionsHour: 1,
      addressDevicesHour: null,
      source: { hour: 1, mean: 1, hours: 1 },
      neighborhood: { sessions: 1 },
    });
    t.match(counts.candidates, [{ session: ref('s0'), atMs: old.nowMs, via: 'respondent', device: ref('d0') }]);
  });

  await t.test('what had expired when a session is restored does not come back with it', async (t) => {
    const project = nextProject();
    const device = ref('expired');
    const scoredAt = (nowMs: number, session: string, over: Partial<ScoreCountInput>) =>
      countsOf(counters, scoreInput(project, session, { ...over, nowMs }));
    await scoredAt(startMs, 'back', { device });
    // Sets since when the neighborhood looks back.
    await scoredAt(startMs + 2 * hourMs, 'between', {});
    setClock(startMs + 24.5 * hourMs);
    await scoredAt(startMs + 24.5 * hourMs, 'later', { device });
    setClock(startMs + 25 * hourMs);
    // Its link to the device ended an hour before, though not yet at the time at which the session is restored.
    const back = scoreInput(project, 'back', { respondent: ref('r'), nowMs: startMs + 20 * hourMs });
    await counters.restoreSessions(project, [countedOf(back)]);
    const { neighborhood } = await scoredAt(startMs + 25 * hourMs, 'now', { respondent: ref('r') });
    setClock(startMs);
    t.match(neighborhood, { direct: 1, linked: 0 });
  });

  await t.test('at most 500 are restored at once', async (t) => {
    const project = nextProject();
    await t.rejects(
      counters.restoreSessions(
        project,
        Array.from({ length: 501 }, (_, i) => countedOf(at(project, i))),
      ),
      RangeError,
    );
  });
}
