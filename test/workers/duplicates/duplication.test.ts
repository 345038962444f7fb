import t from 'tap';
import type { CountFacts, DuplicateCandidate } from '../../../src/contract/facts.js';
import { bandOf, judgeDuplication } from '../../../workers/duplicates/duplication.js';
import { sketchDevice } from '../../../workers/duplicates/sketch.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { candidateOf, ownSketch as own, termsOf as terms } from '../../helpers/candidates.js';
import { cleanCounts, cleanFacts, humanBody, humanFacts } from '../../helpers/facts.js';
import { phoneFacts } from '../../helpers/visits.js';

const candidate = (over: Partial<DuplicateCandidate> = {}): DuplicateCandidate =>
  candidateOf({ respondent: 'r2', ...over });
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

/** A device hash that an earlier session had too. */
const hashTwin = candidate({ via: 'device', prefix: 'p1', respondent: 'somebody else', token: null, address: null });
const hashed = { deviceHashed: true, prefix: 'p1', token: 't1', ownAddress: 'a1' };

t.test('devices of one model, which share a hash and a look, are never likely by these alone', (t) => {
  const away = { ...hashTwin, prefix: 'p2' };
  const codes = ['same_device_hash'];
  t.match(judge({ candidates: [away] }, cleanFacts(hashed)), { band: 'possible', codes }, 'no probe');
  t.match(judge({ deviceSessionsDay: 2 }, cleanFacts()), { band: 'possible', codes }, 'counted, and no longer kept');
  const phone = phoneFacts(hashed);
  const sketch = sketchDevice(phone.probe?.body ?? humanBody(), null);
  t.match(judge({ terms: terms(2_000, 2), candidates: [{ ...away, sketch }] }, phone), { band: 'possible' });
  for (const count of [40, 400])
    t.match(
      judge({ terms: terms(2_000, count), candidates: [away, { ...away, session: 's2' }] }, humanFacts(hashed)),
      { band: 'possible' },
      `a desktop whose look ${count} of 2,000 have`,
    );
  t.end();
});

t.test('a hash from the same home address is likely, and possible where a crowd shares that', (t) => {
  const bandWith = (over: Partial<DuplicateCandidate>, facts = cleanFacts(hashed), counts: Partial<CountFacts> = {}) =>
    judge({ candidates: [{ ...hashTwin, ...over }], ...counts }, facts).band;
  t.equal(bandWith({ address: 'a1' }), 'likely');
  t.equal(bandWith({ address: 'a2' }), 'possible', 'another address of the network');
  t.equal(bandWith({ address: 'a1' }, cleanFacts(hashed), { addressRespondentsHour: 60 }), 'possible', 'a crowd');
  const office = cleanFacts({ ...hashed, address: { ...cleanFacts().address, network: 'business' } });
  t.equal(bandWith({ address: 'a1' }, office), 'possible', 'colleagues');
  t.equal(bandWith({ address: 'a1' }, cleanFacts({ ...hashed, ownAddress: null })), 'possible', 'a shared address');
  t.equal(bandWith({ respondent: 'r1', via: 'respondent' }), 'confirmed', 'a respondent needs no address');
  t.end();
});

t.test(
  'relatives are told apart by their devices: a home address is possible without a look, and nothing with another',
  (t) => {
    const here = humanFacts({ ownAddress: 'a1', prefix: 'p1', deviceHashed: false });
    const terms16 = terms(2_000, 30);
    const bandOfLook = (sketch: DuplicateCandidate['sketch'], address = 'a1') =>
      judge({ terms: terms16, candidates: [candidate({ sketch, address, prefix: 'p1' })] }, here).band;
    t.equal(bandOfLook(own), 'likely', 'cleared storage');
    t.equal(bandOfLook(null), 'possible');
    t.equal(bandOfLook({ ...own, terms: own.terms.map((term) => term && 'ffffffff') }), 'none', 'another computer');
    t.end();
  },
);

