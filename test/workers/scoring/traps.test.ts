/**
 * Promises of scoring that are easy to break by accident, one test each.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { axes, riskAxes } from '../../../src/contract/axes.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { countsOf, minuteMs, ref, scoreInput, startMs } from '../../stores/counters/inputs.js';
import { anyCalibration, anyDuplication, anyFacts } from '../../helpers/any-facts.js';
import { cleanCounts, cleanFacts, humanFacts, safariOnPhone } from '../../helpers/facts.js';

const runs = { numRuns: 400 };
const riskOf = (facts: ScoreFacts) => {
  const { reply, uncapped, caps } = scoreFacts(facts);
  const { score, recommendation, verdictClass, grlCompat, stepUpIntensity } = reply;
  return {
    score,
    recommendation,
    verdictClass,
    grlCompat,
    stepUpIntensity,
    uncapped,
    caps,
    axes: riskAxes.map((axis) => reply.categories[axis]),
  };
};

t.test('score, recommendation, verdictClass and grlCompat never move with duplication', (t) => {
  fc.assert(
    fc.property(anyFacts, anyDuplication, anyDuplication, (facts, before, after) => {
      const counts = facts.counts ?? cleanCounts();
      assert.deepEqual(
        riskOf({ ...facts, counts: { ...counts, ...before } }),
        riskOf({ ...facts, counts: { ...counts, ...after } }),
      );
    }),
    runs,
  );
  const again = scoreFacts(cleanFacts({ counts: cleanCounts({ respondentDay: 9, deviceSessionsDay: 9 }) })).reply;
  t.match(again, { score: 0, duplicateScore: 100, duplicate: { band: 'confirmed' }, recommendation: 'allow' });
  t.same(again.evidence.against, []);
  t.ok(
    again.evidence.notes.some(({ code, strength }) => code === 'repeat_respondent' && strength === 'none'),
    'repeat participation stands in notes',
  );
  t.end();
});

/** A source or a network does not react to one person who comes again and again: nothing of it grows, as the stores’ contract holds. */
t.test('one person’s repeats move no burst, through the counters and the core together', async () => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100_000, now: () => startMs });
  const anyVisit = fc.record({
    study: fc.nat({ max: 6 }),
    prefix: fc.nat({ max: 2 }),
    device: fc.option(fc.nat({ max: 1 }), { nil: null }),
    shared: fc.boolean(),
    minute: fc.nat({ max: 40 }),
  });
  let project = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyVisit, { minLength: 1, maxLength: 30 }), async (visits) => {
      project += 1;
      for (const [i, { study, prefix, device, shared, minute }] of visits.entries()) {
        const counts = await countsOf(
          counters,
          scoreInput(`proj_${project}`, `s${i}`, {
            scope: ref(`study ${study}`),
            source: ref('source'),
            respondent: ref('me'),
            device: device === null ? null : ref(`d${device}`),
            prefix: ref(`p${prefix}`),
            address: ref(`a${prefix}`),
            addressShared: shared,
            nowMs: startMs + minute * minuteMs,
          }),
        );
        assert.ok((counts.source?.hour ?? 0) <= 1, 'the source');
        assert.ok((counts.prefixSessionsHour ?? 0) <= 1 && (counts.prefixSessionsDay ?? 0) <= 1, 'the network');
        assert.ok((counts.sharedAddressHour ?? 0) <= 1 && (counts.sharedAddressDay ?? 0) <= 1, 'the address');
        const past = { mean: 0, variance: 0, hours: 200 };
        const source = counts.source === null ? null : { ...counts.source, ...past };
        const { reply } = scoreFacts(cleanFacts({ counts: { ...counts, source } }));
        assert.equal(reply.categories.velocity, 0);
      }
    }),
    { numRuns: 100 },
  );
  await counters.close();
});

t.test('null is not zero and not false', (t) => {
  const unknown = scoreFacts(
    cleanFacts({
      declaredCountry: null,
      counts: cleanCounts({
        deviceSessionsDay: null,
        deviceRespondentsDay: null,
        respondentDay: null,
        respondentDevicesWeek: null,
      }),
    }),
  ).reply;
  t.same(unknown.duplicate.evidence, {
    deviceSessionsDay: null,
    deviceRespondentsDay: null,
    respondentDay: null,
    respondentDevicesWeek: null,
  });
  t.equal(unknown.duplicate.measured, false, 'nothing compared is not "no duplicate"');
  t.equal(unknown.declaredCountryMatch, null);
  t.equal(
    scoreFacts(cleanFacts({ address: { ...cleanFacts().address, country: null } })).reply.declaredCountryMatch,
    null,
  );
  t.equal(scoreFacts(cleanFacts({ declaredCountry: 'FR' })).reply.declaredCountryMatch, false);
  const nulled = {
    auto: { webdriver: false, globals: null, debugStack: null },
    beh: { clickDwell: null, coalesced: null, touches: null, moves: null },
  };
  t.equal(scoreFacts(humanFacts({}, nulled)).reply.score, 0, 'what a browser could not measure speaks for nothing');
  t.same(
    scoreFacts(humanFacts({}, nulled)).reply.evidence.notes.map(({ code }) => code),
    ['device_consistent'],
    'nor in its favour',
  );
  t.end();
});

