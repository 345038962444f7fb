/** Whose participants are compared: projects, groups, data collectors, organizations; and devices within them. */
import type { Test } from 'tap';
import type { Database, Queryable } from '../../../src/stores/database/port.js';
import { updateProjectFields } from '../../helpers/project-fields.js';
import { envelopeOf } from '../../helpers/faces.js';
import { humanBody } from '../../helpers/facts.js';
import { phoneFacts } from '../../helpers/visits.js';
import { createWorld, dayMs, isSame, openInstance, participate, startMs, type Shared, type World } from './contract.js';

export function testScopes(t: Test, open: () => Shared): void {
  t.test('projects are apart, projects of one group are not, and a change of scope counts at once', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const grouped = { scope: 'group', groupId: 'panel' } as const;
    const other = await world.addProject();
    const ada = world.person();
    await participate(one, world, world.session(), world.capture(ada));
    await one.uniqueness.poll();
    const ask = async (deduplication: object, projectId = other) =>
      isSame(
        (await one.uniqueness.compare(world.session({ projectId, deduplication }), world.capture(ada), startMs))
          .biometric,
      );
    t.notOk(await ask({ scope: 'project' }), 'another project');
    t.notOk(await ask(grouped), 'a group that the first is not in');
    await updateProjectFields(open().database, world.projectId, { config: { deduplication: grouped } });
    t.ok(await ask(grouped), 'now it is in the group, with those who took part before');
    t.notOk(await ask({ ...grouped, groupId: 'other' }), 'another group');
    await updateProjectFields(open().database, world.projectId, {
      config: { deduplication: { ...grouped, scope: 'project' } },
    });
    t.notOk(await ask(grouped), 'it left');
  });

  t.test('a group of the same name in another organization is another group', async (t) => {
    const deduplication = { scope: 'group', groupId: 'panel' } as const;
    const [mine, theirs] = [await createWorld(open()), await createWorld(open())];
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = mine.person();
    const sessionIn = async (world: World) =>
      world.session({ projectId: await world.addProject(deduplication), deduplication });
    await participate(one, mine, await sessionIn(mine), mine.capture(ada));
    await one.uniqueness.poll();
    t.ok(isSame((await one.uniqueness.compare(await sessionIn(mine), mine.capture(ada), startMs)).biometric));
    const { biometric } = await one.uniqueness.compare(await sessionIn(theirs), mine.capture(ada), startMs);
    t.match(biometric, { gallerySize: 0, match: null });
  });

  t.test('data collectors are apart only where the project says so; none is a collector of its own', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    await one.uniqueness.poll();
    const ada = world.person();
    await participate(one, world, world.session({ dataCollector: 'north' }), world.capture(ada));
    await one.uniqueness.poll();
    const ask = async (dataCollector: string | null, perDataCollector: boolean) =>
      isSame(
        (
          await one.uniqueness.compare(
            world.session({ dataCollector, deduplication: { perDataCollector } }),
            world.capture(ada),
            startMs,
          )
        ).biometric,
      );
    t.ok(await ask('south', false));
    t.ok(await ask(null, false));
    t.notOk(await ask('south', true));
    t.notOk(await ask(null, true));
    t.ok(await ask('north', true));
  });

  t.test('a device is found by its token, else by its likeness, within the window and the scope', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    const { ids: _ids, ...parts } = humanBody();
    const withToken = (token: string) => envelopeOf({ device: { ...parts, ids: { token, kept: true } } });
    const first = world.session();
    const nobody = await participate(one, world, first, withToken('token-of-ada'));
    t.match(nobody, { biometric: null, device: { method: 'none', similarity: 0, matched: null } });
    const compare = async (envelope: ReturnType<typeof envelopeOf>, given = {}, nowMs = startMs) =>
      (await one.uniqueness.compare(world.session(given), envelope, nowMs)).device;
    const exact = await compare(withToken('token-of-ada'));
    t.match(exact, {
      method: 'exact',
      similarity: 1,
      matched: { sessionId: first.sessionId },
      matchedDeviceId: /^dev_[0-9a-f]{16}$/,
    });
    const fuzzy = await compare(withToken('another-token'));
    t.match(fuzzy, { method: 'fuzzy', matched: { sessionId: first.sessionId } });
    t.ok((fuzzy?.similarity ?? 0) >= 0.5 && (fuzzy?.similarity ?? 1) < 1);
    const deduplication = { reEligibilityDays: 7 };
    t.match(await compare(withToken('token-of-ada'), { deduplication }, startMs + 7 * dayMs), { method: 'exact' });
    t.match(await compare(withToken('token-of-ada'), { deduplication }, startMs + 7 * dayMs + 1), { method: 'none' });
    t.match(await compare(withToken('token-of-ada'), { projectId: await world.addProject() }), { method: 'none' });
    t.equal(await compare(envelopeOf({})), null, 'no device, nothing to compare');
    t.match(await compare(envelopeOf({ device: {} })), null);
  });

  t.test('tries of a chain are compared by device, country and camera', async (t) => {
    const world = await createWorld(open());
    const one = openInstance(t, open());
    const { ids: _ids, ...laptop } = humanBody();
    const phone = phoneFacts().probe?.body ?? {};
    const first = world.session({ country: 'DE' });
    const { rootSessionId } = first;
    const envelope = (device: object, token: string, label: string) =>
      Object.assign(envelopeOf({ device: { ...device, ids: { token, kept: true } } }), { camera: { label } });
    const tried = async (sent: ReturnType<typeof envelopeOf>, country: string | null) =>
      (await participate(one, world, world.session({ rootSessionId, country }), sent, { status: 'fail' })).chain;
    const own = envelope(laptop, 'ada', 'FaceTime HD');
    t.equal((await participate(one, world, first, own, { status: 'fail' })).chain, null, 'it is the first');
    const same = { otherDevices: 0, isOtherCountry: false, isOtherCamera: false };
    t.strictSame(await tried(own, 'DE'), same);
    t.strictSame(await tried(envelope(laptop, 'private', 'FaceTime HD'), 'DE'), same, 'a private window');
    t.strictSame(await tried(envelopeOf({}), null), same, 'nothing is known of it');
    const moved = { otherDevices: 1, isOtherCountry: false, isOtherCamera: true };
    t.strictSame(await tried(envelope(phone, 'phone', 'Front Camera'), 'DE'), moved);
    t.match(await tried(envelope(phone, 'phone', 'Front Camera'), 'FR'), {
      isOtherCountry: true,
      isOtherCamera: false,
    });
    t.match(await tried(own, 'FR'), { otherDevices: 1, isOtherCountry: false }, 'it was there before');
    t.equal((await one.uniqueness.compare(world.session(), own, startMs)).chain, null, 'others are not asked');
  });

  t.test('a device is looked for among those like it alone, however many participants the project has', async (t) => {
    const world = await createWorld(open());
    const { ids: _ids, ...device } = humanBody();
    const read = { rows: 0 };
    const one = openInstance(t, { ...open(), database: countingReads(open().database, read) });
    const first = world.session();
    await participate(one, world, first, envelopeOf({ device }));
    await open().database.query(
      `INSERT INTO fingerprints (fingerprint_id, organization_id, project_id, session_id, root_session_id, status, completed_at, device_sketch, device_bands)
       SELECT f.fingerprint_id || n, f.organization_id, f.project_id, f.session_id || n, f.session_id || n, f.status, f.completed_at, f.device_sketch, ARRAY['other' || n]
         FROM fingerprints f, generate_series(1, 1000) AS n WHERE f.project_id = $1`,
      [world.projectId],
    );
    read.rows = 0;
    const { device: found } = await one.uniqueness.compare(world.session(), envelopeOf({ device }), startMs);
    t.match(found, { method: 'fuzzy', matched: { sessionId: first.sessionId } });
    t.ok(read.rows < 100, `${read.rows} fingerprints were read`);
    const erased = await open().database.query('DELETE FROM fingerprints WHERE project_id = $1 RETURNING 1', [
      world.projectId,
    ]);
    t.equal(erased.length, 1_001);
    t.same(
      await open().database.query('SELECT * FROM fingerprint_bands WHERE organization_id = $1', [world.organizationId]),
      [],
      'bands go with their fingerprint',
    );
  });
}

/** Adds up how many fingerprints its transactions read. */
function countingReads(database: Database, read: { rows: number }): Database {
  const readSoFar = async (tx: Queryable): Promise<number> => {
    const [row] = await tx.query<{ rows: number }>(
      "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'fingerprints'",
    );
    return row?.rows ?? 0;
  };
  return {
    ...database,
    transaction: (run, options) =>
      database.transaction(async (tx) => {
        const before = await readSoFar(tx);
        const result = await run(tx);
        read.rows += (await readSoFar(tx)) - before;
        return result;
      }, options),
  };
}
