/** One face of many respondents: who counts, for how long, and that neither a race nor a crowd hides it. */
import type { Test } from 'tap';
import { dropOverAge } from '../../../src/stores/database/retention.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { eraseFingerprints } from '../../../src/verification/uniqueness/fingerprint-store.js';
import { recentFaceLifetime } from '../../../src/verification/uniqueness/face-reuse.js';
import { createFaceModels } from '../../../src/verification/uniqueness/face-models.js';
import { ConcurrentDuplicateError, type ComparedSession } from '../../../src/verification/uniqueness/uniqueness.js';
import { envelopeOf, shippedEmbeddingOf } from '../../helpers/faces.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { createWorld, dayMs, openInstance, participate, startMs, type Shared } from './contract.js';

const seen = { evidence: 'seen' } as const;
const named = (respondentId: string) => ({ respondentId, respondentTrusted: true });

/** Without a table, as where faces are not deduplicated. */
async function open(t: Test, shared: Shared) {
  const world = await createWorld(shared);
  const one = openInstance(t, shared, createFaceModels([]));
  const random = createRandom(77);
  /** A capture of a photograph, in the numbers of the SDK’s own model. */
  const capture = (of: Float32Array, likeness?: number) =>
    envelopeOf({ embedding: shippedEmbeddingOf(of, random, likeness) });
  const ask = async (of: Float32Array, given: Partial<ComparedSession> = {}, atMs = startMs) =>
    (await one.uniqueness.compare(world.session(given), capture(of), atMs)).otherRespondentsWithFace;
  const pass = async (
    of: Float32Array,
    given: Partial<ComparedSession> = {},
    status: 'pass' | 'fail' | 'review' = 'pass',
  ) => {
    const session = world.session(given);
    await participate(one, world, session, capture(of), { status });
    return session;
  };
  const countFaces = async (): Promise<number> => {
    const [row] = await shared.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM recent_faces WHERE organization_id = $1',
      [world.organizationId],
    );
    return row?.count ?? 0;
  };
  return { world, one, capture, ask, pass, countFaces };
}

