/**
 * Promises of every adapter about probes: all page loads of a session stand, within bounds that clean ones cannot use to push out the worst.
 */
import type { Test } from 'tap';
import type { ProbeStoreInput, StoredProbe } from '../../../src/stores/counters/port.js';
import { bounds } from '../../../src/stores/counters/bounds.js';
import {
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

const text = (content: Uint8Array | null | undefined) => (content == null ? null : Buffer.from(content).toString());
const textsOf = (probe: StoredProbe | null) =>
  (probe?.pages ?? []).map(({ load, update }) => [text(load), text(update)]);

export async function testProbes(t: Test, subject: ContractSubject): Promise<void> {
  await testMessages(t, subject);
  await testPages(t, subject);
  await testLifetimes(t, subject);
  await testMovement(t, subject);
}

const probeOf = async (
  { counters }: ContractSubject,
  project: string,
  session: string,
  receipt: string,
  nowMs = startMs,
) =>
  expectCounted(
    await counters.countScore(scoreInput(project, session, { receiptId: receipt, fingerprint: receipt, nowMs })),
  ).probe;

async function testMovement(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const note = (projectId: string, session: string, marks: readonly string[], nowMs = startMs) =>
    counters.noteMovement({ projectId, session: ref(session), marks, nowMs });
  const marks = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'];

  await t.test('the same input in other sessions is counted, by the groups of marks that agree', async (t) => {
    const project = nextProject();
    t.equal(await note(project, 's1', marks), 0);
    t.equal(await note(project, 's1', marks), 0, 'its own is not another’s');
    t.equal(await note(project, 's2', ['a1', 'a2', 'b1', 'b2', 'c9', 'd9']), 0, 'two groups agree by chance');
    t.equal(await note(project, 's3', ['a1', 'a8', 'b2', 'b8', 'c1', 'c8', 'd8']), 1);
    t.equal(await note(project, 's4', marks), 2);
    t.equal(await note(project, 's4', marks), 2, 'and once');
    t.equal(await note(nextProject(), 's5', marks), 0, 'of the project alone');
  });

  await t.test('input is remembered to the end of the next day, of as many sessions as are kept', async (t) => {
    const project = nextProject();
    const day = bounds.dayMs;
    await note(project, 's1', marks);
    t.equal(await note(project, 's2', marks, startMs + day), 1);
    t.equal(await note(project, 's3', marks, startMs + 3 * day), 0);
    for (let i = 0; i < 12; i += 1) await note(project, `more ${i}`, marks, startMs + 3 * day);
    t.equal(await note(project, 'last', marks, startMs + 3 * day), bounds.movementSessionsMax);
  });
}

async function testMessages(t: Test, subject: ContractSubject): Promise<void> {
  const { counters, nextProject } = subject;
  await t.test('the newest load and the newest update of a page are kept apart', async (t) => {
    const project = nextProject();
    const sketch = sketchOf('x', null);
    const load = probeInput(project, 's', { content: Buffer.from([0, 255, 128]), sketch, bands: ['b1', 'b2'] });
    const update = { ...load, phase: 'update' as const, device: null, sketch: null, bands: [] };
    t.equal(await counters.storeProbe(load), 'stored');
    t.equal(await counters.storeProbe({ ...update, seq: 2, content: Buffer.from('two') }), 'stored');
    t.equal(await counters.storeProbe({ ...update, seq: 1, content: Buffer.from('one') }), 'stale');
    t.equal(await counters.storeProbe({ ...update, seq: 2, content: Buffer.from('again') }), 'stale');
    const probe = await probeOf(subject, project, 's', 'r1');
    t.equal(probe?.pages.length, 1);
    t.same([...(probe?.pages[0]?.load ?? [])], [0, 255, 128]);
    t.equal(text(probe?.pages[0]?.update), 'two');
    t.same([probe?.device, probe?.sketch, probe?.bands], [ref('device of s'), sketch, ['b1', 'b2']]);
  });

  await t.test('a load that arrives after its updates is kept', async (t) => {
    const project = nextProject();
    const early = probeInput(project, 's', { phase: 'update', seq: 3, content: Buffer.from('three') });
    t.equal(await counters.storeProbe(early), 'stored');
    const before = await probeOf(subject, project, 's', 'r1');
    t.same([textsOf(before), before?.device], [[[null, 'three']], null]);
    t.equal(await counters.storeProbe(probeInput(project, 's', { seq: 0 })), 'stored');
    const whole = await probeOf(subject, project, 's', 'r2');
    t.same([textsOf(whole), whole?.device], [[['load of s', 'three']], ref('device of s')]);
  });

  await t.test('a load that said more than the one that replaces it stays beside it', async (t) => {
    const project = nextProject();
    await counters.storeProbe(
      probeInput(project, 's', { content: Buffer.from('webdriver'), indicators: [['webdriver', 4.5]] }),
    );
    await counters.storeProbe(probeInput(project, 's', { seq: 1, content: Buffer.from('clean') }));
    await counters.storeProbe(probeInput(project, 's', { seq: 2, content: Buffer.from('as clean') }));
    t.same(textsOf(await probeOf(subject, project, 's', 'r1')), [
      ['as clean', null],
      ['webdriver', null],
    ]);
  });

  await t.test(
    'each update that said what no later one says as much stays beside its page, and no other',
    async (t) => {
      const project = nextProject();
      await counters.storeProbe(probeInput(project, 's', { indicators: [['headless', 2]] }));
      const update = (seq: number, indicators: ProbeStoreInput['indicators'], over: object = {}) =>
        counters.storeProbe(
          probeInput(project, 's', {
            phase: 'update',
            seq,
            content: Buffer.from(`update ${seq}`),
            indicators,
            ...over,
          }),
        );
      await update(1, [['headless', 1]]);
      await update(2, [['untrusted', 4]]);
      await update(3, [['dwell', 3]]);
      await update(4, [['untrusted', 4]]);
      await update(5, []);
      const kept = textsOf(await probeOf(subject, project, 's', 'r1', startMs + 2 * hourMs));
      t.same(kept[0], ['load of s', 'update 5']);
      t.same(kept.slice(1).sort(), [
        [null, 'update 2'],
        [null, 'update 3'],
      ]);
    },
  );

  await t.test('what two loads said stays, though the second said more than the first', async (t) => {
    const project = nextProject();
    const said: readonly ProbeStoreInput['indicators'][] = [[['webdriver', 4.5]], [['lies', 5]], []];
    for (const [seq, indicators] of said.entries())
      await counters.storeProbe(probeInput(project, 's', { seq, content: Buffer.from(`load ${seq}`), indicators }));
    t.same(
      textsOf(await probeOf(subject, project, 's', 'r1'))
        .map(([load]) => load)
        .sort(),
      ['load 0', 'load 1', 'load 2'],
    );
  });

  await t.test('a nonce is good for one session of its project', async (t) => {
    const project = nextProject();
    const nonce = ref('nonce');
    t.equal(await counters.storeProbe(probeInput(project, 's1', { nonce })), 'stored');
    t.equal(await counters.storeProbe(probeInput(project, 's2', { nonce })), 'nonce_reused');
    t.equal(await probeOf(subject, project, 's2', 'r2'), null);
    t.equal(await counters.storeProbe(probeInput(nextProject(), 's2', { nonce })), 'stored');
  });

  await t.test('the device of the call goes before the probe’s', async (t) => {
    const project = nextProject();
    await counters.storeProbe(probeInput(project, 's'));
    const counted = expectCounted(await counters.countScore(scoreInput(project, 's', { device: ref('named') })));
    t.equal(counted.device, ref('named'));
  });
}

async function testPages(t: Test, subject: ContractSubject): Promise<void> {
  const { counters, nextProject } = subject;
  const send = (project: string, name: string, over: object = {}) =>
    counters.storeProbe(
      probeInput(project, 's', { nonce: ref(name), content: Buffer.from(name), device: ref(name), ...over }),
    );

  await t.test('all page loads of a session count, and the device is that of the first', async (t) => {
    const project = nextProject();
    await send(project, 'one', { device: null });
    await send(project, 'two', { sketch: sketchOf('other') });
    await send(project, 'one', { phase: 'update', seq: 9, content: Buffer.from('update of one') });
    const probe = await probeOf(subject, project, 's', 'r1');
    t.same(textsOf(probe), [
      ['one', 'update of one'],
      ['two', null],
    ]);
    t.equal(probe?.device, ref('two'), 'the first page that has one');
    t.same(probe?.sketch, sketchOf('a', 'b', null));
  });

  await t.test('clean page loads push out neither the worst nor the first, however many come', async (t) => {
    const project = nextProject();
    await send(project, 'first');
    await send(project, 'webdriver', { indicators: [['webdriver', 4.5]] });
    for (let i = 0; i < 30; i += 1) await send(project, `clean ${i}`);
    const loads = textsOf(await probeOf(subject, project, 's', 'r1')).map(([load]) => load);
    t.equal(loads.length, bounds.pagesMax);
    t.ok(loads.includes('webdriver') && loads.includes('first') && loads.includes('clean 29'));
    t.equal(await send(project, 'clean 28', { phase: 'update', seq: 4 }), 'stale', 'a page let go is heard no more');
    await send(project, 'worse', { indicators: [['lies', 9]] });
    await send(project, 'last');
    const later = textsOf(await probeOf(subject, project, 's', 'r2')).map(([load]) => load);
    t.ok(later.includes('webdriver') && later.includes('worse') && later.includes('last'));
  });

  await t.test('the bytes of a session are bounded', async (t) => {
    const project = nextProject();
    for (let i = 0; i < 8; i += 1)
      await send(project, `page ${i}`, {
        content: Buffer.alloc(16_000, 65 + i),
        indicators: i === 3 ? [['lies', 1]] : [],
      });
    const probe = await probeOf(subject, project, 's', 'r1');
    t.same(
      probe?.pages.map(({ load }) => String.fromCharCode(load?.[0] ?? 0)),
      ['A', 'B', 'D', 'H'],
    );
  });

  await t.test('a receipt keeps the pages that it was made of', async (t) => {
    const project = nextProject();
    await send(project, 'one');
    await send(project, 'two');
    const before = await probeOf(subject, project, 's', 'r1');
    await send(project, 'one', { seq: 5, content: Buffer.from('one again') });
    for (let i = 0; i < 12; i += 1) await send(project, `later ${i}`);
    t.same((await counters.recentReceipt(project, 'r1'))?.probe, before);
    t.not(textsOf(await probeOf(subject, project, 's', 'r2')).length, 2);
    t.same((await counters.recentReceipt(project, 'r1'))?.probe, before);
  });
}

async function testLifetimes(t: Test, subject: ContractSubject): Promise<void> {
  const { counters, nextProject } = subject;
  await t.test('a probe waits a day for its session, and no longer', async (t) => {
    const project = nextProject();
    await counters.storeProbe(probeInput(project, 's'));
    const early = scoreInput(project, 's', { nowMs: startMs + 24 * hourMs - 1 });
    t.equal(expectCounted(await counters.countScore(early)).device, ref('device of s'));
    const late = scoreInput(project, 's', { nowMs: startMs + 24 * hourMs, fingerprint: 'late' });
    const { probe, device } = expectCounted(await counters.countScore(late));
    t.same([probe, device], [null, null]);
  });

  await t.test('an update without a load is kept an hour at most', async (t) => {
    const project = nextProject();
    const update = (session: string, over: object = {}) =>
      counters.storeProbe(probeInput(project, session, { phase: 'update', nonce: ref(`of ${session}`), ...over }));
    await update('s1');
    t.ok(await probeOf(subject, project, 's1', 'r1', startMs + hourMs - 1));
    t.equal(await probeOf(subject, project, 's1', 'r2', startMs + hourMs), null);
    t.equal(await update('s9', { nonce: ref('of s1'), nowMs: startMs + hourMs }), 'stored', 'nor is its nonce');
    await counters.storeProbe(probeInput(project, 's2'));
    await update('s2', { content: Buffer.from('alone') });
    t.equal((await probeOf(subject, project, 's2', 'r3', startMs + minuteMs))?.pages.length, 2);
    t.same(textsOf(await probeOf(subject, project, 's2', 'r4', startMs + hourMs)), [['load of s2', null]]);
  });
}
