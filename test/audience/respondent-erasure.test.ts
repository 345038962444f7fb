/** Erasures between the steps of postbacks, on PostgreSQL and embedded: the report counts as unsent what the supplier does not know. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { operator } from '../../src/administration/audit.js';
import { eraseLinks, insertLink } from '../../src/administration/hosted-links.js';
import { underLock } from '../../src/audience/fielding.js';
import { noteArrived, writePostbacks } from '../../src/audience/postbacks.js';
import { createRespondentErasure } from '../../src/audience/respondent-erasure.js';
import { eraseReservations, findRespondentRefs } from '../../src/audience/reservation-erasure.js';
import { findReservation, type QuotaReservation } from '../../src/audience/reservation-store.js';
import { reverseAll } from '../../src/audience/reversals.js';
import type { Study } from '../../src/audience/study-store.js';
import type { PostbackEvent } from '../../src/contract/postback.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createErasureService } from '../../src/verification/erasure/erasure-service.js';
import { eraseFlags } from '../../src/verification/monitoring/flag-store.js';
import { claimDue, type Claimed } from '../../src/webhooks/delivery-store.js';
import { markErasedSessions } from '../../src/webhooks/payload-erasure.js';
import { postbackDeliveries } from '../../src/webhooks/postbacks.js';
import { createResultWriter } from '../../src/webhooks/result-writer.js';
import { eraseDeliveries, eraseElsewhere } from '../../src/wiring/erasure-of-places.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { placeOf } from '../helpers/fielding.js';
import { allowed, instanceOf, makeStudy, tokenOf, visitOf } from '../helpers/reservations.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(300_000);

const secrets = createSecretStore(new Uint8Array(32));
const logger = createLogger('silent');

/** Erases as the service does; scoring knows the session of the place by each name. */
function erasureOf(database: Database, scored: readonly string[]) {
  const names = createErasureService({
    ...{ database, eraseFlags, eraseLinks, erasePayloads: eraseDeliveries, markSessions: markErasedSessions },
    makeRef: (...parts) => parts.join(' '),
    eraseLetters: () => Promise.resolve(),
    countUnreadable: () => Promise.resolve(0),
    ...{ unreadableDays: 1, forget: () => undefined, now: Date.now },
    eraseScores: () =>
      Promise.resolve({
        ...{ receipts: 0, events: 0, sessionIds: scored },
        left: { receipts: 0, events: 0, history: 0 },
      }),
  });
  return createRespondentErasure({ database, eraseName: names.erase, eraseElsewhere });
}

/** Calls `before` with the number of each transaction that is about to begin. */
const watched = (database: Database, before: (n: number) => Promise<void>): Database => {
  let n = 0;
  return {
    ...database,
    transaction: async (run, options) => {
      await before(n++);
      return database.transaction(run, options);
    },
  };
};

/** A supplier of one study and what its server has received. */
async function postbacksOf(database: Database, study: Study) {
  const supplierId = `sup_${study.studyId}`;
  await database.query(
    `INSERT INTO suppliers (supplier_id, organization_id, is_test, name, source_id, redirects, postback_url, sealed)
     VALUES ($1, $2, false, 'P', 's', '{}', 'https://panel.example/pb', $3)`,
    [supplierId, study.organizationId, secrets.make(supplierId).sealed],
  );
  await postbackDeliveries.keepTarget(database, supplierId);
  const known = new Map<string, string>();
  const endpoint = { organizationId: study.organizationId, webhookId: supplierId, isProbe: false, count: 50 };
  return {
    known,
    give: (place: string) =>
      database.query('UPDATE study_places SET supplier_id = $2, exit_due = true WHERE place_id = $1', [
        place,
        supplierId,
      ]),
    write: () => writePostbacks({ database, secrets, postbacks: postbackDeliveries, now: Date.now }),
    claim: () => claimDue(database, 'first', [endpoint], 30_000),
    /** The server of the supplier has answered. */
    async arrive(claimed: readonly Claimed[]): Promise<void> {
      const results = createResultWriter({
        ...{ database, logger, onWritten: () => undefined },
        noteArrived: (arrived) => noteArrived(database, arrived),
      });
      for (const { body, ...delivery } of claimed) {
        if (body === null) continue;
        const { place_id: place, status } = (JSON.parse(body) as PostbackEvent).data;
        known.set(place, status);
        results.add({
          ...delivery,
          ...{ state: 'SUCCEEDED', retryInMs: null, statusCode: 200, responseBody: null, durationMs: 1, error: null },
          ...{ startedAtMs: Date.now(), postback: { place, status } },
        });
      }
      await results.close();
    },
  };
}

const dispute = async (database: Database, place: string): Promise<void> => {
  const found = await findReservation(database, place);
  if (found === null) throw new Error('no place');
  const rejection = { by: 'dispute', reason: 'fraud', note: null, at: new Date() } as const;
  await underLock(database, found, (tx, study, now) => reverseAll(tx, study, [{ place: now, rejection }]));
};

