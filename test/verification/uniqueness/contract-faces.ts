/** Faces: scopes, windows, models, erasure, races, and what is wrong with stored or sent embeddings. */
import type { Test } from 'tap';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { eraseFingerprints } from '../../../src/verification/uniqueness/fingerprint-store.js';
import type { ComparedSession } from '../../../src/verification/uniqueness/uniqueness.js';
import { createFaceModels } from '../../../src/verification/uniqueness/face-models.js';
import { shippedFaceModel } from '../../../src/verification/uniqueness/shipped-face-model.js';
import { directionNear, embeddingOf, envelopeOf, randomDirection } from '../../helpers/faces.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { createWorld, dayMs, isSame, openInstance, participate, startMs, type Shared } from './contract.js';

export function testFaces(t: Test, open: () => Shared): void {
  t.test('who took part is found again, with session and respondent; a stranger is not', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    const first = world.session();
    const nobody = await participate(one, world, first, world.capture(ada));
    t.match(nobody.biometric, { gallerySize: 0, match: null, returning: null });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await one.uniqueness.poll();
      const { biometric } = await one.uniqueness.compare(world.session(), world.capture(ada), startMs);
      const { sessionId, respondentId } = first;
      t.match(biometric, {
        gallerySize: 1,
        match: { sessionId, respondentId, completedAtMs: startMs },
        returning: null,
      });
      t.ok(isSame(biometric), isIndexed ? 'through the index' : 'before the index knows');
      const stranger = await one.uniqueness.compare(world.session(), world.capture(world.person()), startMs);
      t.match(stranger.biometric, { gallerySize: 1, returning: null });
      t.notOk(isSame(stranger.biometric));
    }
  });

  t.test('who failed is nobody’s duplicate, nor is one’s own retry chain, nor a demo session', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    const failed = world.session();
    await participate(one, world, failed, world.capture(ada), { status: 'fail' });
    await participate(one, world, world.session({ mode: 'demo' }), world.capture(ada));
    await one.uniqueness.poll();
    const again = world.session();
    t.match((await participate(one, world, again, world.capture(ada), { status: 'review' })).biometric, {
      gallerySize: 0,
    });
    await one.uniqueness.poll();
    const retry = world.session({ rootSessionId: again.rootSessionId });
    t.match((await one.uniqueness.compare(retry, world.capture(ada), startMs)).biometric, { match: null });
    const demo = await one.uniqueness.compare(world.session({ mode: 'demo' }), world.capture(ada), startMs);
    t.same(demo, nothingCompared);
    t.ok(
      isSame((await one.uniqueness.compare(world.session(), world.capture(ada), startMs)).biometric),
      'review counts',
    );
  });

  t.test(
    'without consent, or in an invisible mode that never asks for the camera, nothing is compared or kept',
    async (t) => {
      const world = await createWorld(open());
      const one = openInstance(t, open());
      await one.uniqueness.poll();
      const capture = { ...world.capture(world.person()), consent: { biometric: false } };
      t.equal((await participate(one, world, world.session(), capture)).biometric, null);
      const invisible = world.session({ widgetMode: 'invisible' });
      t.equal((await participate(one, world, invisible, world.capture(world.person()))).biometric, null);
      const kept = await open().database.query(
        'SELECT 1 FROM fingerprints WHERE project_id = $1 AND sealed IS NOT NULL',
        [world.projectId],
      );
      t.same(kept, []);
    },
  );

  t.test(
    'the window runs from the outcome, to the millisecond; after it a match is a returning participant',
    async (t) => {
      const world = await createWorld(open());
      const one = openInstance(t, open());
      await one.uniqueness.poll();
      const ada = world.person();
      const deduplication = { reEligibilityDays: 7 };
      const outcomeMs = startMs + 123;
      await participate(one, world, world.session({ deduplication }), world.capture(ada), { atMs: outcomeMs });
      for (const isIndexed of [false, true]) {
        if (isIndexed) await one.uniqueness.poll();
        const at = async (nowMs: number) =>
          (await one.uniqueness.compare(world.session({ deduplication }), world.capture(ada), nowMs)).biometric;
        t.ok(isSame(await at(outcomeMs + 7 * dayMs)), 'the last moment of the window blocks');
        const after = await at(outcomeMs + 7 * dayMs + 1);
        t.match(after, { match: null, returning: { completedAtMs: outcomeMs } }, 'a millisecond later it does not');
        const forEver = await one.uniqueness.compare(world.session(), world.capture(ada), outcomeMs + 4_000 * dayMs);
        t.ok(isSame(forEver.biometric), 'without a window it always does');
      }
    },
  );

  t.test('many earlier participations never hide the one that still blocks', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    const deduplication = { reEligibilityDays: 7 };
    for (let week = 0; week < 20; week += 1)
      await participate(one, world, world.session({ deduplication }), world.capture(ada, 0.99), {
        atMs: startMs - (week + 2) * 8 * dayMs,
      });
    await one.uniqueness.poll();
    await participate(one, world, world.session({ deduplication }), world.capture(ada, 0.8), { atMs: startMs - dayMs });
    await one.uniqueness.poll();
    const { biometric } = await one.uniqueness.compare(world.session({ deduplication }), world.capture(ada), startMs);
    t.ok(isSame(biometric));
    t.equal(biometric?.match?.completedAtMs, startMs - dayMs);
    t.ok(biometric?.returning);
  });

  t.test('embeddings of different models or dimensions never meet, and an unknown model is not compared', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    await participate(one, world, world.session(), world.capture(ada));
    await one.uniqueness.poll();
    const ask = async (model: string, face = ada) =>
      (await one.uniqueness.compare(world.session(), envelopeOf({ embedding: embeddingOf(face, model) }), startMs))
        .biometric;
    t.ok(isSame(await ask('test-face')));
    t.match(await ask('other-face'), { model: 'other-face', gallerySize: 0, match: null });
    t.equal(await ask('nobody-knows'), null);
    t.equal(await ask('test-face', randomDirection(createRandom(1), 64)), null);
    t.match(await one.metrics.registry.metrics(), /vh_face_comparisons_total\{result="unknown_model"\} 2/);
  });

  t.test('hostile embeddings are neither compared nor kept', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const values = [0, 1 / Math.sqrt(128), -1 / Math.sqrt(128), 1];
    for (const value of values) {
      const envelope = envelopeOf({ embedding: embeddingOf(new Float32Array(128).fill(value)) });
      t.equal((await participate(one, world, world.session(), envelope)).biometric, null, `${value}`);
    }
    await one.uniqueness.poll();
    const { biometric } = await one.uniqueness.compare(world.session(), world.capture(world.person()), startMs);
    t.match(biometric, { gallerySize: 0, match: null });
  });

  t.test('a face blocks sessions on evidence as weak as its own, never those on stronger evidence', async (t) => {
    const kinds = [
      { evidence: 'claimed', respondentTrusted: false },
      { evidence: 'claimed', respondentTrusted: true },
      { evidence: 'seen', respondentTrusted: false },
    ] as const;
    for (const [earlier, enrolled] of kinds.entries()) {
      const world = await createWorld(open());
      const one = openInstance(t, open());
      await one.uniqueness.poll();
      const ada = world.person();
      await participate(one, world, world.session(enrolled), world.capture(ada));
      for (const isIndexed of [false, true]) {
        if (isIndexed) await one.uniqueness.poll();
        for (const [later, kind] of kinds.entries()) {
          const { biometric } = await one.uniqueness.compare(world.session(kind), world.capture(ada), startMs);
          t.equal(isSame(biometric), earlier >= later, `${earlier} before ${later}, ${isIndexed ? 'indexed' : 'new'}`);
        }
      }
    }
  });

  t.test('where the project says so, a face alone excludes nobody whom more than a page named', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    const named = { evidence: 'seen', respondentTrusted: true } as const;
    await participate(one, world, world.session(named), world.capture(ada));
    const deduplication = { face: 'note' } as const;
    const ask = (given: Partial<ComparedSession>) =>
      one.uniqueness.compare(world.session(given), world.capture(ada), startMs);
    const noted = await ask({ ...named, deduplication });
    t.strictSame([isSame(noted.biometric), noted.isFaceNoted], [true, true]);
    t.equal((await ask({ evidence: 'seen', deduplication })).isFaceNoted, false, 'a page alone named them');
    t.equal((await ask(named)).isFaceNoted, false, 'the project does not say so');
  });

  t.test('without a table a face is compared with those of the same person alone', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open(), createFaceModels([]));
    const { center, model } = shippedFaceModel;
    const random = createRandom(5);
    const person = () => randomDirection(random);
    const capture = (of: Float32Array) => {
      const near = directionNear(of, 0.95, random).map((value, index) => 0.4 * value + (center?.[index] ?? 0));
      const length = Math.hypot(...near);
      return envelopeOf({
        embedding: embeddingOf(
          near.map((value) => value / length),
          model,
        ),
      });
    };
    const [ada, bob] = [person(), person()];
    const failed = world.session();
    await participate(one, world, failed, capture(ada), { status: 'fail' });
    const retry = (of: Float32Array) =>
      one.uniqueness.compare(world.session({ rootSessionId: failed.rootSessionId }), capture(of), startMs);
    t.match(await retry(ada), { biometric: null, isFaceChanged: false });
    t.match(await retry(bob), { biometric: null, isFaceChanged: true }, 'somebody else tries again');
    /** Tries of one chain that show these faces and fail; says of each whether its face was another. */
    const areChanged = async (faces: readonly Float32Array[], given = {}) => {
      const { rootSessionId } = world.session();
      const changes: boolean[] = [];
      for (const [index, of] of faces.entries()) {
        const session = world.session({ ...given, rootSessionId, ...(index === 0 && { sessionId: rootSessionId }) });
        const atMs = startMs + index;
        const { isFaceChanged } = await participate(one, world, session, capture(of), { atMs, status: 'fail' });
        changes.push(isFaceChanged);
      }
      return changes;
    };
    const six = Array.from({ length: 6 }, () => bob);
    t.same(await areChanged([ada, ...six]), [false, ...six.map(() => true)], 'a failed try vouches for no face');

    const ask = async (respondentId: string, of: Float32Array, given = {}) =>
      one.uniqueness.compare(world.session({ respondentId, ...given }), capture(of), startMs);
    await participate(one, world, world.session({ respondentId: 'seen', evidence: 'seen' }), capture(ada));
    const again = { identity: { match: { respondentId: 'seen' }, isClaimed: false }, isFaceChanged: false };
    t.match(await ask('seen', ada), again, 'the face proves what the page says');
    const other = { identity: { match: null, isClaimed: true }, isFaceChanged: false };
    t.match(await ask('seen', bob), other, 'a page that took part under an id fails nobody whose id it is');
    const backend = { respondentTrusted: true, evidence: 'seen' } as const;
    t.match(await ask('seen', bob, backend), other);
    await participate(one, world, world.session({ respondentId: 'named', ...backend }), capture(ada));
    for (const given of [{}, backend]) {
      t.match(await ask('named', bob, given), { isFaceChanged: true });
      t.same(await areChanged([...six, ada], { ...given, respondentId: 'named' }), [...six.map(() => true), false]);
    }
    t.match(await ask('nobody', ada), { biometric: null, identity: { match: null, isClaimed: false } }, 'only theirs');

    await participate(one, world, world.session({ respondentId: 'forged' }), capture(bob));
    const honest = { identity: { match: null, isClaimed: true }, isFaceChanged: false };
    for (const of of [ada, bob]) t.match(await ask('forged', of), honest, 'a page alone enrols nobody under an id');
  });

  t.test('studies are apart where the project says so, for faces, devices and respondents', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    const named = { respondentId: 'ada', respondentTrusted: true };
    await participate(one, world, world.session({ ...named, studyId: 'one' }), world.capture(ada));
    await one.uniqueness.poll();
    const ask = async (studyId: string | null, scope: 'project' | 'study') => {
      const session = world.session({ ...named, studyId, deduplication: { scope } });
      const { biometric, identity } = await one.uniqueness.compare(session, world.capture(ada), startMs);
      t.equal(isSame(biometric), identity?.match != null);
      return isSame(biometric);
    };
    t.ok(await ask('one', 'study'));
    t.notOk(await ask('two', 'study'));
    t.notOk(await ask(null, 'study'));
    t.ok(await ask('two', 'project'));
  });

  t.test('a new instance fills its index from the database, and both follow what either does', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const people = Array.from({ length: 12 }, () => world.person());
    for (const person of people) await participate(one, world, world.session(), world.capture(person));
    const two = openInstance(t, open());
    await two.uniqueness.poll();
    await two.uniqueness.check();
    for (const person of people)
      t.ok(isSame((await two.uniqueness.compare(world.session(), world.capture(person), startMs)).biometric));
    const late = world.person();
    await participate(two, world, world.session(), world.capture(late));
    t.ok(
      isSame((await one.uniqueness.compare(world.session(), world.capture(late), startMs)).biometric),
      'not yet polled',
    );
    two.uniqueness.refresh();
    t.match(await two.metrics.registry.metrics(), /vh_face_index_bytes [1-9]/);
  });

  t.test('what is erased is told by no instance from then on, and leaves every index', async (t) => {
    const world = await createWorld(open());
    const [one, two] = [openInstance(t, open()), openInstance(t, open())];
    const ada = world.person();
    const session = world.session();
    await one.uniqueness.poll();
    await participate(one, world, session, world.capture(ada));
    await Promise.all([one.uniqueness.poll(), two.uniqueness.poll()]);
    const erased = await inOrganization(open().database, world.organizationId, (tx) =>
      eraseFingerprints(tx, world.organizationId, [session.sessionId, 'sess_unknown']),
    );
    t.equal(erased, 1);
    for (const { uniqueness } of [one, two]) {
      const before = await uniqueness.compare(world.session(), world.capture(ada), startMs);
      t.equal(before.biometric?.match, null, 'before the index follows');
      await uniqueness.poll();
      const { biometric } = await uniqueness.compare(world.session(), world.capture(ada), startMs);
      t.match(biometric, { gallerySize: 0, match: null });
    }
    t.equal(await eraseFingerprints(open().database, 'org_other', [session.sessionId]), 0);
  });

  t.test(
    'a stored embedding that was changed, or moved to another row, is left out and counted; nobody is named',
    async (t) => {
      const world = await createWorld(open());
      const one = openInstance(t, open());
      await one.uniqueness.poll();
      const [ada, bob] = [world.person(), world.person()];
      const sessions = [world.session(), world.session()] as const;
      await participate(one, world, sessions[0], world.capture(ada));
      await participate(one, world, sessions[1], world.capture(bob));
      await open().database.query(
        'UPDATE fingerprints SET sealed = (SELECT sealed FROM fingerprints WHERE session_id = $1) WHERE session_id = $2',
        [sessions[0].sessionId, sessions[1].sessionId],
      );
      const two = openInstance(t, open());
      await two.uniqueness.poll();
      const ask = async (face: Float32Array) =>
        (await two.uniqueness.compare(world.session(), world.capture(face), startMs)).biometric;
      t.equal((await ask(ada))?.match?.sessionId, sessions[0].sessionId, 'Ada is Ada only once');
      t.notOk(isSame(await ask(bob)));
      t.match(await two.metrics.registry.metrics(), /vh_embeddings_unreadable_total [1-9]/);
      t.ok(two.logs.some((line) => line.includes('cannot be decrypted')));
      t.notOk(
        two.logs.some((line) => line.includes(String(sessions[1].respondentId))),
        'without a name',
      );
      t.equal(
        (await open().database.query('SELECT sealed FROM fingerprints WHERE session_id = $1', [sessions[0].sessionId]))
          .length,
        1,
      );
    },
  );

  t.test('of two completions of one person at one moment on two instances, one is told to look again', async (t) => {
    const world = await createWorld(open());
    const [one, two] = [openInstance(t, open()), openInstance(t, open())];
    await Promise.all([one.uniqueness.poll(), two.uniqueness.poll()]);
    const ada = world.person();
    const results = await Promise.allSettled(
      [one, two, one, two].map(async (instance) => {
        const [session, envelope] = [world.session(), world.capture(ada)];
        const facts = await instance.uniqueness.compare(session, envelope, startMs);
        if (isSame(facts.biometric)) throw new Error('seen already');
        await inOrganization(open().database, world.organizationId, (tx) =>
          instance.uniqueness.record(tx, session, envelope, {
            completedAt: new Date(startMs),
            status: 'pass',
            evidence: 'claimed',
          }),
        );
      }),
    );
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    // On a busy machine one may wait for the other for longer than a lock is waited for. It is told to come again, too.
    for (const result of results)
      if (result.status === 'rejected' && (result.reason as Error).message !== 'seen already')
        t.match(result.reason, {
          code: /^(OVERLOADED|STORE_UNAVAILABLE)$/,
          details: { headers: { 'retry-after': '1' } },
        });
    const again = await two.uniqueness.compare(world.session(), world.capture(ada), startMs);
    t.ok(isSame(again.biometric), 'and then it finds the other');
    const rows = await open().database.query('SELECT 1 FROM fingerprints WHERE project_id = $1', [world.projectId]);
    t.equal(rows.length, 1);
  });

  t.test('while the index is being filled faces are refused, not passed as unique', async (t) => {
    const world = await createWorld(open());
    const waiting: ((error: Error) => void)[] = [];
    const query = () => new Promise<never>((_resolve, reject) => waiting.push(reject));
    const one = openInstance(t, { ...open(), database: { ...open().database, query } });
    await t.rejects(one.uniqueness.check(), /being filled/);
    await t.rejects(one.uniqueness.compare(world.session(), world.capture(world.person()), startMs), {
      code: 'OVERLOADED',
    });
    for (const reject of waiting) reject(new Error('the database went away'));
  });
}
