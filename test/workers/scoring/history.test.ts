import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { HistoryFacts, ScoreFacts } from '../../../src/contract/facts.js';
import { weighHistory } from '../../../workers/scoring/history.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts, humanFacts } from '../../helpers/facts.js';

const fresh = { n: 0, fraud: 0, confirmedClawbacks: 0 };
const raised = (history: Partial<HistoryFacts> | null, over: Partial<ScoreFacts> = {}) =>
  weighHistory(
    readVisit(
      cleanFacts({
        deviceKnown: false,
        history: history === null ? null : { respondent: null, source: null, subSource: null, ...history },
        ...over,
      }),
    ),
  ).map(({ code, weight }) => [code, Math.round(weight * 100) / 100]);

t.test('a respondent’s record weighs as adjudicated', (t) => {
  t.same(raised({ respondent: fresh }), []);
  t.same(raised({ respondent: { ...fresh, n: 10 } }), [['respondent_record_clean', -2]]);
  t.same(raised({ respondent: { ...fresh, n: 5, fraud: 1 } }), [['respondent_record_adverse', 2.56]]);
  t.same(raised({ respondent: { n: 1, fraud: 1, confirmedClawbacks: 1 } }), [
    ['confirmed_clawback', 5],
    ['respondent_record_adverse', 3.26],
  ]);
  t.same(raised(null), []);
  t.end();
});

t.test('a clean record weighs from its first acceptances on, the less the younger they are', (t) => {
  const weights = [0.02, 0.05, 0.1, 0.3, 1, 50].map((n) => Number(raised({ respondent: { ...fresh, n } })[0]?.[1]));
  t.ok(weights.every((weight, at) => at === 0 || weight <= (weights[at - 1] ?? 0)));
  t.ok((weights[0] ?? 0) > -0.4 && (weights[3] ?? 0) < -1.5, 'a third of an acceptance is much');
  t.equal(weights.at(-1), -2, 'never as much as one strong finding against');
  t.end();
});

t.test('an account with a good record that turns up elsewhere is trusted less', (t) => {
  const respondent = { ...fresh, n: 10 };
  const [known, hosted] = [{ deviceKnown: true }, { ...cleanFacts().address, network: 'hosting' as const }];
  const trust = (history: Partial<HistoryFacts>, over: Partial<ScoreFacts>) => raised({ respondent, ...history }, over);
  const device = { n: 3, fraud: 0 };
  t.same(trust({}, { deviceKnown: false }), [['respondent_record_clean', -2]], 'nothing is known to have changed');
  t.same(trust({ device }, known), [['respondent_record_clean', -2]], 'on its own device');
  t.same(
    trust({ device }, { ...known, address: hosted }),
    [['respondent_record_clean', -2]],
    'behind a VPN of its own',
  );
  t.same(trust({}, known), [['respondent_record_clean', -1]], 'a new phone, or storage that was cleared');
  t.same(trust({}, { ...known, address: hosted }), [], 'a new device on a network that anybody can rent');
  t.same(trust({}, { ...known, address: { ...cleanFacts().address, relay: 'residential_proxy' } }), []);
  t.same(raised({ respondent: { ...fresh, n: 5, fraud: 1 } }, known), [['respondent_record_adverse', 2.56]]);
  t.end();
});

t.test('many attempts with hardly any complete weigh, from 20 attempts on', (t) => {
  const codes = (attempts: number, completes: number, n = 0) =>
    raised({ respondent: { ...fresh, n } }, { respondentStats: { attempts, completes } }).filter(([code]) =>
      String(code).includes('stats'),
    );
  t.same(codes(20, 0), [['respondent_stats_attempts', 0.6]]);
  t.same(codes(400, 2), [['respondent_stats_attempts', 0.6]]);
  t.same(codes(19, 0), [['respondent_stats_unused', 0]], 'few attempts say nothing');
  t.same(codes(20, 10), [['respondent_stats_unused', 0]], 'who completes half is no such respondent');
  t.same(codes(400, 2, 50), [['respondent_stats_unused', 0]], 'outcomes known here come first');
  t.end();
});