type Step = 'write' | 'claim' | 'arrive' | 'dispute';
/** Steps before the erasure, then before one of its transactions or after it, and before the same or a later one. */
const scenarios: readonly (readonly (readonly Step[])[])[] = [
  [['write'], ['claim'], ['arrive']],
  [[], ['write'], ['claim', 'arrive']],
  [['write', 'claim'], ['dispute', 'write'], ['arrive']],
  [['write'], ['dispute', 'write', 'claim'], ['arrive']],
  [['write', 'claim', 'arrive', 'dispute'], ['write', 'claim'], ['arrive']],
];

/** More than an erasure has transactions. */
const pointsMax = 12;
const numRuns = 40;

function testErasure(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('whatever an erasure comes between, a place is unsent if the supplier does not know its status', async (t) => {
    const { database } = await open(t);
    const study = await makeStudy(database, 10_000);
    const postbacks = await postbacksOf(database, study);
    const instance = await instanceOf(t, database, randomBytes(32));
    let respondents = 0;

    const run = async (
      [before, first, later]: readonly (readonly Step[])[],
      isScored: boolean,
      [from, to]: readonly number[],
    ) => {
      const rid = `r${respondents++}`;
      const token = tokenOf(await instance.enter(study, rid));
      await instance.returns.comeBack(token, 'complete');
      const place = placeOf(token);
      await postbacks.give(place);
      let claimed: readonly Claimed[] = [];
      const steps: Readonly<Record<Step, () => Promise<unknown>>> = {
        write: postbacks.write,
        claim: async () => (claimed = [...claimed, ...(await postbacks.claim())]),
        arrive: () => postbacks.arrive(claimed).finally(() => (claimed = [])),
        dispute: () => dispute(database, place),
      };
      const runSteps = async (some: readonly Step[] = []): Promise<void> => {
        for (const step of some) await steps[step]();
      };
      await runSteps(before);
      let transactions = 0;
      const erase = erasureOf(
        watched(database, async (n) => {
          transactions = n + 1;
          if (n === from) await runSteps(first);
          if (n === to) await runSteps(later);
        }),
        isScored ? [place] : [],
      );
      await erase(operator, { ...study, respondentId: rid });
      if ((from ?? 0) >= transactions) await runSteps(first);
      if ((to ?? 0) >= transactions) await runSteps(later);
      await postbacks.write();
      const [row] = await database.query<{ unsent: boolean; reversed: boolean }>(
        `SELECT unsent, completion = 'reversed' AS reversed FROM study_places WHERE place_id = $1`,
        [place],
      );
      const status = row?.reversed === true ? 'reversed' : 'complete';
      assert.equal(row?.unsent, postbacks.known.get(place) !== status);
      const left = await database.query(
        'SELECT 1 FROM deliveries WHERE session_id = $1 UNION ALL SELECT 1 FROM webhook_events WHERE session_id = $1',
        [place],
      );
      assert.deepEqual(left, []);
    };
    const points = fc.tuple(fc.nat(pointsMax), fc.nat(pointsMax)).map((pair) => [...pair].sort((a, b) => a - b));
    await fc.assert(fc.asyncProperty(fc.constantFrom(...scenarios), fc.boolean(), points, run), { numRuns });
  });

  t.test('an erasure at the moment of an entry leaves nothing of who took the place', async (t) => {
    const { database, another } = await open(t);
    const study = await makeStudy(database, 1_000);
    const other = await another(30_000);
    const erasures: Promise<unknown>[] = [];
    const waits = async (): Promise<boolean> =>
      (
        await other.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
      ).length > 0;
    /** The erasure comes while the entry changes the place, and waits for it. An embedded database has one transaction at a time. */
    const eraseMeanwhile = async (): Promise<void> => {
      const erasure = eraseReservations(other, { ...study, respondentId: 'r' }, () => Promise.resolve(0));
      erasures.push(erasure);
      if (other !== database) await Promise.race([erasure, waitUntil(waits, 'the erasure waits')]);
    };
    const entering: Database = {
      ...database,
      transaction: (run, options) =>
        database.transaction(
          (tx) =>
            run({
              async query(sql, ...rest) {
                if (erasures.length === 0 && sql.includes('UPDATE study_places SET state')) await eraseMeanwhile();
                return tx.query(sql, ...rest);
              },
            }),
          options,
        ),
    };
    const instance = await instanceOf(t, entering, randomBytes(32));
    await instance.enter(study, 'r');
    await Promise.all(erasures);
    t.same(await database.query('SELECT kind, ref FROM study_claimants WHERE study_id = $1', [study.studyId]), []);
    const places = 'SELECT device_ref, receipt_id FROM study_places WHERE study_id = $1';
    t.same(await database.query(places, [study.studyId]), [{ device_ref: null, receipt_id: null }]);
  });

  t.test('the name that erased places have is nobody’s, unless a respondent has it too', async (t) => {
    const { database } = await open(t);
    const study = await makeStudy(database, 10);
    const instance = await instanceOf(t, database, randomBytes(32));
    const erase = async (respondentId: string): Promise<number> => {
      let places = 0;
      await eraseReservations(database, { ...study, respondentId }, (_tx, some) => {
        places += some.length;
        return Promise.resolve(0);
      });
      return places;
    };
    await instance.enter(study, 'r');
    t.equal(await erase('r'), 1);
    t.same(await findRespondentRefs(database, { ...study, respondentId: 'erased' }), []);
    t.equal(await erase('erased'), 0);
    await instance.enter(study, 'erased');
    t.not((await findRespondentRefs(database, { ...study, respondentId: 'erased' })).length, 0);
    t.equal(await erase('erased'), 1);
  });

  t.test(
    'every entry of the audit trail names the erased respondent by the hash of the id that was sent',
    async (t) => {
      const { database } = await open(t);
      const study = await makeStudy(database, 10);
      const instance = await instanceOf(t, database, randomBytes(32));
      await instance.enter(study, 'r');
      await erasureOf(database, [])(operator, { ...study, respondentId: 'r' });
      const entries = await database.query<{ respondent: string }>(
        "SELECT detail ->> 'respondent' AS respondent FROM audit_entries WHERE organization_id = $1 AND action = 'respondent.erased'",
        [study.organizationId],
      );
      t.ok(entries.length > 1, 'the rid, and the names that the study gave');
      t.same([...new Set(entries.map(({ respondent }) => respondent))], [`${study.projectId} erased r`]);
    },
  );

  t.test('a place that stood aside when its respondent was erased is not unsent', async (t) => {
    const { database } = await open(t);
    const study = await makeStudy(database, 10);
    const postbacks = await postbacksOf(database, study);
    let isRefused = true;
    const instance = await instanceOf(t, database, randomBytes(32), {
      score: () =>
        Promise.resolve(isRefused ? JSON.stringify({ ...JSON.parse(allowed), recommendation: 'block' }) : allowed),
    });
    await instance.entries.enter(visitOf(study, 'r', { device: 'bot' }));
    isRefused = false;
    await instance.entries.enter(visitOf(study, 'r', { device: 'honest' }));
    const places = await database.query<{ place: string }>('SELECT place_id AS place FROM study_places');
    t.equal(places.length, 2);
    for (const { place } of places) await postbacks.give(place);
    await erasureOf(database, [])(operator, { ...study, respondentId: 'r' });
    await postbacks.write();
    t.same(await database.query('SELECT place_id FROM study_places WHERE unsent'), []);
  });

  t.test('an entry and an erasure between the steps of each other leave no link and no token', async (t) => {
    const { database } = await open(t);
    const masterKey = randomBytes(32);
    const verification = {
      async makeLink(tx: Queryable, { organizationId, projectId, respondentRef }: QuotaReservation) {
        const owner = { organizationId, projectId, mode: 'live' } as const;
        const creation = { respondentId: respondentRef, returnUrl: 'https://a.example' };
        return (
          await insertLink(tx, owner, creation, { nowMs: Date.now(), own: { isSigned: true, minimumAssurance: null } })
        ).linkId;
      },
      ...{ linkUrl: (id: string) => id, read: () => Promise.resolve(null) },
    };
    const run = async (isVerified: boolean, isEntryOutside: boolean, point: number): Promise<void> => {
      const study = await makeStudy(database, 10, [], isVerified);
      const enter = async (handle: Database) =>
        (await instanceOf(t, handle, masterKey, { verification })).enter(study, 'r');
      const erase = (handle: Database) => erasureOf(handle, [])(operator, { ...study, respondentId: 'r' });
      const [outer, inner] = isEntryOutside ? [enter, erase] : [erase, enter];
      await outer(watched(database, async (n) => void (n === point && (await inner(database)))));
      const left = await database.query(
        `SELECT link_id FROM hosted_links l WHERE project_id = $1
            AND NOT EXISTS (SELECT 1 FROM study_places p WHERE p.project_id = $1 AND p.respondent_ref = l.respondent_id)
          UNION ALL SELECT place_id FROM study_places
            WHERE project_id = $1 AND respondent_id = 'erased' AND coalesce(token, link_id) IS NOT NULL`,
        [study.projectId],
      );
      t.same(left, [], `${isVerified ? 'link' : 'token'}, ${isEntryOutside ? 'entry' : 'erasure'} at ${point}`);
    };
    for (const isVerified of [true, false])
      for (const isEntryOutside of [true, false])
        for (let point = 0; point < 9; point++) await run(isVerified, isEntryOutside, point);
  });
}

onBothStores(t, 'erasures', testErasure);
