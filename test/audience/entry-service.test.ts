/** The way into a study over an embedded database: who gets the place of an open link, and who does not. */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { HostedVerification } from '../../src/audience/fielding.js';
import { noScores } from '../../src/contract/study-replies.js';
import { eraseReservations } from '../../src/audience/reservation-erasure.js';
import { releaseReservations } from '../../src/audience/reservation-round.js';
import { findReservation, findRespondentReservation } from '../../src/audience/reservation-store.js';
import { reportStudy } from '../../src/audience/study-report.js';
import { findStudy, type Study } from '../../src/audience/study-store.js';
import type { Database } from '../../src/stores/database/port.js';
import { openTestDatabase } from '../helpers/embedded.js';
import { allowed, instanceOf, makeStudy, tokenOf, visitOf } from '../helpers/reservations.js';

/** Every link is signed and in time. */
const signedInTime: NonNullable<Parameters<typeof instanceOf>[3]>['judgeLink'] = () =>
  Promise.resolve({
    ...{
      entry: 'signed',
      supplierId: null,
      named: null,
      signedWith: 'current',
      expiresAt: null,
      isExpired: false,
      problems: [],
    },
  });

t.setTimeout(120_000);
const masterKey = randomBytes(32);
const link = 'https://site.example/v/link';

async function open(t: Test, read: () => Promise<HostedVerification | null> = () => Promise.resolve(null)) {
  const database = await openTestDatabase(t);
  const verification = { makeLink: () => Promise.resolve(link), linkUrl: (id: string) => id, read };
  return { database, instance: await instanceOf(t, database, masterKey, { verification }) };
}
const placeOf = async (database: Database, { studyId }: Study, rid: string) => {
  const place = await findRespondentReservation(database, studyId, rid);
  if (place === null) throw new Error(`${rid} has no place`);
  return place;
};
/** The only place of a study. */
async function findOnly(database: Database, { studyId }: Study) {
  const [place] = await database.query<{ reservationId: string; state: string }>(
    'SELECT place_id AS "reservationId", state FROM study_places WHERE study_id = $1',
    [studyId],
  );
  if (place === undefined) throw new Error('the study has no place');
  return place;
}
/** Ends the time of every place of a study. */
async function release(database: Database, { studyId }: Study): Promise<void> {
  await database.query(`UPDATE study_places SET due_at = now() WHERE study_id = $1`, [studyId]);
  await releaseReservations({ database });
}

t.test('a place of an open link is continued after the verification by its own browser alone', async (t) => {
  const { database, instance } = await open(t);
  for (const [serviceCheck, url] of [
    [false, /^https:\/\/survey\.example\//],
    [true, link],
  ] as const) {
    const study = await makeStudy(database, 5, [], serviceCheck);
    t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'own', check: 'new' })), { page: 'checking' });
    const { reservationId } = await placeOf(database, study, 'r');
    t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'own' })), { kind: 'redirect', url });
    t.match(await instance.verified(reservationId, 'stranger'), { kind: 'page', page: 'elsewhere' });
    t.match(await instance.verified(reservationId, 'own'), { kind: 'redirect', url });
  }
});

t.test(
  'a place of a signed link is continued after the verification by its browser, or by the address that it returns to',
  async (t) => {
    const database = await openTestDatabase(t);
    const returns: string[] = [];
    const result: HostedVerification[] = [];
    const instance = await instanceOf(t, database, masterKey, {
      judgeLink: signedInTime,
      verification: {
        makeLink: (_tx, _place, _study, url) => Promise.resolve(`${link}-${returns.push(url)}`),
        linkUrl: (id) => id,
        read: () => Promise.resolve(result[0] ?? null),
      },
    });
    const study = await makeStudy(database, 5, [], true);
    t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'own' })), { url: `${link}-1` });
    const { reservationId } = await findOnly(database, study);
    const url = new URL(returns[0] ?? '');
    t.ok(url.pathname.endsWith(`/verified/${reservationId}`));
    const sig = url.searchParams.get('sig') ?? '';
    const strangers = [undefined, '', reservationId, sig.slice(1), sig.replace(/./, (c) => (c === '0' ? '1' : '0'))];
    const refuse = async (state: string): Promise<void> => {
      for (const given of strangers)
        t.match(await instance.verified(reservationId, 'stranger', given), { page: 'reopen' }, `${state}: ${given}`);
    };
    await refuse('before the result');
    result.push({ status: 'pass', assurance: 'biometric', isRetryable: false, scores: noScores });
    await refuse('after it');
    t.match(await findOnly(database, study), { state: 'verifying' }, 'and the stranger’s visit changes nothing');
    t.match(await instance.verified(reservationId, 'phone', sig), { url: /^https:\/\/survey\.example\// });
    await refuse('in the survey');
    t.match(await instance.verified(reservationId, 'own'), { url: /^https:\/\/survey\.example\// });
    await release(database, study);
    t.match(
      await instance.verified(reservationId, 'phone', sig),
      { page: 'reopen' },
      'a released place comes back by its link',
    );
    await eraseReservations(database, { ...study, respondentId: 'r' }, () => Promise.resolve(0));
    await refuse('erased');
    t.match(await instance.verified(reservationId, 'own', sig), { page: 'erased' });
  },
);

t.test('of browsers that open one open link together, one gets the place', async (t) => {
  const { database, instance } = await open(t);
  const study = await makeStudy(database, 10);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => instance.entries.enter(visitOf(study, 'same', { device: `browser-${n}` }))),
  );
  t.same(answers.map((answer) => (answer.kind === 'page' ? answer.page : answer.kind)).sort(), [
    ...Array.from({ length: 5 }, () => 'elsewhere'),
    'redirect',
  ]);
});

