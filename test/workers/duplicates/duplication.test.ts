import t from 'tap';
import type { CountFacts, DuplicateCandidate } from '../../../src/contract/facts.js';
import { bandOf, judgeDuplication } from '../../../workers/duplicates/duplication.js';
import { sketchDevice } from '../../../workers/duplicates/sketch.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { cleanCounts, cleanFacts, humanBody, humanFacts, scoredAtMs } from '../../helpers/facts.js';
import { phoneFacts } from '../../helpers/visits.js';

const own = sketchDevice(humanBody(), null);
const candidate = (over: Partial<DuplicateCandidate> = {}): DuplicateCandidate => ({
  session: 's1',
  atMs: scoredAtMs - 3_600_000,
  respondent: 'r2',
  device: null,
  prefix: null,
  sketch: own,
  via: 'similar',
  ...over,
});
/** A project of `total` sketches in which each of our terms was seen `count` times. */
const terms = (total: number, count: number): CountFacts['terms'] => ({
  total,
  counts: own.terms.map((term) => (term === null ? null : count)),
});
const judge = (counts: Partial<CountFacts>, facts = humanFacts()) => {
  const { measured, score, band, signals } = judgeDuplication(readVisit({ ...facts, counts: cleanCounts(counts) }));
  return { measured, score, band, codes: signals.map(({ code }) => code) };
};

t.test('a first visit is no duplicate', (t) => {
  t.same(judge({}), { measured: true, score: 0, band: 'none', codes: [] });
  t.end();
});

t.test('the same respondent is confirmed', (t) => {
  t.match(judge({ respondentDay: 2 }), { score: 100, band: 'confirmed', codes: ['repeat_respondent'] });
  t.match(judge({ candidates: [candidate({ via: 'respondent', sketch: null })] }), { band: 'confirmed' });
  t.end();
});

t.test('a hash is corroborated neither by the likeness that it is made of nor by a shared network', (t) => {
  const hashed = humanFacts({ deviceHashed: true, prefix: 'p1' });
  const twin = candidate({ via: 'device', prefix: 'p1', respondent: 'somebody else' });
  t.match(judge({ terms: terms(2_000, 2), candidates: [twin] }, hashed), { band: 'likely' });
  t.match(judge({ deviceSessionsDay: 9, candidates: [twin, { ...twin, sketch: null }] }, hashed), { band: 'likely' });
  t.match(judge({ candidates: [{ ...twin, via: 'respondent' }] }, hashed), { band: 'confirmed' }, 'a respondent is');
  const unsaid = humanFacts({ prefix: 'p1' });
  t.match(
    judge({ terms: terms(2_000, 2), candidates: [twin] }, unsaid),
    { band: 'likely' },
    'recorded before it was told',
  );
  t.end();
});

t.test(
  'a hash is corroborated by the kept token or an unshared address of the same session, and by those alone',
  (t) => {
    const now = { deviceHashed: true, prefix: 'p1', token: 't1', ownAddress: 'a1' };
    const twin = candidate({ via: 'device', prefix: 'p1', respondent: 'somebody else', token: null, address: null });
    const bandWith = (over: Partial<DuplicateCandidate>, facts = humanFacts(now), counts: Partial<CountFacts> = {}) =>
      judge({ terms: terms(2_000, 2), candidates: [{ ...twin, ...over }], ...counts }, facts).band;
    t.equal(bandWith({}), 'likely', 'likeness and a shared network');
    t.equal(bandWith({ token: 't1' }), 'confirmed');
    t.equal(bandWith({ address: 'a1' }), 'confirmed');
    t.equal(bandWith({ token: 't2', address: 'a2' }), 'likely', 'another token, another address');
    const unknown = humanFacts({ ...now, token: null, ownAddress: null });
    t.equal(bandWith({}, unknown), 'likely', 'two unknowns are no agreement');
    t.equal(bandWith({ token: 't1', address: 'a1' }, unknown), 'likely');
    t.equal(bandWith({ address: 'a1' }, humanFacts(now), { addressRespondentsHour: 60 }), 'likely', 'a crowd');
    const { token, address, ...old } = twin;
    t.equal(
      judge({ candidates: [old] }, humanFacts(now)).band,
      'likely',
      `recorded before it was kept: ${token} ${address}`,
    );
    const kept = humanFacts({ deviceHashed: false, token: 't1', ownAddress: 'a1' });
    t.equal(bandWith({ sketch: null, address: 'a1' }, kept), 'confirmed', 'a token, with its address');
    t.equal(bandWith({ sketch: null, token: 't1' }, kept), 'likely', 'a token is no witness of itself');
    t.end();
  },
);

t.test('a device’s identifier alone is likely; a corroborator confirms it; a contradiction demotes it', (t) => {
  const device = { via: 'device' as const, sketch: null };
  t.match(judge({ deviceSessionsDay: 2 }, cleanFacts()), { band: 'likely', codes: ['repeat_device'] });
  t.match(judge({ candidates: [candidate(device)] }, cleanFacts()), { band: 'likely' });
  const kept = humanFacts({ deviceHashed: false });
  t.match(judge({ terms: terms(2_000, 2), candidates: [candidate({ via: 'device' })] }, kept), { band: 'confirmed' });
  t.match(judge({ candidates: [candidate({ via: 'device', sketch: { ...own, osFamily: 'android' } })] }), {
    band: 'possible',
    codes: ['repeat_device', 'device_contradiction'],
  });
  t.end();
});

t.test('likeness alone is likely only where the look is rare in the project', (t) => {
  t.match(judge({ terms: terms(2_000, 2), candidates: [candidate()] }), { band: 'likely', codes: ['similar_device'] });
  t.match(judge({ terms: terms(2_000, 600), candidates: [candidate()] }), { band: 'none' });
  t.not(
    judge({ terms: terms(40, 2), candidates: [candidate()] }).band,
    'likely',
    'a young project cannot tell what is rare',
  );
  t.not(judge({ terms: null, candidates: [candidate()] }).band, 'likely');
  t.end();
});

t.test('two phones of one model are never more than possible', (t) => {
  const facts = phoneFacts();
  const sketch = sketchDevice(facts.probe?.body ?? humanBody(), null);
  const rare = { total: 5_000, counts: sketch.terms.map((term) => (term === null ? null : 2)) };
  t.match(judge({ terms: rare, candidates: [candidate({ sketch })] }, facts), { band: 'possible' });
  t.end();
});

t.test('where nothing was counted or compared, nothing is said', (t) => {
  const nothing = { measured: false, score: 0, band: 'none', codes: ['duplicate_unmeasured'] };
  t.same(judge({ deviceSessionsDay: null, respondentDay: null, terms: null, candidates: [] }), nothing);
  t.match(judgeDuplication(readVisit(cleanFacts({ counts: null }))), { measured: false });
  t.match(judgeDuplication(readVisit(cleanFacts({ measured: false, counts: cleanCounts({ respondentDay: 4 }) }))), {
    measured: false,
    score: 0,
  });
  t.end();
});

t.test('the band follows from the score', (t) => {
  t.same([0, 49, 50, 89, 90, 96, 97, 100].map(bandOf), [
    'none',
    'none',
    'possible',
    'possible',
    'likely',
    'likely',
    'confirmed',
    'confirmed',
  ]);
  t.end();
});
