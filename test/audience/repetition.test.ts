/** Respondents who look alike and come at once, on PostgreSQL and embedded: one of them gets in, and a refusal that rests on nobody is not for good. */
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import t, { type Test } from 'tap';
import type { EntryDeps } from '../../src/audience/entry-service.js';
import { awaitedBy, classifySessions } from '../../src/audience/repetition.js';
import { findRespondentReservation } from '../../src/audience/reservation-store.js';
import { eraseReservations } from '../../src/audience/reservation-erasure.js';
import { reportStudy } from '../../src/audience/study-report.js';
import { findStudy, type Study } from '../../src/audience/study-store.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { allowed, instanceOf, makeStudy, visitOf } from '../helpers/reservations.js';
import { flattenFigures, recountStudy } from '../helpers/study-recount.js';

t.setTimeout(120_000);

type Score = EntryDeps['score'];
const agentOfPrograms = 'python-requests/2.32.3';

/** Scoring for which all visits but those of `unlike` are one device; it compares with the latest `latest` alone. The visits named by `hold` wait until let go. */
function createScoring() {
  const counted: string[] = [];
  const held = new Map<string, { readonly counted: () => void; readonly released: Promise<unknown> }>();
  const score: Score = async (_owner, { sessionId, respondentId }, { classifySessions, onRepeated }) => {
    const rid = respondentId?.split('.')[0] ?? '';
    if (rid === 'unlike') return allowed;
    const candidates = counted.filter((session) => session !== sessionId).slice(-scoring.latest);
    if (!counted.includes(sessionId)) counted.push(sessionId);
    const { unrepeatable } = await classifySessions(candidates);
    const repeated = candidates.filter((session) => !unrepeatable.includes(session));
    onRepeated(repeated);
    const holding = held.get(rid);
    holding?.counted();
    await holding?.released;
    const band = repeated.length > 0 ? 'likely' : 'none';
    const degradedSignals = scoring.unusable.has(rid) ? ['probe_unusable'] : [];
    return JSON.stringify({ ...(JSON.parse(allowed) as object), duplicate: { band }, degradedSignals });
  };
  const scoring = {
    latest: 32,
    /** Respondents whose probe is unusable. */
    unusable: new Set<string>(),
    score,
    /** Holds the next visit of a respondent once it is counted. */
    hold(rid: string) {
      const events = new EventEmitter();
      const [counted, released] = [once(events, 'counted'), once(events, 'release')];
      held.set(rid, { counted: () => void events.emit('counted'), released });
      return {
        counted,
        release() {
          held.delete(rid);
          events.emit('release');
        },
      };
    },
  };
  return scoring;
}