t.test('a clawback decays, and no day makes it vanish at once', (t) => {
  const weightOf = (confirmedClawbacks: number): number =>
    Number(
      raised({ respondent: { ...fresh, confirmedClawbacks } }).find(([code]) => code === 'confirmed_clawback')?.[1] ??
        0,
    );
  const byDay = Array.from({ length: 400 }, (_, day) => weightOf(2 ** (-day / 90)));
  t.equal(byDay[0], 5);
  t.ok(
    byDay.every(
      (weight, day) => day === 0 || ((byDay[day - 1] ?? 0) >= weight && (byDay[day - 1] ?? 0) - weight < 0.1),
    ),
  );
  t.equal(byDay[399], 0);
  t.equal(weightOf(3), 5, 'several weigh no more than one');
  t.end();
});

t.test('statistics sent along count for a few sessions, and only while the record is thin', (t) => {
  const stats = (reconciliationRate: number | undefined, n = 0) =>
    raised(
      { respondent: { ...fresh, n } },
      {
        respondentStats: {
          attempts: 900,
          completes: 800,
          ...(reconciliationRate === undefined ? {} : { reconciliationRate }),
        },
      },
    ).filter(([code]) => String(code).includes('stats'));
  t.same(stats(0), [['respondent_stats_clean', -1]]);
  t.same(stats(0.1), [['respondent_stats_clean', -1]], 'ordinary reversals are no fraud');
  t.same(stats(0.9), [['respondent_stats_adverse', 2]]);
  t.same(stats(undefined), [['respondent_stats_unused', 0]], 'an unknown rate is not a rate of 0');
  t.same(stats(0.9, 10), [['respondent_stats_unused', 0]]);
  t.end();
});

t.test('a source says something of its respondents, the more the better it is known', (t) => {
  t.same(raised({ source: { n: 0, fraud: 0 } }), []);
  t.same(raised({ source: { n: 5, fraud: 5 } }), [['source_record_adverse', 1.79]]);
  t.same(raised({ source: { n: 200, fraud: 200 } }), [
    ['source_record_adverse', 3],
    ['source_mostly_fraud', 2],
  ]);
  t.same(raised({ source: { n: 20, fraud: 20 } }), [['source_record_adverse', 3]], 'twenty are too few to say most');
  t.same(raised({ source: { n: 400, fraud: 20 } }), [], 'as many as anywhere');
  t.same(raised({ subSource: { n: 400, fraud: 0 } }), [['sub_source_record_clean', -1]]);
  t.end();
});

t.test('rejections that come before acceptances weigh less, the more completes may still be reversed', (t) => {
  t.same(raised({ source: { n: 14, fraud: 14 } }), [['source_record_adverse', 2.71]]);
  t.same(raised({ source: { n: 14, fraud: 14, pending: 224 } }), [['source_record_adverse', 1.44]]);
  t.same(raised({ source: { n: 2, fraud: 2, pending: 38 } }), [['source_record_adverse', 0.82]], 'more may come');
  t.same(raised({ source: { n: 0, fraud: 0, pending: 500 } }), [], 'completes of today earn nothing');
  t.same(
    raised({ source: { n: 300, fraud: 300, pending: 60 } }),
    [
      ['source_record_adverse', 3],
      ['source_mostly_fraud', 2],
    ],
    'the youngest completes hide no farm',
  );
  t.same(
    raised({ source: { n: 300, fraud: 300, pending: 700 } }),
    [['source_record_adverse', 3]],
    'three of ten are not most, however many may still be rejected',
  );
  t.same(raised({ device: { n: 1, fraud: 1, pending: 3 } }), [['device_record_adverse', 1.63]]);
  t.end();
});

t.test('a sub-source is compared with its source, so that both never say the same', (t) => {
  const source = { n: 400, fraud: 100 };
  const codes = (fraud: number) => raised({ source, subSource: { n: 200, fraud } }).map(([code]) => code);
  t.same(codes(120), ['source_record_adverse', 'sub_source_record_adverse']);
  t.same(codes(4), ['source_record_adverse', 'sub_source_record_clean']);
  t.end();
});

t.test('the only sub-source of a source differs in nothing from it', (t) => {
  for (const source of [
    { n: 30, fraud: 14, pending: 224 },
    { n: 200, fraud: 60 },
    { n: 200, fraud: 0 },
  ])
    t.same(raised({ source, subSource: source }), raised({ source }));
  const part = { n: 10, fraud: 10 };
  const [, alone] = raised({ source: { n: 100, fraud: 10 }, subSource: part });
  t.same(alone, ['sub_source_record_adverse', 1.63], 'one that sent all frauds of a source stands out');
  t.end();
});