t.test('a clean session without a probe scores 0 on every axis and is unknown', (t) => {
  const { reply } = scoreFacts(cleanFacts());
  t.equal(reply.score, 0);
  t.same(
    axes.map((axis) => reply.categories[axis]),
    [0, 0, 0, 0, 0, 0],
  );
  t.equal(reply.verdictClass, 'unknown');
  t.equal(reply.recommendation, 'allow');
  t.ok(reply.degradedSignals.includes('client_probe_missing'));
  t.match(reply.reasons, [{ code: 'client_probe_missing', severity: 'low', scored: false }]);
  t.end();
});

t.test('an organization key scores with measured false', (t) => {
  const { reply } = scoreFacts(cleanFacts({ measured: false, counts: null, history: null }));
  t.match(reply, {
    duplicate: { measured: false, score: 0, band: 'none' },
    score: 0,
    verdictClass: 'unknown',
    degradedSignals: ['organization_key', 'client_probe_missing'],
  });
  t.end();
});

t.test('a respondentId equal to the sessionId is flagged once and moves nothing', (t) => {
  const { reply } = scoreFacts(cleanFacts({ respondentKnown: false, degraded: ['respondent_id_equals_session_id'] }));
  t.same(reply.degradedSignals, ['respondent_id_equals_session_id', 'client_probe_missing']);
  t.equal(reply.evidence.notes.filter(({ code }) => code === 'respondent_id_equals_session_id').length, 1);
  t.equal(reply.score, 0);
  const repeated = scoreFacts(cleanFacts({ degraded: ['client_probe_missing', 'client_probe_missing'] })).reply;
  t.same(repeated.degradedSignals, ['client_probe_missing']);
  t.end();
});

t.test('a finding that contributed nothing is in notes with strength none, never in against', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply, classification } = scoreFacts(facts);
      const { against, for: favour, notes } = reply.evidence;
      assert.ok(notes.every(({ strength }) => strength === 'none'));
      assert.ok([...against, ...favour].every(({ strength }) => strength !== 'none'));
      assert.ok(against.every(({ class: kind }) => kind !== 'exculpatory'));
      assert.ok(favour.every(({ class: kind }) => kind === 'exculpatory'));
      if (against.length === 0) assert.equal(reply.score, 0, 'nothing against, no risk');
      const placed = (['against', 'for', 'notes'] as const).flatMap((list) =>
        reply.evidence[list].map(({ code, strength }) => ({ code, list, strength })),
      );
      assert.deepEqual(
        new Set(classification.map((each) => JSON.stringify(each))),
        new Set(placed.map((each) => JSON.stringify(each))),
      );
      assert.deepEqual(
        new Set(reply.reasons.filter(({ scored }) => scored).map(({ code }) => code)),
        new Set([...against, ...favour].map(({ code }) => code)),
      );
    }),
    runs,
  );
  t.end();
});

t.test('step_up is recommended only to projects that opted in', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { reply } = scoreFacts({ ...facts, calibration: { ...facts.calibration, stepUpEnabled: false } });
      assert.notEqual(reply.recommendation, 'step_up');
      assert.equal(reply.stepUpIntensity, 'none');
    }),
    runs,
  );
  t.end();
});

t.test('a missing probe and a new respondent never block', (t) => {
  fc.assert(
    fc.property(anyCalibration, fc.boolean(), (knobs, named) => {
      const calibration = { ...knobs, newUserPosture: 'review_lean' as const };
      const history = {
        respondent: named ? { n: 0, fraud: 0, confirmedClawbacks: 0 } : null,
        source: null,
        subSource: null,
      };
      const { reply } = scoreFacts(cleanFacts({ calibration, history }));
      assert.notEqual(reply.recommendation, 'block');
      assert.ok(reply.score < calibration.blockThreshold);
    }),
    runs,
  );
  t.end();
});

