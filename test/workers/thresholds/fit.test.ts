import t from 'tap';
import type { FitSubject, DistributionCell, SessionLabel } from '../../../src/contract/thresholds.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { honestBelow } from '../../../workers/scoring/fitted.js';
import { fitThresholds } from '../../../workers/thresholds/fit.js';
import { countLevels } from '../../../workers/thresholds/levels.js';

const cell = (
  uncapped: number,
  label: SessionLabel,
  count: number,
  caps: readonly string[] = [],
): DistributionCell => ({
  inputs: { uncapped, caps, agentPolicy: null, stepUpThreshold: null },
  recommendation: uncapped >= 75 && !caps.includes('uncorroborated') ? 'block' : 'allow',
  label,
  count,
});
const subject = (cells: readonly DistributionCell[], over: Partial<FitSubject> = {}): FitSubject => ({
  cells,
  current: { reviewLow: 40, blockThreshold: 75 },
  project: null,
  targetFalseBlockRate: 0.005,
  reviewBudget: 0.1,
  seed: 1,
  ...over,
});

t.test('blockThreshold is the lowest one whose bound meets the target', async (t) => {
  const fit = fitThresholds(
    subject([cell(10, 'honest', 940), cell(55, 'honest', 1), cell(62, 'honest', 6), cell(90, 'fraud', 40)]),
  );
  t.equal(fit.status, 'ok');
  t.equal(fit.suggested?.blockThreshold, 63, 'at 62 six honest sessions would be blocked');
  t.ok((fit.projected?.falseBlockRateUpper95 ?? 1) <= 0.005);
  t.match(fit.projected, { catchRate: 1, catchRateDelta: 0, falseBlockRate: 0 });
  t.same(
    fit.projected?.labelled,
    { honestBlocked: 0, honestReviewed: 7, fraudBlocked: 40, fraudReviewed: 0 },
    'the honest that it sends to review are counted, too',
  );
  const [low, high] = fit.interval?.blockThreshold ?? [0, 0];
  t.ok(low <= 63 && high >= 63);
});

t.test('one honest session fewer than the target needs is a shortfall of one and no edge', async (t) => {
  const labels = [cell(90, 'fraud', 30)];
  t.equal(fitThresholds(subject([cell(5, 'honest', 598), ...labels])).status, 'ok');
  const fit = fitThresholds(subject([cell(5, 'honest', 597), ...labels]));
  t.match(fit, {
    status: 'insufficient_data',
    shortfall: { honest: 1, fraud: 0 },
    suggested: null,
    projected: null,
    interval: null,
  });
  const few = fitThresholds(subject([cell(5, 'honest', 2_000), cell(90, 'fraud', 29)]));
  t.match(few, { status: 'insufficient_data', shortfall: { honest: 0, fraud: 1 }, suggested: null });
});

t.test('a project without labels is insufficient_data, not an error', async (t) => {
  t.match(fitThresholds(subject([])), {
    status: 'insufficient_data',
    labels: { honest: 0, fraud: 0, pending: 0 },
    shortfall: { honest: 598, fraud: 30 },
  });
});

t.test(
  'where even the highest threshold blocks too many honest people, more labels are asked for and no edge is named',
  async (t) => {
    const fit = fitThresholds(subject([cell(100, 'honest', 20), cell(5, 'honest', 600), cell(100, 'fraud', 50)]));
    t.equal(fit.status, 'insufficient_data');
    t.equal(fit.suggested, null);
    t.ok((fit.shortfall?.honest ?? 0) > 0);
    t.match(fit.note, /Even from 100, 20 of 620 mature completes would be blocked/, 'whose labels may be wrong');
  },
);

t.test('pending and unlabelled sessions count for neither side', async (t) => {
  const labels = [cell(5, 'honest', 700), cell(90, 'fraud', 40)];
  const alone = fitThresholds(subject(labels));
  const among = fitThresholds(subject([...labels, cell(99, 'pending', 500), cell(99, 'none', 500)]));
  t.equal(among.suggested?.blockThreshold, alone.suggested?.blockThreshold);
  t.match(among, { labels: { pending: 500 }, coverage: { sessions: 1_740, labelled: 740, blocked: 1_040 } });
});

