/**
 * Contract of the counters, part two: what is counted, over which window, and how exactly.
 */
import type { Test } from 'tap';
import type { Counters } from '../../../src/stores/counters/port.js';
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

export async function testCounting(t: Test, subject: ContractSubject): Promise<void> {
  await testWindows(t, subject);
  await testDistinct(t, subject);
  await testSource(t, subject);
  await testTerms(t, subject);
}

async function testWindows(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('what was not named is null, what was never seen counts from zero', async (t) => {
    const counts = await countsOf(counters, scoreInput(nextProject(), 's'));
    t.same(counts, {
      deviceSessionsDay: null,
      deviceRespondentsDay: null,
      respondentDay: null,
      respondentDevicesWeek: null,
      addressDevicesHour: null,
      addressRespondentsHour: null,
      addressSessionsHour: 1,
      prefixSessionsHour: 1,
      prefixSessionsDay: 1,
      sharedAddressHour: null,
      sharedAddressDay: null,
      hostPeopleHour: null,
      source: null,
      terms: null,
      candidates: [],
      neighborhood: { sessions: 1, direct: 0, linked: 0, prefixSessions: 1, prefixSquares: 1, prefixes: 1 },
    });
  });

  await t.test('windows of a day move by the hour, those of an hour by five minutes', async (t) => {
    const project = nextProject();
    const same = { device: ref('d'), respondent: ref('r'), address: ref('a'), prefix: ref('p') };
    const at = (session: string, nowMs: number) => countsOf(counters, scoreInput(project, session, { ...same, nowMs }));
    await at('s1', startMs);
    await at('s2', startMs + 10 * minuteMs);
    const within = await at('s3', startMs + 59 * minuteMs);
    t.same([within.addressSessionsHour, within.deviceSessionsDay], [3, 3]);
    const hourLater = await at('s4', startMs + 60 * minuteMs);
    t.same(hourLater.addressSessionsHour, 3, 'the first session left');
    t.same([hourLater.deviceSessionsDay, hourLater.respondentDay], [4, 4]);
    const dayLater = await at('s5', startMs + 24 * hourMs);
    t.same([dayLater.deviceSessionsDay, dayLater.respondentDay], [3, 3], 'the hour of the first two left');
  });

  await t.test('bursts count people: one person’s own repeats add nothing to a network or a source', async (t) => {
    const project = nextProject();
    const place = { prefix: ref('p'), source: ref('source') };
    const score = (session: string, over: object) =>
      countsOf(counters, scoreInput(project, session, { ...place, ...over }));
    await score('other 1', { respondent: ref('r1') });
    await score('other 2', { device: ref('d2') });
    const first = await score('mine', { respondent: ref('me'), device: ref('d') });
    t.same([first.prefixSessionsHour, first.prefixSessionsDay, first.source?.hour], [3, 3, 3]);
    for (let i = 0; i < 20; i += 1) {
      const again = await score(`again ${i}`, {
        respondent: ref('me'),
        device: ref(`d${i}`),
        nowMs: startMs + i * minuteMs,
      });
      t.same([again.prefixSessionsHour, again.prefixSessionsDay, again.source?.hour], [3, 3, 3]);
    }
    const device = await score('same device', { device: ref('d2') });
    t.same([device.prefixSessionsHour, device.source?.hour], [3, 3], 'a device that was here stands for its person');
    t.equal((await score('invented', { respondent: ref('r9'), device: ref('d2') })).prefixSessionsHour, 4);
    t.equal((await score('nobody named', {})).prefixSessionsHour, 5);
  });

  // To take part in more than one study is no risk.
  await t.test('one person in several studies within a day counts once for the source', async (t) => {
    const project = nextProject();
    const score = (session: string, study: string, over: object) =>
      countsOf(counters, scoreInput(project, session, { source: ref('source'), scope: ref(study), ...over }));
    await score('other', 'study 0', { respondent: ref('r1') });
    for (let i = 0; i < 10; i += 1) {
      const named = await score(`named ${i}`, `study ${i}`, { respondent: ref('me'), device: ref(`d${i}`) });
      t.equal(named.source?.hour, 2, 'by the respondent');
      t.equal((await score(`token ${i}`, `study ${i}`, { device: ref('d0') })).source?.hour, 2, 'or the device');
    }
    for (let i = 0; i < 40; i += 1) {
      const place = { respondent: ref('me'), prefix: ref(`p${i}`) };
      t.equal((await score(`moving ${i}`, `study ${i}`, place)).source?.hour, 2, 'at however many networks');
    }
    const later = { respondent: ref('me'), nowMs: startMs + 25 * hourMs };
    t.equal((await score('next day', 'study 0', later)).source?.hour, 1);
  });

  await t.test('somebody first seen on another network counts on this one', async (t) => {
    const project = nextProject();
    const score = (session: string, respondent: string, prefix: string) =>
      countsOf(counters, scoreInput(project, session, { respondent: ref(respondent), prefix: ref(prefix) }));
    t.equal((await score('s1', 'r1', 'home')).prefixSessionsHour, 1);
    t.equal((await score('s2', 'r2', 'carrier')).prefixSessionsHour, 1);
    const moved = await score('s3', 'r1', 'carrier');
    t.same([moved.prefixSessionsHour, moved.prefixSessionsDay], [2, 2]);
    t.equal((await score('s4', 'r1', 'carrier')).prefixSessionsHour, 2, 'once');
  });

  await t.test('an address that strangers share has a past of its own, in people', async (t) => {
    const project = nextProject();
    const address = { address: ref('carrier'), addressShared: true };
    const score = (session: string, respondent: string, hour: number) =>
      countsOf(
        counters,
        scoreInput(project, session, { ...address, respondent: ref(respondent), nowMs: startMs + hour * hourMs }),
      );
    for (let i = 0; i < 5; i += 1) await score(`s${i}`, `r${i}`, i);
    await score('again', 'r4', 5);
    t.match(await score('last', 'r9', 5), { sharedAddressHour: 1, sharedAddressDay: 6 });
    const own = await countsOf(counters, scoreInput(project, 'own', { address: ref('home') }));
    t.same([own.sharedAddressHour, own.sharedAddressDay], [null, null]);
  });

  await t.test('people on one IPv6 address are counted beside those of its /64', async (t) => {
    const project = nextProject();
    const score = (i: number, host: string) =>
      countsOf(
        counters,
        scoreInput(project, `s${i}`, { address: ref('/64'), host: ref(host), respondent: ref(`r${i}`) }),
      );
    for (let i = 0; i < 9; i += 1) await score(i, `host ${i % 3}`);
    t.match(await score(9, 'host 0'), { addressRespondentsHour: 10, hostPeopleHour: 4 });
    const unnamed = scoreInput(project, 'nobody', { address: ref('/64'), host: ref('host 9') });
    t.equal((await countsOf(counters, unnamed)).hostPeopleHour, null, 'null is not zero');
  });

  await t.test('what was never named is null, beside what was', async (t) => {
    const project = nextProject();
    const bare = await countsOf(counters, scoreInput(project, 's1', { respondent: ref('r') }));
    t.same([bare.respondentDay, bare.respondentDevicesWeek, bare.deviceRespondentsDay], [1, null, null]);
    t.same([bare.addressRespondentsHour, bare.addressDevicesHour], [1, null]);
    const device = await countsOf(counters, scoreInput(project, 's2', { device: ref('d') }));
    t.same([device.deviceSessionsDay, device.deviceRespondentsDay, device.respondentDevicesWeek], [1, null, null]);
  });

  await t.test('scopes and projects are counted apart', async (t) => {
    const project = nextProject();
    const same = { device: ref('d'), respondent: ref('r'), address: ref('a'), prefix: ref('p') };
    await countsOf(counters, scoreInput(project, 's1', same));
    const other = await countsOf(counters, scoreInput(project, 's2', { ...same, scope: ref('other study') }));
    t.same(
      [
        other.deviceSessionsDay,
        other.respondentDay,
        other.addressSessionsHour,
        other.neighborhood.sessions,
        other.candidates,
      ],
      [1, 1, 1, 1, []],
    );
    const foreign = await countsOf(counters, scoreInput(nextProject(), 's3', same));
    t.same([foreign.deviceSessionsDay, foreign.respondentDay, foreign.candidates], [1, 1, []]);
  });

  await t.test('concurrent sessions are each counted once', async (t) => {
    const project = nextProject();
    const inputs = Array.from({ length: 40 }, (_, i) =>
      scoreInput(project, `s${i % 20}`, {
        device: ref('d'),
        fingerprint: `body ${i}`,
        receiptId: `rcpt_${project}_${i}`,
      }),
    );
    const all = await Promise.all(inputs.map((input) => countsOf(counters, input)));
    t.equal(Math.max(...all.map((counts) => counts.deviceSessionsDay ?? 0)), 20);
  });

  await t.test('a session that changes its identifiers is counted once by each', async (t) => {
    const project = nextProject();
    const devices = ['d1', 'd2', 'd1', 'd2'];
    const seen: (number | null)[] = [];
    for (const [i, name] of devices.entries()) {
      seen.push(
        (await countsOf(counters, scoreInput(project, 's', { device: ref(name), fingerprint: `${i}` })))
          .deviceSessionsDay,
      );
    }
    t.same(seen, [1, 1, 1, 1]);
  });
}

