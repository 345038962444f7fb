import t from 'tap';
import type { Database } from '../../../src/stores/database/port.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { dropExpiredSessions, forgetUnfinishedChecks } from '../../../src/verification/sessions/session-retention.js';

async function openWithProject(t: Parameters<typeof openTestDatabase>[0]): Promise<Database> {
  const database = await openTestDatabase(t);
  await database.query("INSERT INTO organizations (organization_id, name, tier) VALUES ('org_1', 'n', 'free')");
  await database.query(
    "INSERT INTO projects (project_id, organization_id, probe_key, fields) VALUES ('proj_1', 'org_1', 'pk_1', '{}')",
  );
  return database;
}

t.test('sessions go by their age, in batches, and a round that is stopped leaves the rest', async (t) => {
  const database = await openWithProject(t);
  await database.query(
    `INSERT INTO verification_sessions (session_id, organization_id, project_id, secret_hash, mode, diagnostics, metadata, widget_mode, minimum_assurance, evidence_frames,
                                        nonce, challenge_count, challenge_calls, root_session_id, retry_count, created_at, expires_at)
     SELECT 's' || n, 'org_1', 'proj_1', '\\x00', 'live', false, '{}', 'standard', 'device_only', 'off', 'n', 0, '[]', 's' || n, 0,
            now() - make_interval(days => CASE WHEN n <= 700 THEN 31 ELSE 29 END), now()
       FROM generate_series(1, 703) AS n`,
  );
  t.equal(await dropExpiredSessions(database, Date.now(), 30, () => true), 0, 'stopped before it began');
  t.equal(await dropExpiredSessions(database, Date.now(), 30), 700);
  t.same(await database.query('SELECT count(*)::int AS n FROM verification_sessions'), [{ n: 3 }]);
  t.equal(await dropExpiredSessions(database, Date.now(), 30), 0);
});

t.test('what asked for a camera check is forgotten once the session can no longer end', async (t) => {
  const database = await openWithProject(t);
  await database.query(
    `INSERT INTO verification_sessions (session_id, organization_id, project_id, secret_hash, mode, diagnostics, metadata, widget_mode, minimum_assurance, evidence_frames,
                                        nonce, challenge_count, challenge_calls, root_session_id, retry_count, created_at, expires_at, escalation_hash, passive_signals)
     SELECT 's' || n, 'org_1', 'proj_1', '\\x00', 'live', false, '{}', 'captcha', 'device_only', 'off', 'n', 0, '[]', 's' || n, 0,
            now(), now() + make_interval(mins => n), '\\x00', '{}'
       FROM generate_series(-1, 1, 2) AS n`,
  );
  t.equal(await forgetUnfinishedChecks(database, Date.now()), 1);
  const kept = await database.query('SELECT session_id FROM verification_sessions WHERE passive_signals IS NOT NULL');
  t.same(kept, [{ session_id: 's1' }], 'an open one is still judged by it');
  t.equal(await forgetUnfinishedChecks(database, Date.now()), 0);
});
