/**
 * Contract of the counters, part three: candidates for a duplicate, and the neighborhood.
 */
import type { Test } from 'tap';
import {
  countsOf,
  hourMs,
  minuteMs,
  probeInput,
  ref,
  scoreInput,
  sketchOf,
  startMs,
  type ContractSubject,
} from './inputs.js';

const dayMs = 24 * hourMs;

export async function testRelations(t: Test, subject: ContractSubject): Promise<void> {
  await testCandidates(t, subject);
  await testTies(t, subject);
  await testPrefixes(t, subject);
}

async function testCandidates(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test(
    'candidates come by respondent, device and band, latest first, each with what is known of it',
    async (t) => {
      const project = nextProject();
      const sketch = sketchOf('x', null, 'y');
      await countsOf(counters, scoreInput(project, 's1', { respondent: ref('r') }));
      await countsOf(counters, scoreInput(project, 's2', { device: ref('d'), nowMs: startMs + 1_000 }));
      await counters.storeProbe(probeInput(project, 's3', { device: null, sketch, bands: ['b1', 'b2'] }));
      await countsOf(counters, scoreInput(project, 's3', { nowMs: startMs + 2_000 }));
      await countsOf(counters, scoreInput(project, 'stranger', { respondent: ref('other'), device: ref('other') }));
      await counters.storeProbe(probeInput(project, 's4', { device: null, sketch: null, bands: ['b2', 'b3'] }));
      const { candidates } = await countsOf(
        counters,
        scoreInput(project, 's4', { respondent: ref('r'), device: ref('d'), nowMs: startMs + 3_000 }),
      );
      t.same(candidates, [
        {
          session: ref('s3'),
          atMs: startMs + 2_000,
          respondent: null,
          device: null,
          prefix: ref('prefix of s3'),
          token: null,
          address: ref('address of s3'),
          sketch,
          via: 'similar',
        },
        {
          session: ref('s2'),
          atMs: startMs + 1_000,
          respondent: null,
          device: ref('d'),
          prefix: ref('prefix of s2'),
          token: null,
          address: ref('address of s2'),
          sketch: null,
          via: 'device',
        },
        {
          session: ref('s1'),
          atMs: startMs,
          respondent: ref('r'),
          device: null,
          prefix: ref('prefix of s1'),
          token: null,
          address: ref('address of s1'),
          sketch: null,
          via: 'respondent',
        },
      ]);
    },
  );

  await t.test(
    'a session is never its own candidate, and once scored again it is known by what came later',
    async (t) => {
      const project = nextProject();
      await countsOf(counters, scoreInput(project, 's1', { respondent: ref('r') }));
      await counters.storeProbe(probeInput(project, 's1', { device: ref('d'), bands: ['b'] }));
      const again = await countsOf(
        counters,
        scoreInput(project, 's1', { respondent: ref('r'), nowMs: startMs + minuteMs }),
      );
      t.same(again.candidates, []);
      const { candidates } = await countsOf(
        counters,
        scoreInput(project, 's2', { device: ref('d'), nowMs: startMs + 2 * minuteMs }),
      );
      t.match(candidates, [
        {
          session: ref('s1'),
          atMs: startMs,
          respondent: ref('r'),
          device: ref('d'),
          sketch: sketchOf('a', 'b', null),
          via: 'device',
        },
      ]);
    },
  );

  await t.test(
    'a candidate tells the token that its page kept, and its address unless strangers share it',
    async (t) => {
      const project = nextProject();
      const hashed = { device: ref('hash') };
      await counters.storeProbe(probeInput(project, 'kept', { device: ref('token') }));
      await countsOf(counters, scoreInput(project, 'kept', { ...hashed, address: ref('home') }));
      const shared = { ...hashed, address: ref('carrier'), addressShared: true, nowMs: startMs + 1_000 };
      await countsOf(counters, scoreInput(project, 'shared', shared));
      const { candidates } = await countsOf(
        counters,
        scoreInput(project, 'now', { ...hashed, nowMs: startMs + 2_000 }),
      );
      t.match(candidates, [
        { session: ref('shared'), device: ref('hash'), token: null, address: null },
        { session: ref('kept'), device: ref('hash'), token: ref('token'), address: ref('home') },
      ]);
    },
  );

  await t.test('the token that a page keeps is found for 30 days, with a device hash or without', async (t) => {
    const project = nextProject();
    const visit = async (session: string, device: string | null, nowMs: number) => {
      await counters.storeProbe(probeInput(project, session, { device: ref('token'), bands: [], nowMs }));
      const { candidates } = await countsOf(counters, scoreInput(project, session, { device, nowMs }));
      return candidates.map((candidate) => [candidate.session, candidate.via]);
    };
    await visit('hashed', ref('hash'), startMs);
    t.same(await visit('other hash', ref('other'), startMs + 1_000), [[ref('hashed'), 'token']]);
    t.same(await visit('same hash', ref('hash'), startMs + 2_000), [
      [ref('other hash'), 'token'],
      [ref('hashed'), 'device'],
    ]);
    const tokenAlone = await visit('no hash', null, startMs + 30 * dayMs);
    t.same(tokenAlone, [
      [ref('same hash'), 'device'],
      [ref('other hash'), 'device'],
    ]);
  });

  await t.test(
    'an address is found for seven days, the latest four of one class, unless strangers share it',
    async (t) => {
      const project = nextProject();
      const visit = async (session: string, nowMs: number, over: Parameters<typeof scoreInput>[2] = {}) => {
        const input = scoreInput(project, session, { address: ref('home'), deviceClass: 'ios/safari', nowMs, ...over });
        const { candidates } = await countsOf(counters, input);
        return candidates.map((candidate) => [candidate.session, candidate.via]);
      };
      await visit('first', startMs, { respondent: ref('r') });
      t.same(await visit('other class', startMs + 1, { deviceClass: 'macos/safari' }), []);
      t.same(await visit('shared', startMs + 2, { addressShared: true }), []);
      t.same(await visit('other respondent', startMs + 3, { respondent: ref('s') }), [[ref('first'), 'address']]);
      t.same(await visit('same respondent', startMs + 4, { respondent: ref('r') }), [
        [ref('other respondent'), 'address'],
        [ref('first'), 'respondent'],
      ]);
      t.same((await visit('within', startMs + 7 * dayMs - 1)).length, 3);
      t.same(
        (await visit('after', startMs + 7 * dayMs + 3)).map(([session]) => session),
        [ref('within'), ref('same respondent')],
      );
      for (let i = 0; i < 10; i += 1) await visit(`s${i}`, startMs + 8 * dayMs + i);
      t.same(
        await visit('last', startMs + 8 * dayMs + 10),
        Array.from({ length: 4 }, (_, i) => [ref(`s${9 - i}`), 'address']),
      );
    },
  );

  await t.test('respondents and devices are found for 30 days, likeness for one', async (t) => {
    const project = nextProject();
    await counters.storeProbe(probeInput(project, 'probed', { device: null, bands: ['b'] }));
    await countsOf(counters, scoreInput(project, 'probed'));
    await countsOf(counters, scoreInput(project, 'named', { respondent: ref('r'), device: ref('d') }));
    const found = async (session: string, nowMs: number) => {
      await counters.storeProbe(probeInput(project, session, { device: null, bands: ['b'], nowMs }));
      const { candidates } = await countsOf(counters, scoreInput(project, session, { respondent: ref('r'), nowMs }));
      return candidates.map((candidate) => candidate.session);
    };
    t.same(new Set(await found('t1', startMs + dayMs - 1)), new Set([ref('probed'), ref('named')]));
    t.same(await found('t2', startMs + dayMs), [ref('t1'), ref('named')]);
    t.same(await found('t3', startMs + 30 * dayMs - 1), [ref('t2'), ref('t1'), ref('named')]);
    t.same(await found('t4', startMs + 30 * dayMs), [ref('t3'), ref('t2'), ref('t1')]);
  });

  await t.test(
    'of those that look alike the eight that share most come, rare bands first, and never crowd out an identifier',
    async (t) => {
      const project = nextProject();
      await countsOf(counters, scoreInput(project, 'first', { respondent: ref('r') }));
      await counters.storeProbe(probeInput(project, 'rare', { device: null, bands: ['rare', 'b0'] }));
      await countsOf(counters, scoreInput(project, 'rare', { nowMs: startMs + 500 }));
      for (let i = 0; i < 40; i += 1) {
        await counters.storeProbe(probeInput(project, `s${i}`, { device: null, bands: [`b${i % 8}`] }));
        await countsOf(counters, scoreInput(project, `s${i}`, { nowMs: startMs + (i + 1) * 1_000 }));
      }
      const bands = Array.from({ length: 8 }, (_, i) => `b${i}`);
      await counters.storeProbe(probeInput(project, 'last', { device: null, bands: [...bands, 'rare'] }));
      const { candidates } = await countsOf(
        counters,
        scoreInput(project, 'last', { respondent: ref('r'), nowMs: startMs + minuteMs }),
      );
      // The sixth session under b0 makes each of them there worth less.
      const latest = Array.from({ length: 7 }, (_, i) => ref(`s${39 - i}`));
      t.same(
        candidates.map((candidate) => candidate.session),
        [...latest, ref('rare'), ref('first')],
      );
    },
  );

  await t.test(
    'sessions are found by their bands whatever their references are, and the lesser one of equals',
    async (t) => {
      const project = nextProject();
      const references = [
        '0000000000000000',
        '0000000000001fff',
        '000000000000f000',
        'ffffffffffffe000',
        'ffffffffffffffff',
      ];
      for (const session of references) {
        await counters.storeProbe(probeInput(project, '', { session, nonce: session, device: null, bands: ['b'] }));
        await countsOf(counters, scoreInput(project, '', { session, fingerprint: session, receiptId: session }));
      }
      await counters.storeProbe(probeInput(project, 'last', { device: null, bands: ['b'] }));
      const { candidates } = await countsOf(counters, scoreInput(project, 'last'));
      t.same(
        candidates.map((candidate) => candidate.session),
        references,
      );
    },
  );

  await t.test('at most 32 are returned', async (t) => {
    const project = nextProject();
    for (let i = 0; i < 40; i += 1)
      await countsOf(counters, scoreInput(project, `s${i}`, { respondent: ref('r'), nowMs: startMs + i * 1_000 }));
    const { candidates } = await countsOf(
      counters,
      scoreInput(project, 'last', { respondent: ref('r'), nowMs: startMs + minuteMs }),
    );
    t.same(
      candidates.map((candidate) => candidate.session),
      Array.from({ length: 32 }, (_, i) => ref(`s${39 - i}`)),
    );
  });
}