t.test('sessions under a ceiling are blocked by no threshold', async (t) => {
  const fit = fitThresholds(
    subject([cell(5, 'honest', 700), cell(95, 'honest', 50, ['uncorroborated']), cell(90, 'fraud', 40)]),
  );
  t.equal(fit.status, 'ok');
  t.equal(fit.projected?.falseBlockRate, 0);
});

t.test(
  'what would stop most people, or block on hardly any evidence, is never advised, and the answer says why',
  (t) => {
    const labels = (fraudAt: number) => [cell(0, 'honest', 700), cell(fraudAt, 'fraud', 60)];
    const stepUp = { uncapped: 20, caps: [], agentPolicy: null, stepUpThreshold: 10 };
    const asked = { inputs: stepUp, recommendation: 'step_up', label: 'none', count: 900 } as const;
    // The lowest score that at least 90% of honest simulated sessions stay below, with a probe and without.
    const floor = Array.from({ length: 101 }, (_, score) => score).findIndex(
      (score) => honestBelow(score, true) >= 90 && honestBelow(score, false) >= 90,
    );
    const byPolicy = { ...asked, inputs: { ...stepUp, agentPolicy: 'review', stepUpThreshold: null } } as const;
    const cases: readonly (readonly [name: string, cells: readonly DistributionCell[], note: RegExp | null])[] = [
      ['most are blocked', [...labels(3), cell(2, 'none', 900)], /would block 56\.3% of allowed sessions/],
      ['few are blocked, on hardly any evidence', labels(3), /blocking from 1, but \d\d(\.\d)?% of honest simulated/],
      ['the same with others', [...labels(3), cell(2, 'none', 90)], /blocking from 1, but/],
      [
        'just under the floor',
        [...labels(floor + 8), cell(floor - 2, 'honest', 9)],
        /blocking from \d+, but 1\d(\.\d)?% of/,
      ],
      ['at the floor', [...labels(floor + 9), cell(floor - 1, 'honest', 9)], null],
      ['most are stepped up', [...labels(60), asked], /56\.3% .* stepped up\. Check stepUpThreshold/],
      ['half are stepped up', [...labels(60), { ...asked, count: 700 }], null],
      ['most are reviewed by a policy', [...labels(60), byPolicy], null],
      ['most are blocked already', [...labels(60), cell(90, 'none', 2_000)], null],
    ];
    for (const [name, cells, note] of cases) {
      const fit = fitThresholds(subject(cells));
      if (note === null) t.match(fit, { status: 'ok', note: /^Blocking from/ }, name);
      else t.match(fit, { status: 'not_advisable', suggested: null, projected: null, interval: null, note }, name);
      t.equal(fit.shortfall, null, name);
    }
    t.end();
  },
);

t.test('under 50 a threshold needs labels of its own that say fraud', async (t) => {
  const honest = cell(0, 'honest', 700);
  const edge = (...cells: DistributionCell[]) => fitThresholds(subject([honest, ...cells])).suggested?.blockThreshold;
  t.equal(edge(cell(90, 'fraud', 60)), 50);
  t.equal(edge(cell(44, 'fraud', 29), cell(90, 'fraud', 60)), 50, 'twenty-nine are too few');
  t.equal(edge(cell(44, 'fraud', 30), cell(90, 'fraud', 60)), 35);
  t.equal(
    edge(cell(44, 'fraud', 30), cell(44, 'honest', 2), cell(90, 'fraud', 60)),
    50,
    'two honest ones are above the target',
  );
});

t.test('reviews stay within their budget', async (t) => {
  const fit = fitThresholds(
    subject([cell(5, 'honest', 700), cell(30, 'none', 150), cell(50, 'none', 60), cell(90, 'fraud', 40)]),
  );
  t.equal(
    fit.suggested?.blockThreshold,
    50,
    'from 6 on no honest session would be blocked, and nothing says that a score of 6 is fraud',
  );
  const spread = fitThresholds(
    subject([
      cell(60, 'honest', 20),
      cell(5, 'honest', 700),
      cell(30, 'none', 150),
      cell(50, 'none', 60),
      cell(90, 'fraud', 40),
    ]),
  );
  t.equal(spread.suggested?.reviewLow, 31, 'with those at 30 it would be a fifth of all');
  t.ok((spread.projected?.reviewRate ?? 1) <= 0.1);
});

