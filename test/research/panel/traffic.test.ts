import t from 'tap';
import { Compile } from 'typebox/compile';
import { OutcomeEvent } from '../../../src/contract/outcome.js';
import { ProbeBody } from '../../../src/contract/probe.js';
import { ScoreRequest } from '../../../src/contract/score.js';
import { fraudKinds, leftOutKinds } from '../../../research/panel/base-rates.js';
import { sendTraffic } from '../../../research/panel/client.js';
import { networks, rangesOf } from '../../../research/panel/networks.js';
import { replayTraffic } from '../../../research/panel/replay.js';
import { drawTraffic } from '../../../research/panel/traffic.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../helpers/directories.js';
import { writeMmdb } from '../../helpers/mmdb.js';
import { startTestService } from '../../helpers/service.js';

t.setTimeout(120_000);

t.test('the same seed draws the same traffic, another seed another', (t) => {
  t.same(drawTraffic({ seed: 3, sessions: 200 }), drawTraffic({ seed: 3, sessions: 200 }));
  t.notSame(drawTraffic({ seed: 3, sessions: 200 })[0], drawTraffic({ seed: 4, sessions: 200 })[0]);
  t.end();
});

t.test('sessions are what the contract takes, in time, with published shares of fraud', (t) => {
  const [request, probe, outcome] = [Compile(ScoreRequest), Compile(ProbeBody), Compile(OutcomeEvent)];
  const sessions = drawTraffic({ seed: 5, sessions: 1_500 });
  for (const session of sessions) {
    if (!request.Check(session.request)) t.fail('request', session.request);
    for (const { body } of session.probes) if (!probe.Check(body)) t.fail('probe', { errors: probe.Errors(body) });
    for (const event of session.outcomes) if (!outcome.Check(event)) t.fail('outcome', event);
  }
  t.ok(sessions.every(({ atMs }, n) => atMs >= (sessions[n - 1]?.atMs ?? 0)));
  const fraud = sessions.filter(({ truth }) => truth.fraud);
  t.ok(Math.abs(fraud.length / sessions.length - 0.12) < 0.01, `${fraud.length} of ${sessions.length}`);
  t.same(
    new Set(fraud.map(({ truth }) => truth.label)),
    new Set(fraudKinds.filter((kind) => !leftOutKinds.includes(kind))),
    'no kind that the fit must not see',
  );
  t.end();
});

t.test('another market has the kinds that fits never see', (t) => {
  const labels = new Set(drawTraffic({ seed: 5, sessions: 3_000, market: 1 }).map(({ truth }) => truth.label));
  for (const kind of leftOutKinds) t.ok(labels.has(kind), kind);
  t.end();
});

t.test('replayed, sessions are counted in their own time, and outcomes move later records', async (t) => {
  const replayed = await replayTraffic(drawTraffic({ seed: 6, sessions: 1_000 }), { withProbe: true });
  t.ok(replayed.every(({ facts, session }) => facts.scoredAtMs === session.atMs && facts.counts !== null));
  t.equal(replayed[0]?.facts.history?.source?.n, 0);
  t.ok((replayed.at(-1)?.facts.history?.source?.n ?? 0) > 20);
  t.ok(replayed.some(({ facts }) => (facts.history?.respondent?.confirmedClawbacks ?? 0) > 0));
  for (const subject of ['device', 'range', 'network', 'study'] as const)
    t.ok(
      replayed.some(({ facts }) => (facts.history?.[subject]?.fraud ?? 0) > 0),
      `outcomes move the record of a ${subject}`,
    );
  const plain = await replayTraffic(drawTraffic({ seed: 6, sessions: 50 }), { withProbe: false });
  t.ok(plain.every(({ facts }) => facts.probe === null));
});

t.test('a served instance takes the traffic over HTTP', async (t) => {
  const directory = temporaryDirectory(t);
  const write = (
    name: string,
    valueOf: (network: (typeof networks)[number]) => Record<string, string | number | Record<string, string>>,
  ) => {
    const entries = networks.flatMap((network) => rangesOf(network).map((range) => [range, valueOf(network)] as const));
    writeFileSync(join(directory, name), writeMmdb({ databaseType: name, networks: Object.fromEntries(entries) }));
    return join(directory, name);
  };
  const service = await startTestService(t, {
    GEOIP_COUNTRY_DB: write('country', ({ country }) => ({ country: { iso_code: country } })),
    GEOIP_ASN_DB: write('asn', ({ asn, organization }) => ({
      autonomous_system_number: asn,
      autonomous_system_organization: organization,
    })),
  });
  const sessions = drawTraffic({ seed: 8, sessions: 30 });
  const { replies, outcomes } = await sendTraffic(service.bootstrap, sessions);
  t.equal(replies.length, sessions.length);
  for (const [n, { probes, truth }] of sessions.entries())
    t.equal(replies[n]?.degradedSignals.includes('client_probe_missing'), probes.length === 0, truth.label);
  t.notOk(replies.some(({ degradedSignals }) => degradedSignals.includes('network_unavailable')));
  t.equal(
    outcomes.reduce((sum, { rejected, unmatched }) => sum + rejected + unmatched, 0),
    0,
  );
});