async function testDistinct(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const each = async (count: number, score: (i: number) => Promise<unknown>) => {
    for (let i = 0; i < count; i += 32)
      await Promise.all(Array.from({ length: Math.min(32, count - i) }, (_, j) => score(i + j)));
  };

  await t.test('respondents on a device and devices of a respondent are exact up to 128, and stop there', async (t) => {
    const project = nextProject();
    const device = ref('d');
    const respondent = ref('r');
    const counted: { respondents: number | null; devices: number | null }[] = [];
    for (let i = 0; i < 130; i += 1) {
      const respondents = (await countsOf(counters, scoreInput(project, `r${i}`, { device, respondent: ref(`r${i}`) })))
        .deviceRespondentsDay;
      const devices = (await countsOf(counters, scoreInput(project, `d${i}`, { device: ref(`d${i}`), respondent })))
        .respondentDevicesWeek;
      counted.push({ respondents, devices });
    }
    const expected = Array.from({ length: 130 }, (_, i) => ({
      respondents: Math.min(i + 1, 128),
      devices: Math.min(i + 1, 128),
    }));
    t.same(counted, expected);
  });

  await t.test('a member seen again keeps its place in the window from then on', async (t) => {
    const project = nextProject();
    const device = ref('d');
    const at = async (session: string, respondent: string, nowMs: number) =>
      (await countsOf(counters, scoreInput(project, session, { device, respondent: ref(respondent), nowMs })))
        .deviceRespondentsDay;
    t.equal(await at('s1', 'r1', startMs), 1);
    t.equal(await at('s2', 'r2', startMs + hourMs), 2);
    t.equal(await at('s3', 'r1', startMs + 20 * hourMs), 2);
    t.equal(await at('s4', 'r3', startMs + 26 * hourMs), 2, 'r2 left, r1 did not');
  });

  await t.test(
    'devices and respondents of an address are exact up to 128, within 5% up to 2,048, over an hour',
    async (t) => {
      const project = nextProject();
      const address = ref('carrier');
      const score = (i: number) =>
        countsOf(
          counters,
          scoreInput(project, `s${i}`, {
            address,
            device: ref(`d${i}`),
            respondent: ref(`r${i}`),
            nowMs: startMs + Math.floor(i / 64) * 1_000,
            addressShared: true,
          }),
        );
      for (let i = 0; i < 127; i += 1) await score(i);
      const exact = await score(127);
      t.same([exact.addressDevicesHour, exact.addressRespondentsHour], [128, 128]);
      await each(2_047 - 128, (i) => score(128 + i));
      const many = await score(2_047);
      for (const counted of [many.addressDevicesHour, many.addressRespondentsHour]) {
        t.ok(Math.abs((counted ?? 0) - 2_048) <= 0.05 * 2_048, `${counted} is near 2,048`);
      }
      t.equal(many.addressSessionsHour, 2_048);
      const later = await countsOf(
        counters,
        scoreInput(project, 'late', { address, device: ref('late'), nowMs: startMs + 3 * hourMs }),
      );
      t.same([later.addressDevicesHour, later.addressRespondentsHour, later.addressSessionsHour], [1, null, 1]);
    },
  );
}