function testRepetition(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('repeats', async (t) => {
    const { database } = await open(t);
    const masterKey = randomBytes(32);
    const start = async (sampleSize = 9) => {
      const scoring = createScoring();
      const instance = await instanceOf(t, database, masterKey, { score: scoring.score });
      const study = await makeStudy(database, sampleSize);
      /** Whether the respondent is in the survey after the visit; else the page. */
      const enter = async (rid: string, over: Parameters<typeof visitOf>[2] = {}): Promise<string> => {
        const answer = await instance.entries.enter(visitOf(study, rid, over));
        return answer.kind === 'page' ? answer.page : 'in';
      };
      /** Visits of which each begins once the one before is counted, and which are then decided in turn. */
      const enterAtOnce = async (
        ...visits: readonly (readonly [rid: string, agent?: string | undefined])[]
      ): Promise<string[]> => {
        const begun: { readonly release: () => void; readonly page: Promise<string> }[] = [];
        for (const [rid, userAgent] of visits) {
          const { counted, release } = scoring.hold(rid);
          begun.push({ release, page: enter(rid, { userAgent }) });
          await counted;
        }
        const pages: string[] = [];
        for (const { release, page } of begun) {
          release();
          pages.push(await page);
        }
        return pages;
      };
      const grow = (size: number) =>
        database.query('UPDATE studies SET sample_size = $2 WHERE study_id = $1', [study.studyId, size]);
      return { scoring, study, enter, enterAtOnce, grow };
    };
    const placeOf = async ({ studyId }: Study, rid: string) => {
      const place = await findRespondentReservation(database, studyId, rid);
      if (place === null) throw new Error(`${rid} has no place`);
      return place;
    };
    /** Fails if the counts of the study are not those of its places. */
    const checkCounts = async (t: Test, { studyId }: Study): Promise<void> => {
      const study = await findStudy(database, studyId);
      if (study === null) throw new Error('the study is gone');
      const { totals } = await reportStudy(database, study, 'source');
      const [recount] = await recountStudy(database, studyId, null);
      const { key: _key, medianSeconds: _median, ...expected } = recount ?? {};
      t.match(flattenFigures(totals), expected);
    };

    t.test('two who come at once to a full study may both try again, and whoever comes first gets in', async (t) => {
      for (const order of [
        ['a', 'b'],
        ['b', 'a'],
      ] as const) {
        const { study, enter, enterAtOnce, grow } = await start(1);
        t.equal(await enter('unlike'), 'in');
        t.same(await enterAtOnce(['a'], ['b']), ['full', 'declined']);
        t.match(await placeOf(study, 'b'), {
          screenedFor: 'duplicate',
          repeats: [(await placeOf(study, 'a')).reservationId],
        });
        await grow(9);
        t.equal(await enter(order[0]), 'in');
        t.equal(await enter(order[1]), 'declined');
        t.match(await placeOf(study, order[1]), { screenedFor: 'duplicate', repeats: null }, 'for good');
        t.equal(await enter('c'), 'declined');
        await checkCounts(t, study);
      }
    });

    t.test('of two who come at once, the second is refused for good where the first gets in', async (t) => {
      const { study, enter, enterAtOnce } = await start();
      t.same(await enterAtOnce(['a'], ['b']), ['in', 'declined']);
      for (const rid of ['b', 'c', 'b']) t.equal(await enter(rid), 'declined');
      await checkCounts(t, study);
    });

    t.test('a repeat of a program that was refused meanwhile gets in when it comes again', async (t) => {
      const { study, enter, enterAtOnce } = await start();
      t.same(await enterAtOnce(['a', agentOfPrograms], ['b']), ['declined', 'declined']);
      t.equal(await enter('b'), 'in');
      t.equal(await enter('c'), 'declined');
      t.equal(await enter('a'), 'declined', 'and the program stays out');
      await checkCounts(t, study);
    });

    t.test('nor is a refusal for good that rests on another browser of a link, which is refused itself', async (t) => {
      const { scoring, study, enter } = await start();
      t.equal(await enter('x', { device: 'preview', check: 'new' }), 'checking');
      const { counted, release } = scoring.hold('x');
      const refused = enter('x', { device: 'x1', userAgent: agentOfPrograms });
      await counted;
      t.equal(await enter('y'), 'declined');
      release();
      t.equal(await refused, 'declined');
      t.equal(await enter('y'), 'in');
      await checkCounts(t, study);
    });

    t.test('a chain of repeats holds as long as it reaches somebody who was let in', async (t) => {
      for (const [agent, first, last] of [
        [undefined, 'in', 'declined'],
        [agentOfPrograms, 'declined', 'in'],
      ] as const) {
        const { scoring, study, enter, enterAtOnce } = await start();
        scoring.latest = 1;
        t.same(await enterAtOnce(['a', agent], ['b'], ['c'], ['d']), [first, 'declined', 'declined', 'declined']);
        t.equal(await enter('e'), last, 'compared with the last of the chain alone');
        await checkCounts(t, study);
      }
    });

    t.test('however many come at once with the one who gets in, a later one is compared with them', async (t) => {
      const { scoring, study, enter, enterAtOnce } = await start();
      scoring.latest = 4;
      const rids = Array.from({ length: 12 }, (_, n) => [`r${n}`] as const);
      const pages = await enterAtOnce(...rids);
      t.same(pages, ['in', ...Array<string>(11).fill('declined')]);
      t.equal(await enter('later'), 'declined');
      await checkCounts(t, study);
    });

    t.test('a session of another study, or a visitor’s own, makes nobody a repeat', async (t) => {
      const here = await start(1);
      await here.enter('unlike');
      await here.enterAtOnce(['a'], ['b']);
      const [a, b] = [(await placeOf(here.study, 'a')).reservationId, (await placeOf(here.study, 'b')).reservationId];
      const { studyId } = here.study;
      const { studyId: elsewhere } = await makeStudy(database, 9);
      const classify = (study: string, visitor: string) =>
        classifySessions(database, { studyId: study, visitor }, [a, b]);
      t.same(await classify(studyId, 'c'), { unrepeatable: [a, b], repeats: [], awaited: new Map() });
      await database.query(
        `UPDATE study_places SET judging = 'visit', judging_until = now() + interval '1 minute' WHERE place_id = $1`,
        [a],
      );
      const awaited = new Map([a, b].map((session) => [session, [a]]));
      t.same(await classify(studyId, 'c'), { unrepeatable: [], repeats: [b], awaited });
      t.same(awaitedBy([a, b], { awaited }), [a]);
      t.equal(awaitedBy([a, 'somebody in'], { awaited }), null);
      t.equal(awaitedBy([], { awaited }), null);
      t.same(await classify(studyId, a), { unrepeatable: [b], repeats: [], awaited: new Map() });
      t.same(await classify(elsewhere, 'c'), { unrepeatable: [], repeats: [], awaited: new Map() });
    });

    t.test('a browser that could not be checked holds nobody up, and is compared once it can be', async (t) => {
      const { scoring, study, enter } = await start();
      scoring.unusable.add('a');
      t.equal(await enter('a'), 'unchecked');
      t.equal(await enter('a', { device: 'second' }), 'unchecked', 'a place that stands aside');
      t.equal(await enter('b'), 'in');
      scoring.unusable.delete('a');
      t.equal(await enter('a'), 'declined');
      await checkCounts(t, study);
    });

    t.test(
      'of three visits of one browser at once, one that could not be checked closes the study to none',
      async (t) => {
        const { scoring, study, enter } = await start();
        const begin = async () => {
          const { counted, release } = scoring.hold('a');
          const page = enter('a');
          await counted;
          return () => (release(), page);
        };
        const endFirst = await begin();
        const endUnusable = await begin();
        scoring.unusable.add('a');
        t.equal(await endUnusable(), 'unchecked');
        scoring.unusable.delete('a');
        const endLast = await begin();
        t.equal(await endFirst(), 'later');
        t.equal(await endLast(), 'in');
        t.equal(await enter('a'), 'in');
        await checkCounts(t, study);
      },
    );

    t.test('an erased respondent names nobody whom they repeated', async (t) => {
      const { study, enter, enterAtOnce } = await start(1);
      await enter('unlike');
      await enterAtOnce(['a'], ['b']);
      const { reservationId } = await placeOf(study, 'b');
      await eraseReservations(database, { ...study, respondentId: 'b' }, () => Promise.resolve(0));
      const rows = await database.query('SELECT repeats FROM study_places WHERE place_id = $1', [reservationId]);
      t.same(rows, [{ repeats: null }]);
    });
  });
}

onBothStores(t, 'repeats', testRepetition);