t.test('phones of two models in one home are possible at most, however alike they draw', (t) => {
  const phone = phoneFacts({ ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false });
  const body = phone.probe?.body ?? humanBody();
  const bandOfModel = (model: string, own: string, address = 'a1') => {
    const facts = { ...phone, probe: { ...phone.probe!, body: { ...body, ua: { ...body.ua, model: own } } } };
    const sketch = sketchDevice({ ...body, ua: { ...body.ua, model } }, null);
    return judge({ terms: terms(2_000, 2), candidates: [candidate({ sketch, address, prefix: 'p1' })] }, facts).band;
  };
  t.equal(bandOfModel('SM-A145F', 'SM-A145F'), 'likely', 'cleared storage');
  t.equal(bandOfModel('SM-A145F', ''), 'likely', 'a browser that does not name it');
  t.equal(bandOfModel('SM-A145F', 'SM-A155F'), 'possible');
  t.not(bandOfModel('SM-A145F', 'SM-A155F', 'a2'), 'likely', 'another address of the network');
  t.end();
});

t.test('a Firefox that draws otherwise than before is the same one, for its drawings have noise', (t) => {
  const here = humanFacts({ ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false });
  const agents = {
    firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0',
    chrome: humanBody().ua?.ua ?? '',
  };
  const scoreOf = (browser: keyof typeof agents, canvas: string) => {
    const body = { ...humanBody(), ua: { ...humanBody().ua, ua: agents[browser] } };
    const sketch = sketchDevice({ ...body, gfx: { ...body.gfx, canvas } }, null);
    const facts = { ...here, probe: { ...here.probe!, body } };
    return judge({ terms: terms(2_000, 30), candidates: [candidate({ sketch, address: 'a2', prefix: 'p2' })] }, facts)
      .score;
  };
  const loss = (browser: keyof typeof agents): number =>
    scoreOf(browser, humanBody().gfx?.canvas ?? '') - scoreOf(browser, 'deadbeef');
  t.ok(loss('firefox') < loss('chrome') / 2, `${loss('firefox')} and ${loss('chrome')}`);
  t.end();
});

t.test('a look at home of which many keep tokens of their own is a rack of devices, not one that was cleared', (t) => {
  const here = humanFacts({ ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false });
  const rack = ['t1', 't2', 't3'].map((token) =>
    candidate({ session: token, token, respondent: `of ${token}`, address: 'a1', prefix: 'p1' }),
  );
  t.equal(judge({ terms: terms(2_000, 3), candidates: rack.slice(0, 1) }, here).band, 'likely');
  t.equal(judge({ terms: terms(2_000, 5), candidates: rack }, here).band, 'possible');
  t.end();
});

t.test('a repeat that was refused is no further device of a rack, but where twins are usual: among phones', (t) => {
  const here = { ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false };
  const refused = ['t1', 't2', 't3', 't4'].map((token, n) =>
    candidate({ session: token, token, respondent: `of ${token}`, address: 'a1', prefix: 'p1', isRepeat: n > 0 }),
  );
  t.equal(judge({ terms: terms(2_000, 6), candidates: refused }, humanFacts(here)).band, 'likely');
  const letIn = refused.map((one, n) => candidate({ ...one, isRepeat: n > 1 }));
  t.equal(judge({ terms: terms(2_000, 6), candidates: letIn }, humanFacts(here)).band, 'possible', 'two were let in');
  const phone = phoneFacts(here);
  const sketch = sketchDevice(phone.probe?.body ?? humanBody(), null);
  const phones = refused.map((one) => ({ ...one, sketch }));
  t.equal(judge({ terms: terms(2_000, 6), candidates: phones.slice(0, 1) }, phone).band, 'likely');
  t.equal(judge({ terms: terms(2_000, 6), candidates: phones }, phone).band, 'possible', 'phones of one model');
  t.end();
});

