import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { HistoryFacts, ScoreFacts } from '../../../src/contract/facts.js';
import { weighHistory } from '../../../workers/scoring/history.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { cleanFacts } from '../../helpers/facts.js';

const fresh = { n: 0, fraud: 0, confirmedClawbacks: 0 };
const raised = (history: Partial<HistoryFacts> | null, over: Partial<ScoreFacts> = {}) =>
  weighHistory(
    readVisit(
      cleanFacts({
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
  t.same(raised({ source: { n: 200, fraud: 200 } }), [['source_record_adverse', 3]]);
  t.same(raised({ source: { n: 400, fraud: 20 } }), [], 'as many as anywhere');
  t.same(raised({ subSource: { n: 400, fraud: 0 } }), [['sub_source_record_clean', -1]]);
  t.end();
});

t.test('a sub-source is compared with its source, so that both never say the same', (t) => {
  const source = { n: 400, fraud: 100 };
  const codes = (fraud: number) => raised({ source, subSource: { n: 200, fraud } }).map(([code]) => code);
  t.same(codes(120), ['source_record_adverse', 'sub_source_record_adverse']);
  t.same(codes(4), ['source_record_adverse', 'sub_source_record_clean']);
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