t.test('a smaller budget of reviews is kept, and said to be exceeded where a policy reviews more', async (t) => {
  const cells = [cell(5, 'honest', 900), cell(30, 'none', 41), cell(45, 'none', 19), cell(90, 'fraud', 40)];
  const { suggested, projected, note } = fitThresholds(subject(cells, { reviewBudget: 0.02 }));
  t.match(suggested, { reviewLow: 31, blockThreshold: 50 });
  t.equal(projected?.reviewRate, 0.019);
  t.match(note, /reviewing from 31 keeps reviews within 2%/);
  const agents = cell(5, 'none', 100);
  const policy = { ...agents, inputs: { ...agents.inputs, agentPolicy: 'review' as const } };
  const over = fitThresholds(subject([...cells, policy], { reviewBudget: 0.02 }));
  t.match(over.suggested, { reviewLow: 50 });
  t.match(over.note, /policy on agents or failed step-ups alone send 9\.09% of sessions to review, more than 2%/);
});

t.test(
  'a source with few labels leans on the rest of its project and says so; one with hardly any gets no edge',
  async (t) => {
    const rest = [cell(5, 'honest', 3_000), cell(70, 'honest', 60), cell(90, 'fraud', 300)];
    const leaning = (own: readonly DistributionCell[]) =>
      fitThresholds(subject(own, { project: countLevels([...own, ...rest]) }));
    const few = leaning([cell(5, 'honest', 250), cell(90, 'fraud', 12)]);
    t.equal(few.status, 'ok');
    t.same(few.borrowed, { honest: 500, fraud: 24 });
    t.match(few.note, /also uses those of the project/);
    t.equal(few.suggested?.blockThreshold, 71, 'the rest of the project shows honest people at 70');
    const hardly = leaning([cell(5, 'honest', 150), cell(90, 'fraud', 12)]);
    t.match(hardly, { status: 'insufficient_data', borrowed: null, suggested: null });
    const enough = leaning([cell(5, 'honest', 800), cell(90, 'fraud', 40)]);
    t.equal(enough.borrowed, null);
  },
);

t.test('the same labels give the same answer', async (t) => {
  const cells = [cell(5, 'honest', 900), cell(77, 'honest', 9), cell(60, 'fraud', 20), cell(90, 'fraud', 40)];
  t.same(fitThresholds(subject(cells)), fitThresholds(subject(cells)));
  const { projected } = fitThresholds(subject(cells));
  const [low, high] = projected?.falseBlockRateDeltaInterval ?? [0, 0];
  t.ok(low <= (projected?.falseBlockRateDelta ?? 0) && (projected?.falseBlockRateDelta ?? 0) <= high);
});

t.test(
  'invented truth: with known edges and a fifth of the labels late, the edge lies in its interval in 95 of 100 seeds',
  async (t) => {
    const target = 0.01;
    // Honest sessions: P(score >= b) = (1 - b/100)^3, so that the right edge is the first b at which it is at most the target.
    const honestAbove = (edge: number): number => (1 - edge / 100) ** 3;
    const truth = Array.from({ length: 100 }, (_, index) => index + 1).find((edge) => honestAbove(edge) <= target);
    let inside = 0;
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = createRandom(seed * 7_919);
      const counts = new Map<string, number>();
      const note = (score: number, label: SessionLabel): void => {
        const key = `${Math.min(100, score)}/${label}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      };
      for (let session = 0; session < 4_000; session += 1) {
        const isLate = random() < 0.2;
        if (random() < 0.9) note(Math.floor(100 * (1 - random() ** (1 / 3))), isLate ? 'pending' : 'honest');
        else note(60 + Math.floor(40 * random()), isLate ? 'pending' : 'fraud');
      }
      const cells = [...counts].map(([key, count]) => {
        const [score = '0', label = 'none'] = key.split('/');
        return cell(Number(score), label as SessionLabel, count);
      });
      const fit = fitThresholds(subject(cells, { targetFalseBlockRate: target, seed }));
      const [low, high] = fit.interval?.blockThreshold ?? [101, 0];
      if (truth !== undefined && low <= truth && truth <= high) inside += 1;
      t.ok(
        fit.suggested === null || honestAbove(fit.suggested.blockThreshold) <= 2 * target,
        'never far above the target',
      );
    }
    t.ok(inside >= 95, `${inside} of 100`);
  },
);