async function testSource(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  const sessions = async (counters: Counters, project: string, hour: number, count: number) => {
    let last = null;
    for (let i = 0; i < count; i += 1) {
      last = (
        await countsOf(
          counters,
          scoreInput(project, `h${hour} s${i}`, { source: ref('source'), nowMs: startMs + hour * hourMs }),
        )
      ).source;
    }
    return last;
  };

  await t.test('a source has no baseline at first, then that of its active hours', async (t) => {
    const project = nextProject();
    t.same(await sessions(counters, project, 0, 4), { hour: 4, mean: 0, variance: 0, hours: 0 });
    t.same(await sessions(counters, project, 1, 2), { hour: 2, mean: 4, variance: 0, hours: 1 });
    const third = await sessions(counters, project, 9, 1);
    t.same([third?.hour, third?.hours], [1, 2], 'silent hours are left out');
    t.ok(Math.abs((third?.mean ?? 0) - 3.8) < 1e-9);
    t.ok(Math.abs((third?.variance ?? 0) - 0.36) < 1e-9);
  });

  await t.test('an hour of the week has a baseline of its own after three weeks', async (t) => {
    const project = nextProject();
    const week = 168;
    for (let i = 0; i < 3; i += 1) {
      await sessions(counters, project, i * week, 6);
      await sessions(counters, project, i * week + 1, 1);
    }
    const own = await sessions(counters, project, 3 * week, 1);
    t.same(own, { hour: 1, mean: 6, variance: 0, hours: 6 });
    const other = await sessions(counters, project, 3 * week + 5, 1);
    t.ok((other?.mean ?? 0) > 1 && (other?.mean ?? 0) < 6, 'an hour without its own takes that of all');
  });
}

async function testTerms(t: Test, { counters, nextProject }: ContractSubject): Promise<void> {
  await t.test('terms are counted per project over this week and the last, whatever the scope', async (t) => {
    const project = nextProject();
    const weekMs = 168 * hourMs;
    const score = async (session: string, scope: string, terms: (string | null)[], nowMs: number) => {
      await counters.storeProbe(probeInput(project, session, { sketch: sketchOf(...terms), nowMs }));
      return (await countsOf(counters, scoreInput(project, session, { scope: ref(scope), nowMs }))).terms;
    };
    t.same(await score('s1', 'one', ['x', 'y', null], startMs), { total: 1, counts: [1, 1, null] });
    t.same(await score('s2', 'two', ['x', 'z', 'w'], startMs), { total: 2, counts: [2, 1, 1] });
    t.same(await score('s3', 'one', ['x', 'y', 'w'], startMs + weekMs), { total: 3, counts: [3, 2, 2] });
    t.same(await score('s4', 'one', ['x', null, null], startMs + 2 * weekMs), { total: 2, counts: [2, null, null] });
    t.same((await countsOf(counters, scoreInput(project, 's5'))).terms, null, 'no sketch, no terms');
  });
}
