import t from 'tap';
import { Compile } from 'typebox/compile';
import { OutcomeEvent } from '../../../src/contract/outcome.js';
import { ProbeBody } from '../../../src/contract/probe.js';
import { ScoreRequest } from '../../../src/contract/score.js';
import type { PanelSession } from '../../../research/panel/sessions.js';
import { isPhone } from '../../../research/second/agents.js';
import { fraudKinds, honestGroups } from '../../../research/second/market.js';
import { drawPeople } from '../../../research/second/people.js';
import { createRandom } from '../../../research/second/random.js';
import { drawSecondTraffic } from '../../../research/second/traffic.js';

t.setTimeout(120_000);

const sessions = drawSecondTraffic({ seed: 4, sessions: 4_000 });
const honest = sessions.filter(({ truth }) => !truth.fraud);
const share = <T>(list: readonly T[], holds: (one: T) => boolean): number => list.filter(holds).length / list.length;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const behaviorOf = ({ probes }: PanelSession) => probes.at(-1)?.body.beh;
const agentOf = ({ probes }: PanelSession): string => probes[0]?.body.ua?.ua ?? '';
const between = (
  t: { ok(holds: boolean, message: string): unknown },
  value: number,
  from: number,
  to: number,
  what: string,
): void => {
  t.ok(value >= from && value <= to, `${what}: ${value.toFixed(3)} within ${from} to ${to}`);
};

t.test('a seed draws the same traffic each time, in time, with every kind of fraud and honest group', (t) => {
  t.same(drawSecondTraffic({ seed: 4, sessions: 200 }), drawSecondTraffic({ seed: 4, sessions: 200 }));
  t.ok(sessions.every(({ atMs }, n) => n === 0 || atMs >= sessions[n - 1]!.atMs));
  t.same(new Set(sessions.map(({ truth }) => truth.label)), new Set([...fraudKinds, ...honestGroups]));
  between(
    t,
    share(sessions, ({ truth }) => truth.fraud),
    0.115,
    0.125,
    'fraud',
  );
  t.end();
});

t.test('sessions are what the contract takes', (t) => {
  const [request, probe, outcome] = [Compile(ScoreRequest), Compile(ProbeBody), Compile(OutcomeEvent)];
  t.ok(
    sessions.every((one) => request.Check(one.request)),
    'requests',
  );
  t.ok(
    sessions.every(({ probes }) => probes.every(({ body }) => probe.Check(body))),
    'messages of the probe',
  );
  t.ok(
    sessions.every(({ outcomes }) => outcomes.every((event) => outcome.Check(event))),
    'outcomes',
  );
  t.end();
});

t.test('people type, answer and come again as the sources say', (t) => {
  const desktop = honest.filter((one) => /Windows NT/.test(agentOf(one)) && (behaviorOf(one)?.keys ?? 0) > 20);
  const hold = mean(desktop.flatMap((one) => behaviorOf(one)?.keyDwell?.[1] ?? []));
  const flight = mean(desktop.flatMap((one) => behaviorOf(one)?.keyFlight?.[1] ?? []));
  between(t, hold, 100, 132, 'milliseconds that a key is held (Dhakal 2018: 116)');
  between(t, hold + flight, 190, 290, 'milliseconds between keys (Dhakal 2018: 239)');
  const times = honest.flatMap(
    ({ probes }) => probes.at(-1)?.body.q?.map(({ timeOnQuestionMs }) => timeOnQuestionMs / 1_000) ?? [],
  );
  between(t, mean(times), 8.3, 13.2, 'seconds a question (TurkPrime 2015: 10.3)');
  between(
    t,
    share(honest, ({ truth }) => truth.repeat !== null),
    0.02,
    0.06,
    'repeats (two panels share 2 to 19%, mostly well below 10)',
  );
  t.end();
});

t.test('devices have the shares of samples of real browsers', (t) => {
  const probed = honest.filter(({ probes }) => probes.length > 0);
  const windows = probed.filter((one) => /Windows NT/.test(agentOf(one)));
  between(
    t,
    share(windows, ({ probes }) => probes[0]!.body.scr?.w === 1920),
    0.18,
    0.34,
    'Windows at 1920 wide (26%)',
  );
  between(
    t,
    share(windows, ({ probes }) => probes[0]!.body.gfx?.renderer?.includes('Basic Render') === true),
    0.01,
    0.06,
    'Windows without a graphics card (4 to 5%)',
  );
  between(
    t,
    share(windows, ({ probes }) => (probes[0]!.body.hw?.touch ?? 0) > 0),
    0.08,
    0.19,
    'Windows with touch (11 to 17%)',
  );
  const people = drawPeople(createRandom('test'), 3_000);
  const phones = (country: string) =>
    share(
      people.filter((one) => one.country === country),
      ({ machines }) => isPhone(machines[0]!.system),
    );
  between(t, phones('US'), 0.38, 0.6, 'US on phones (about half)');
  between(t, phones('IN'), 0.55, 0.8, 'India on phones (two thirds and more)');
  between(
    t,
    share(honest, ({ probes }) => probes.length === 0),
    0.05,
    0.14,
    'honest sessions without probe',
  );
  t.end();
});

t.test('fraud is reported late, in part, and with errors', (t) => {
  const reversed = (list: readonly PanelSession[]) =>
    share(list, ({ outcomes }) => outcomes.some(({ reasonClass }) => reasonClass === 'fraud'));
  between(t, reversed(sessions.filter(({ truth }) => truth.fraud)), 0.05, 0.35, 'fraud that buyers name');
  between(t, reversed(honest), 0.0005, 0.01, 'honest sessions called fraud');
  const delays = sessions.flatMap(({ atMs, outcomes }) =>
    outcomes
      .filter(({ type }) => type === 'reconciliation')
      .map(({ occurredAt }) => (Date.parse(occurredAt) - atMs) / 86_400_000),
  );
  between(t, Math.max(...delays), 20, 56, 'days until the last reversal (the 25th of the next month)');
  t.end();
});