t.test('a computer that was cleared again and again makes no crowd of its home, and no common look', (t) => {
  const here = { ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false };
  const bandOf = (isRepeat: boolean, facts = humanFacts(here)) =>
    judge(
      {
        terms: terms(400, 60),
        candidates: [candidate({ token: 't1', address: 'a1', prefix: 'p1', isRepeat })],
        addressRespondentsHour: 60,
      },
      facts,
    ).band;
  t.equal(bandOf(true), 'likely');
  t.not(bandOf(false), 'likely', 'a crowd of people, for all that is known');
  const office = humanFacts({ ...here, address: { ...humanFacts().address, network: 'business' } });
  t.not(bandOf(true, office), 'likely', 'an office, where strangers share a look and an address');
  t.end();
});

t.test('tokens of one person are no rack: of one respondent, or of the session’s own', (t) => {
  const here = humanFacts({ ownAddress: 'a1', prefix: 'p1', token: 't0', deviceHashed: false });
  const bandOf = (given: readonly Partial<DuplicateCandidate>[]) => {
    const candidates = given.map((over, n) =>
      candidate({ session: `s${n}`, token: `t${n + 1}`, address: 'a1', prefix: 'p1', ...over }),
    );
    return judge({ terms: terms(2_000, 5), candidates }, here).band;
  };
  t.equal(bandOf([{ respondent: 'r2' }, { respondent: 'r2' }, { respondent: 'r2' }]), 'likely');
  t.equal(bandOf([{ respondent: 'r2' }, { respondent: 'r3' }, { respondent: 'r4' }]), 'possible');
  t.equal(bandOf([{ respondent: 'r2' }, { respondent: null }]), 'possible', 'nothing says who the other is');
  t.end();
});

t.test(
  'a kept token is likely, and confirmed with a hash, a home address or a look; a contradiction demotes it',
  (t) => {
    const device = { via: 'device' as const, sketch: null };
    const kept = humanFacts({ deviceHashed: false, token: 't1', ownAddress: 'a1' });
    t.match(judge({ deviceSessionsDay: 2 }, kept), { band: 'likely', codes: ['repeat_device'] });
    t.match(judge({ candidates: [candidate(device)] }, kept), { band: 'likely' });
    t.match(judge({ candidates: [candidate({ ...device, address: 'a1' })] }, kept), { band: 'confirmed' });
    t.match(judge({ terms: terms(2_000, 2), candidates: [candidate({ via: 'device' })] }, kept), { band: 'confirmed' });
    t.match(judge({ candidates: [{ ...hashTwin, token: 't1' }] }, humanFacts(hashed)), { band: 'confirmed' }, 'a hash');
    t.match(judge({ candidates: [candidate({ sketch: null, token: 't1' })] }, kept), {
      band: 'likely',
      codes: ['repeat_device'],
    });
    t.match(judge({ candidates: [candidate({ via: 'device', sketch: { ...own, osFamily: 'android' } })] }, kept), {
      band: 'possible',
      codes: ['repeat_device', 'device_contradiction'],
    });
    t.end();
  },
);

t.test('the sessions are named of which each alone is repeated, and no other that was compared', (t) => {
  const facts = { ...hashed, token: 't0', deviceHashed: false };
  const repeatedOf = (...candidates: DuplicateCandidate[]) => {
    const counts = cleanCounts({ terms: terms(2_000, 2), candidates });
    return judgeDuplication(readVisit({ ...humanFacts(facts), counts })).repeated;
  };
  const alike = candidate({ session: 'alike', address: 'a1', prefix: 'p1' });
  const unlike = candidate({ session: 'unlike', sketch: null, address: null });
  const respondent = candidate({ session: 'respondent', via: 'respondent', sketch: null });
  const kept = candidate({ session: 'kept', via: 'device', token: 't0', sketch: null });
  const copied = candidate({ ...kept, session: 'copied', sketch: { ...own, osFamily: 'android' } });
  t.same(repeatedOf(), []);
  t.same(repeatedOf(unlike, copied), []);
  t.same(repeatedOf(alike, unlike, respondent), ['respondent', 'alike']);
  t.same(repeatedOf(unlike, kept), ['kept']);
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