t.test('new respondents are leaned on only where the project asked for it', (t) => {
  const calibration = { ...calibrationDefaults, newUserPosture: 'review_lean' as const };
  t.same(raised({ respondent: fresh }), []);
  t.same(raised({ respondent: fresh }, { calibration }), [['respondent_new', 2]]);
  t.same(raised({}, { calibration }), [['respondent_new', 2]]);
  t.same(
    raised({ respondent: { ...fresh, n: 10 } }, { calibration }).map(([code]) => code),
    ['respondent_record_clean'],
  );
  t.same(raised(null, { calibration }), [], 'history that could not be read is not an empty one');
  t.end();
});

t.test('a network, its range and a device say something of their sessions, each against the one before', (t) => {
  t.same(raised({ device: { n: 5, fraud: 5 } }), [['device_record_adverse', 3.26]]);
  t.same(raised({ device: { n: 5, fraud: 0 } }), [], 'a clean device speaks for nobody');
  t.same(raised({ range: { n: 20, fraud: 20 } }), [['range_record_adverse', 2.5]]);
  t.same(raised({ network: { n: 1_000, fraud: 300 } }), [['network_record_adverse', 0.6]]);
  t.same(raised({ study: { n: 1_000, fraud: 300 } }), [['study_record_adverse', 1]]);
  t.same(raised({ network: { n: 1_000, fraud: 50 }, study: { n: 1_000, fraud: 50 } }), [], 'as many as anywhere');
  const same = { n: 5, fraud: 5 };
  const [range, device] = raised({ range: same, device: same });
  t.same(
    [range, device],
    [
      ['range_record_adverse', 1.92],
      ['device_record_adverse', 1.48],
    ],
    'five outcomes in all',
  );
  t.end();
});

t.test('the respondent’s own outcomes weigh once, whatever the device and the address', (t) => {
  const own = { n: 2, fraud: 2 };
  t.same(raised({ respondent: { ...own, confirmedClawbacks: 0 }, device: own, range: own }), [
    ['respondent_record_adverse', 3.93],
  ]);
  const others = raised({ respondent: { ...own, confirmedClawbacks: 0 }, device: { n: 7, fraud: 7 } });
  t.same(others[1], ['device_record_adverse', 3.26], 'five are of others');
  t.end();
});

t.test('what a respondent completed elsewhere makes no place look worse', (t) => {
  const range = { n: 22, fraud: 2, pending: 10 };
  const without = (own: Partial<typeof range>) =>
    raised({ respondent: { ...fresh, ...own }, range }).filter(([code]) => code === 'range_record_adverse');
  t.same(without({}), [['range_record_adverse', 0.35]]);
  t.same(without({ n: 20, pending: 40 }), without({}));
  t.same(without({ n: 9, fraud: 1 }), [], 'one of the two rejected ones is the respondent’s');
  t.end();
});

t.test('what outcomes taught leads to review: a supplier of frauds, a rejected respondent, a device of frauds', (t) => {
  const history = { respondent: fresh, source: null, subSource: null };
  const learnt: Partial<HistoryFacts>[] = [
    { source: { n: 200, fraud: 200 } },
    { respondent: { n: 2, fraud: 2, confirmedClawbacks: 0 } },
    { device: { n: 5, fraud: 5 } },
  ];
  for (const each of learnt) {
    t.equal(
      scoreFacts(cleanFacts({ history: { ...history, ...each } })).reply.recommendation,
      'review',
      JSON.stringify(each),
    );
    t.equal(
      scoreFacts(humanFacts({ history: { ...history, ...each } })).reply.recommendation,
      'review',
      'with a probe',
    );
  }
  for (const each of [
    { range: { n: 6, fraud: 2 } },
    { network: { n: 500, fraud: 60 } },
    { device: { n: 1, fraud: 1 } },
  ])
    t.equal(
      scoreFacts(cleanFacts({ history: { ...history, ...each } })).reply.recommendation,
      'allow',
      JSON.stringify(each),
    );
  t.end();
});