t.test('a respondent who is erased while the gate looks stays erased', async (t) => {
  const database = await openTestDatabase(t);
  let erased: Study | null = null;
  const instance = await instanceOf(t, database, masterKey, {
    async score() {
      if (erased !== null)
        await eraseReservations(database, { ...erased, respondentId: 'r' }, () => Promise.resolve(0));
      return allowed;
    },
  });
  for (const state of ['entering', 'released']) {
    const study = await makeStudy(database, 5);
    const enter = () => instance.entries.enter(visitOf(study, 'r', { device: 'own' }));
    erased = null;
    if (state === 'released') t.match(await enter(), { kind: 'redirect' });
    await release(database, study);
    erased = study;
    t.match(await enter(), { page: 'erased' });
    const { reservationId } = await findOnly(database, study);
    t.match(await findReservation(database, reservationId), {
      ...{ state, respondentId: 'erased', respondentRef: reservationId, deviceRef: null },
    });
  }
});

t.test('a released place of an open link goes back to its own browser alone', async (t) => {
  const { database, instance } = await open(t);
  const study = await makeStudy(database, 5);
  await instance.entries.enter(visitOf(study, 'r', { device: 'own' }));
  await release(database, study);
  for (const check of ['new', 'checked', 'without cookies'] as const)
    t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'stranger', check })), { page: 'elsewhere' });
  const { reservationId } = await placeOf(database, study, 'r');
  t.match(await instance.verified(reservationId, 'stranger'), { page: 'elsewhere' });
  t.match(await placeOf(database, study, 'r'), { state: 'released' });
  t.match(await instance.entries.enter(visitOf(study, 'r', { device: 'own' })), { kind: 'redirect' });
});

t.test('a released place of a signed link goes back through the gate, from whatever browser', async (t) => {
  let reply = {};
  let isExpired = false;
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, masterKey, {
    score: () => Promise.resolve(JSON.stringify({ ...(JSON.parse(allowed) as object), ...reply })),
    judgeLink: () =>
      Promise.resolve({
        ...{ entry: 'signed', supplierId: null, named: null, signedWith: 'current', expiresAt: null, isExpired },
        problems: isExpired ? [{ code: 'expired', message: 'The link expired.' }] : [],
      }),
  });
  const study = await makeStudy(database, 5);
  const enter = (over: Parameters<typeof visitOf>[2] = {}) => instance.entries.enter(visitOf(study, 'r', over));
  t.match(await enter({ device: 'own' }), { kind: 'redirect' });
  const { reservationId } = await findOnly(database, study);
  await release(database, study);
  t.match(await enter({ check: 'new' }), { page: 'checking', sessionId: reservationId });
  t.match(await enter({ check: 'without cookies' }), { page: 'unchecked' });
  t.match(await enter({ userAgent: 'python-requests/2.32.3' }), { page: 'declined' });
  reply = { degradedSignals: ['client_probe_missing'] };
  t.match(await enter(), { page: 'unchecked' });
  reply = { reasons: [{ code: 'webdriver' }] };
  t.match(await enter({ device: 'own' }), { page: 'declined' });
  reply = { duplicate: { band: 'confirmed' } };
  t.match(await enter({ device: 'phone' }), { page: 'declined' });
  t.match(await enter({ device: 'own' }), { kind: 'redirect' }, 'its own browser repeats nobody who came later');
  await release(database, study);
  reply = {};
  isExpired = true;
  t.match(await enter(), { page: 'expired' }, 'an expired link takes no place back');
  isExpired = false;
  for (const device of ['stranger', 'own']) t.match(await instance.verified(reservationId, device), { page: 'reopen' });
  t.match(await findOnly(database, study), { state: 'released' }, 'and the place waits for its person');
  t.match(await enter({ device: 'phone' }), { kind: 'redirect' });
  isExpired = true;
  t.match(await enter({ device: 'phone' }), { kind: 'redirect' }, 'an expired link continues a place that is held');
});