export function testFaceReuse(t: Test, shared: () => Shared): void {
  t.test('one face of many respondents is counted up to three, in any project of the organization alone', async (t) => {
    const { world, ask, pass } = await open(t, shared());
    const photograph = world.person();
    for (const expected of [0, 1, 2, 3, 3]) {
      const projectId = await world.addProject();
      const respondentId = `r-${expected}-${projectId}`;
      t.equal(await ask(photograph, { projectId, respondentId }), expected);
      await pass(photograph, { projectId, respondentId });
    }
    for (let stranger = 0; stranger < 6; stranger += 1) {
      t.equal(await ask(world.person()), 0);
      await pass(world.person());
    }
    const other = await open(t, shared());
    t.equal(await other.ask(photograph), 0, 'nothing is known in another organization');
  });

  t.test(
    'a chain of tries and a respondent are one, in every project; who has no id counts within their project and study',
    async (t) => {
      const { world, ask, pass } = await open(t, shared());
      const [ada, bob] = [world.person(), world.person()];
      const { rootSessionId } = await pass(ada, named('ada'));
      t.equal(await ask(ada, { rootSessionId }), 0, 'the chain');
      t.equal(await ask(ada, { ...named('ada'), projectId: await world.addProject() }), 0, 'the respondent');
      t.equal(await ask(ada, named('eve')), 1);
      await pass(bob, { respondentId: 'bob' });
      t.equal(await ask(bob, { respondentId: 'bob' }), 0, 'whom a page names');
      t.equal(await ask(bob, { respondentId: 'bobby' }), 1);
      const cy = world.person();
      const unnamed = { respondentId: null };
      await pass(cy, { ...unnamed, studyId: 'one' });
      t.equal(await ask(cy, { ...unnamed, studyId: 'one' }), 1, 'nobody’s chain, the same study');
      t.equal(await ask(cy, { ...unnamed, studyId: 'two' }), 0, 'another study');
      t.equal(await ask(cy, { ...unnamed, studyId: 'one', projectId: await world.addProject() }), 0, 'another project');
    },
  );

  t.test('who failed counts for nobody, who is under review does, and the same respondent counts once', async (t) => {
    const { world, ask, pass } = await open(t, shared());
    const ada = world.person();
    await pass(ada, {}, 'fail');
    t.equal(await ask(ada), 0);
    await pass(ada, named('eve'), 'review');
    await pass(ada, { ...named('eve'), projectId: await world.addProject() });
    t.strictSame([await ask(ada), await ask(ada, named('mallory'))], [1, 1]);
  });

  t.test(
    'what is easier to forge counts for nobody who is harder to forge: three pages alone fail no named respondent',
    async (t) => {
      const { world, ask, pass } = await open(t, shared());
      const [ada, bob] = [world.person(), world.person()];
      for (let forged = 0; forged < 4; forged += 1) await pass(ada, named(`forged-${forged}`));
      t.equal(await ask(ada, { ...named('ada'), ...seen }), 0);
      for (let forged = 0; forged < 3; forged += 1) await pass(bob, seen);
      t.strictSame([await ask(bob), await ask(bob, seen), await ask(bob, { ...named('bob'), ...seen })], [3, 3, 0]);
    },
  );

  t.test('a face is nearly identical or counts for nothing', async (t) => {
    const { world, ask, pass, capture, one } = await open(t, shared());
    const ada = world.person();
    await pass(ada);
    t.equal(await ask(ada), 1);
    const alike = capture(ada, 0.85);
    t.equal((await one.uniqueness.compare(world.session(), alike, startMs)).otherRespondentsWithFace, 0);
  });

  t.test('a face that is nearly one of those who share a face counts with all of them', async (t) => {
    const { world, one, capture, ask, pass } = await open(t, shared());
    const ada = world.person();
    await pass(ada);
    const counts: (number | null)[] = [];
    for (let captured = 0; captured < 4; captured += 1) {
      // Nearly the first face, and no other.
      const facts = await participate(one, world, world.session(), capture(ada, 0.935));
      counts.push(facts.otherRespondentsWithFace);
    }
    t.strictSame(counts, [1, 2, 3, 3]);
    t.equal(await ask(world.person()), 0);
  });

  t.test('after 24 hours a face is forgotten, and what it was found by is deleted', async (t) => {
    const { world, ask, pass, countFaces } = await open(t, shared());
    const ada = world.person();
    await pass(ada);
    t.equal(await ask(ada, {}, startMs + dayMs), 1);
    t.equal(await ask(ada, {}, startMs + dayMs + 1), 0);
    const kept = await countFaces();
    t.equal(kept, 1);
    await dropOverAge(shared().database, recentFaceLifetime, startMs + dayMs);
    t.equal(await countFaces(), kept);
    await dropOverAge(shared().database, recentFaceLifetime, startMs + dayMs + 1);
    t.equal(await countFaces(), 0);
  });

  t.test('who is erased is forgotten at once', async (t) => {
    const { world, ask, pass, countFaces } = await open(t, shared());
    const ada = world.person();
    const { sessionId } = await pass(ada);
    await inOrganization(shared().database, world.organizationId, (tx) =>
      eraseFingerprints(tx, world.organizationId, [sessionId]),
    );
    t.strictSame([await ask(ada), await countFaces()], [0, 0]);
  });

  t.test(
    'where it is off, and in test and demo sessions, nothing is looked for and nothing is kept to be found',
    async (t) => {
      const { world, ask, pass, countFaces } = await open(t, shared());
      const ada = world.person();
      const off = { deduplication: { faceReuse: 'off' } } as const;
      for (const given of [off, { mode: 'demo' }, { mode: 'test' }] as const) {
        await pass(ada, given);
        t.equal(await ask(ada, given), null);
      }
      t.strictSame([await ask(ada), await countFaces()], [0, 0]);
    },
  );

  const atOnce = async (t: Test, given: Partial<ComparedSession>): Promise<void> => {
    const { world, one, capture } = await open(t, shared());
    const ada = world.person();
    const sessions = [given, given].map((each) => ({ session: world.session(each), envelope: capture(ada) }));
    for (const { session, envelope } of sessions) await one.uniqueness.compare(session, envelope, startMs);
    const complete = ({ session, envelope }: (typeof sessions)[number]) =>
      inOrganization(shared().database, world.organizationId, (tx) =>
        one.uniqueness.record(tx, session, envelope, {
          completedAt: new Date(startMs),
          status: 'pass',
          evidence: session.evidence,
        }),
      );
    const done = await Promise.allSettled(sessions.map(complete));
    const [refused, ...rest] = done.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    t.ok(refused instanceof ConcurrentDuplicateError, String(refused));
    t.equal(rest.length, 0);
  };
  t.test('of two completions of one face at one moment the second is judged again', (t) => atOnce(t, {}));
  t.test('of two under one id, which a page names and pictures of one face prove, too', (t) =>
    atOnce(t, { respondentId: 'ada', ...seen }),
  );

  t.test('nobody hides others of the day by passing again and again under one id, on whatever evidence', async (t) => {
    const { world, one, capture, ask, pass } = await open(t, shared());
    const photograph = world.person();
    for (const respondentId of ['ada', 'bob', 'cy']) await pass(photograph, { ...named(respondentId), ...seen });
    // Nearer than captures of the photograph are to each other: they share more bands.
    for (let again = 0; again < 100; again += 1)
      await participate(one, world, world.session({ respondentId: 'eve' }), capture(photograph, 0.999));
    t.equal(await ask(photograph, named('mallory')), 3, 'named');
    t.equal(await ask(photograph, { ...named('mallory'), ...seen }), 3, 'named, on stronger evidence than those');
  });

  t.test('a crowd of one face costs a bounded look, and is counted', async (t) => {
    const { world, one, capture } = await open(t, shared());
    const crowd = capture(world.person());
    const crowded = async () =>
      /vh_face_reuse_total\{result="crowded"\} (\d+)/.exec(await one.metrics.registry.metrics())?.[1];
    const pass = (given: Partial<ComparedSession> = {}) => participate(one, world, world.session(given), crowd);
    await pass();
    const copies = [
      `INSERT INTO fingerprints (fingerprint_no, fingerprint_id, organization_id, project_id, session_id, root_session_id, status, completed_at)
       SELECT -copy, fingerprint_id || copy, organization_id, project_id, session_id || copy, session_id || copy, status, completed_at
       FROM fingerprints, generate_series(1, 510) AS copy WHERE organization_id = $1`,
      `INSERT INTO recent_faces (fingerprint_no, organization_id, person, evidence_rank, completed_at, bands)
       SELECT -copy, organization_id, person || copy, evidence_rank, completed_at, bands FROM recent_faces, generate_series(1, 510) AS copy WHERE organization_id = $1`,
    ];
    for (const sql of copies) await shared().database.query(sql, [world.organizationId]);
    t.equal((await pass()).otherRespondentsWithFace, 1, 'the newest are looked at');
    t.equal(await crowded(), '0');
    t.equal((await pass()).otherRespondentsWithFace, 2);
    t.not(await crowded(), '0');
  });
}