async function testTies(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const neighborhood = async (project: string, session: string, over: Parameters<typeof scoreInput>[2]) =>
    (await countsOf(counters, scoreInput(project, session, over))).neighborhood;

  await t.test('sessions are linked by device and respondent, and through each other', async (t) => {
    const project = nextProject();
    await neighborhood(project, 's1', { device: ref('d1'), respondent: ref('r1') });
    await neighborhood(project, 's2', { device: ref('d1'), respondent: ref('r2') });
    await neighborhood(project, 's3', { device: ref('d3'), respondent: ref('r1') });
    await neighborhood(project, 'stranger', { device: ref('d9'), respondent: ref('r9') });
    t.match(await neighborhood(project, 's4', { respondent: ref('r2') }), { sessions: 5, direct: 1, linked: 2 });
    t.match(await neighborhood(project, 's5', { device: ref('d1') }), { sessions: 6, direct: 2, linked: 2 });
  });

  await t.test(
    'an address links what came within ten minutes from the same class of device, unless it is shared',
    async (t) => {
      const project = nextProject();
      const address = ref('home');
      const at = (session: string, minute: number, deviceClass: string | null, addressShared = false) =>
        neighborhood(project, session, { address, deviceClass, addressShared, nowMs: startMs + minute * minuteMs });
      await at('s1', 0, 'windows/chrome');
      t.match(await at('s2', 10, 'windows/chrome'), { direct: 1, linked: 0 });
      t.match(await at('s3', 11, 'ios/safari'), { direct: 0, linked: 0 });
      t.match(
        await at('s4', 15, 'windows/chrome'),
        { direct: 1, linked: 1 },
        's1 came too long before, and through s2',
      );
      t.match(await at('s5', 15, null), { direct: 0, linked: 0 });
      t.match(await at('s6', 15, 'windows/chrome', true), { direct: 0, linked: 0 });
    },
  );

  await t.test('a key with more than 50 sessions links nobody', async (t) => {
    const project = nextProject();
    const device = ref('kiosk');
    let fifty = null;
    for (let i = 0; i < 50; i += 1) fifty = await neighborhood(project, `s${i}`, { device, nowMs: startMs + i });
    t.match(fifty, { direct: 49, linked: 0 });
    t.match(await neighborhood(project, 'one too many', { device, nowMs: startMs + 51 }), { direct: 0, linked: 0 });
  });

  await t.test('the walk ends at 64 sessions', async (t) => {
    const project = nextProject();
    for (let i = 0; i < 90; i += 1)
      await neighborhood(project, `s${i}`, {
        device: ref(`d${i % 3}`),
        respondent: ref(`r${i % 30}`),
        nowMs: startMs + i,
      });
    const { direct, linked } = await neighborhood(project, 'last', { device: ref('d0'), nowMs: startMs + 100 });
    t.equal(direct, 30);
    t.equal(direct + linked, 30, 'only the sessions of one device in three share respondents here');
    await neighborhood(project, 'bridge', { device: ref('d0'), respondent: ref('r1'), nowMs: startMs + 101 });
    await neighborhood(project, 'bridge 2', { device: ref('d1'), respondent: ref('r2'), nowMs: startMs + 102 });
    const bridged = await neighborhood(project, 'bridged', { device: ref('d0'), nowMs: startMs + 103 });
    t.same([bridged.direct, bridged.direct + bridged.linked], [32, 64]);
  });

  await t.test('what is older than a day links no more', async (t) => {
    const project = nextProject();
    await neighborhood(project, 's1', { device: ref('d') });
    t.match(await neighborhood(project, 's2', { device: ref('d'), nowMs: startMs + dayMs - 1 }), {
      sessions: 2,
      direct: 1,
    });
    t.match(await neighborhood(project, 's3', { device: ref('d'), nowMs: startMs + dayMs }), {
      sessions: 2,
      direct: 1,
    });
  });
}