t.test(
  'a released place comes back within what its supplier may hold, and a confirmed complete in any case',
  async (t) => {
    const { database, instance } = await open(t);
    const study = await makeStudy(database, 5);
    await database.query(
      `UPDATE studies SET limits = '{ "heldPerSupplier": 1 }', returns = 'confirmed' WHERE study_id = $1`,
      [study.studyId],
    );
    const token = tokenOf(await instance.enter(study, 'late'));
    await release(database, study);
    t.match(await instance.enter(study, 'next'), { kind: 'redirect' });
    t.match(await instance.enter(study, 'late'), { page: 'full' });
    t.match(await instance.returns.comeBack(token, 'complete'), { page: 'full' }, 'by the browser alone');
    t.match(await placeOf(database, study, 'late'), { state: 'released' });
    t.match(await instance.report(study, token, 'complete'), { status: 'completed', completion: 'confirmed' });
  },
);

t.test('the survey ends a released place for good, and its browser does not', async (t) => {
  const { database, instance } = await open(t);
  const study = await makeStudy(database, 5);
  const tokens = new Map<string, string>();
  for (const rid of ['terminate', 'quality', 'browser'] as const)
    tokens.set(rid, tokenOf(await instance.enter(study, rid)));
  await release(database, study);
  for (const status of ['terminate', 'quality'] as const) {
    t.match(await instance.report(study, tokens.get(status) ?? '', status), { status: 'terminated', changed: true });
    t.match(await instance.enter(study, status), { page: 'done' });
  }
  t.match(await instance.returns.comeBack(tokens.get('browser') ?? '', 'terminate'), { page: 'thanks' });
  t.match(await placeOf(database, study, 'browser'), { state: 'released' });
  t.match(await instance.report(study, tokens.get('browser') ?? '', 'quality'), { status: 'terminated' });
  t.match(await instance.enter(study, 'browser'), { page: 'done' });
});

t.test('a respondent without a place has the traits of the newest signed link', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, masterKey, {
    judgeLink: signedInTime,
  });
  const study = await makeStudy(database, 5, [{ name: 'men', gender: 'male', limit: 0 }]);
  t.match(await instance.enter(study, 'r', 'male', 'DE'), { page: 'full' });
  t.match(await instance.enter(study, 'r', 'female', 'DE'), { kind: 'redirect' }, 'the panel corrected its link');
  const traits = async () =>
    (await database.query('SELECT gender FROM study_places WHERE study_id = $1', [study.studyId]))[0];
  t.match(await traits(), { gender: 'female' });
  await instance.enter(study, 'r', 'male', 'DE');
  t.match(await traits(), { gender: 'female' }, 'and keeps those that the place was taken with');
});

t.test('an open place is of the supplier whose link took it, not of the one whose link came first', async (t) => {
  const database = await openTestDatabase(t);
  const instance = await instanceOf(t, database, masterKey, {
    judgeLink: (_study, { src }) =>
      Promise.resolve({
        ...{ entry: 'open', supplierId: `sup_${src}`, named: `sup_${src}`, signedWith: null, expiresAt: null },
        ...{ isExpired: false, problems: [] },
      }),
  });
  const study = await makeStudy(database, 1);
  const enter = (rid: string, src: string, device = rid) =>
    instance.entries.enter(visitOf(study, rid, { device, link: { src } }));
  t.match(await enter('other', 'x'), { kind: 'redirect' });
  t.match(await enter('r', 'first'), { page: 'full' });
  t.match(await enter('r', 'first', 'second browser'), { page: 'full' });
  t.match(await enter('r', 'second'), { page: 'full' }, 'and not refused for the other source');
  await database.query('UPDATE studies SET sample_size = 2 WHERE study_id = $1', [study.studyId]);
  t.match(await enter('r', 'third', 'second browser'), { kind: 'redirect' });
  t.match(await placeOf(database, study, 'r'), { supplierId: 'sup_third', sourceId: 'third', state: 'surveying' });
  t.match(await enter('r', 'first', 'second browser'), { page: 'declined' }, 'a place that is held stays where it is');
  const report = await reportStudy(database, (await findStudy(database, study.studyId)) ?? study, 'supplier');
  t.same(
    report.rows.map(({ supplierId, entries, inSurvey, screenedOut: { full } }) => [
      supplierId,
      entries,
      inSurvey,
      full,
    ]),
    [
      ['sup_second', 1, 0, 1],
      ['sup_third', 1, 1, 0],
      ['sup_x', 1, 1, 0],
    ],
  );
});