t.test('policy never turns what the evidence leaves unblocked into a block, and never lowers a score', (t) => {
  fc.assert(
    fc.property(anyFacts, fc.integer({ min: 0, max: 100 }), (facts, noProbeRiskScore) => {
      const bare = scoreFacts({
        ...facts,
        calibration: { ...facts.calibration, noProbeRiskScore: 0, newUserPosture: 'neutral' },
      }).reply;
      const leaning = scoreFacts({
        ...facts,
        calibration: { ...facts.calibration, noProbeRiskScore, newUserPosture: 'review_lean' },
      }).reply;
      assert.ok(leaning.score >= bare.score);
      if (bare.score < facts.calibration.blockThreshold) assert.ok(leaning.score < facts.calibration.blockThreshold);
    }),
    runs,
  );
  t.end();
});

t.test('a lone geo signal never blocks, whatever its weight', (t) => {
  fc.assert(
    fc.property(
      anyCalibration,
      fc.constantFrom('hosting' as const, 'anonymous' as const, 'residential' as const, null),
      fc.boolean(),
      (knobs, network, probed) => {
        const calibration = { ...knobs, geoRiskWeights: { US: 2 } };
        const address = { family: 4 as const, range: 'public' as const, country: 'US', asn: 1, network };
        const { reply } = scoreFacts(
          probed ? humanFacts({ calibration, address }) : cleanFacts({ calibration, address }),
        );
        assert.notEqual(reply.recommendation, 'block');
      },
    ),
    runs,
  );
  t.end();
});

t.test('the same facts give the same outcome', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const first = scoreFacts(facts);
      assert.deepEqual(scoreFacts(structuredClone(facts)), first);
    }),
    runs,
  );
  t.end();
});

t.test('adding evidence against never lowers the score', (t) => {
  const additions: readonly ((facts: ScoreFacts) => ScoreFacts)[] = [
    (facts) => ({ ...facts, address: { ...facts.address, network: facts.address.network ?? 'hosting' } }),
    (facts) =>
      facts.probe === null
        ? facts
        : {
            ...facts,
            probe: {
              ...facts.probe,
              body: { ...facts.probe.body, auto: { ...facts.probe.body.auto, webdriver: true } },
            },
          },
    (facts) =>
      facts.counts === null
        ? facts
        : {
            ...facts,
            counts: { ...facts.counts, deviceRespondentsDay: Math.max(6, facts.counts.deviceRespondentsDay ?? 0) },
          },
    (facts) =>
      facts.history?.respondent == null
        ? facts
        : {
            ...facts,
            history: { ...facts.history, respondent: { ...facts.history.respondent, confirmedClawbacks: 1 } },
          },
  ];
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(...additions), (any, add) => {
      // Data that is measured at last, or a record at last, is no longer subject to the policy on the unmeasured and the new.
      const facts = {
        ...any,
        calibration: { ...any.calibration, noProbeRiskScore: 0, newUserPosture: 'neutral' as const },
      };
      // An unknown network that turns out to be a known one changes what rates are usual; only the rest is comparable then.
      const start = facts.address.network === null ? { ...facts, counts: null } : facts;
      assert.ok(scoreFacts(add(start)).reply.score >= scoreFacts(start).reply.score);
    }),
    runs,
  );
  t.end();
});

t.test('honest people with unusual surroundings are never sent to review', (t) => {
  const address = cleanFacts().address;
  const honest: Record<string, Partial<ScoreFacts>> = {
    'behind a VPN': { address: { ...address, network: 'anonymous' } },
    'behind a VPN in another country': { address: { ...address, network: 'anonymous', country: 'US' } },
    abroad: { address: { ...address, country: 'TH' } },
    'new here': { history: { respondent: { n: 0, fraud: 0, confirmedClawbacks: 0 }, source: null, subSource: null } },
    'in a household': {
      counts: cleanCounts({ addressDevicesHour: 4, addressRespondentsHour: 4, addressSessionsHour: 6 }),
    },
    'on a family computer': { counts: cleanCounts({ deviceRespondentsDay: 3, deviceSessionsDay: 3 }) },
    'behind a carrier’s address': {
      address: { ...address, network: 'mobile' },
      counts: cleanCounts({ addressDevicesHour: 180, addressRespondentsHour: 180, addressSessionsHour: 240 }),
    },
    'on a campus': {
      address: { ...address, network: 'education' },
      counts: cleanCounts({ addressDevicesHour: 90, addressRespondentsHour: 90, addressSessionsHour: 120 }),
    },
    'on a phone': { userAgent: safariOnPhone },
  };
  for (const [name, over] of Object.entries(honest)) {
    for (const facts of [cleanFacts(over), humanFacts(over)])
      t.ok(scoreFacts(facts).reply.score < calibrationDefaults.reviewLow, name);
  }
  t.equal(scoreFacts(humanFacts()).reply.verdictClass, 'human');
  t.equal(scoreFacts(humanFacts()).reply.score, 0);
  t.end();
});