async function testPrefixes(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const neighborhood = async (project: string, session: string, prefix: string, nowMs: number) =>
    (await countsOf(counters, scoreInput(project, session, { prefix: ref(prefix), nowMs }))).neighborhood;

  await t.test('shares of prefixes follow what enters and leaves the window', async (t) => {
    const project = nextProject();
    t.match(await neighborhood(project, 's1', 'p1', startMs), {
      sessions: 1,
      prefixSessions: 1,
      prefixSquares: 1,
      prefixes: 1,
    });
    t.match(await neighborhood(project, 's2', 'p1', startMs + hourMs), {
      sessions: 2,
      prefixSessions: 2,
      prefixSquares: 4,
      prefixes: 1,
    });
    t.match(await neighborhood(project, 's3', 'p2', startMs + 2 * hourMs), {
      sessions: 3,
      prefixSessions: 1,
      prefixSquares: 5,
      prefixes: 2,
    });
    t.match(await neighborhood(project, 's4', 'p2', startMs + dayMs), {
      sessions: 3,
      prefixSessions: 2,
      prefixSquares: 5,
      prefixes: 2,
    });
    t.match(await neighborhood(project, 's5', 'p3', startMs + 3 * dayMs), {
      sessions: 1,
      prefixSessions: 1,
      prefixSquares: 1,
      prefixes: 1,
    });
  });

  await t.test('the window holds the latest 500 sessions', async (t) => {
    const project = nextProject();
    for (let i = 0; i < 500; i += 1) await neighborhood(project, `s${i}`, i < 10 ? 'early' : 'late', startMs + i);
    t.match(await neighborhood(project, 'one more', 'late', startMs + 500), {
      sessions: 500,
      prefixSessions: 491,
      prefixSquares: 491 * 491 + 81,
      prefixes: 2,
    });
  });
}
