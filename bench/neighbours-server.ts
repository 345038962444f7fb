/**
 * The service of the bench `neighbours`: two organizations, the first with a large study and a long history. Started once for the keys and the study,
 * filled, and started again; what it sends then is what callers need.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../src/config/read.js';
import type { Settings } from '../src/config/settings.js';
import { startService } from '../src/main.js';
import { sendOperatorCommand } from '../src/projects/operator/operator-channel.js';
import { creationExample } from '../src/audience/examples.js';
import { openDatabaseAlone } from '../src/stores/database/open.js';
import { createLogger } from '../src/telemetry/logger.js';
import type { Queryable } from '../src/stores/database/port.js';
import { makeId } from '../src/crypto/ids.js';
import { rawOf } from '../src/verification/uniqueness/embedding.js';
import { createFingerprintStore } from '../src/verification/uniqueness/fingerprint-store.js';
import { copyCluster } from '../test/helpers/embedded.js';
import { randomDirection, shippedEmbeddingOf } from '../test/helpers/faces.js';
import { createRandom } from '../workers/seeded-random.js';
import { fillDistribution } from './thresholds.js';

export interface Tenant {
  readonly organizationId: string;
  readonly organizationKey: string;
  readonly projectId: string;
  /** Scores with an organization key are not counted. */
  readonly projectKey: string;
  readonly siteKey: string;
  readonly studyId: string;
}

export interface Neighbourhood {
  /** null: embedded counters. */
  readonly redisUrl: string | null;
  readonly baseUrl: string;
  readonly audienceUrl: string;
  readonly storm: Tenant;
  readonly neighbour: Tenant;
}

const logger = createLogger('error', process.stderr);
const placesCount = Number(process.env['BENCH_PLACES'] ?? '20000');
const sessionsCount = Number(process.env['BENCH_SESSIONS'] ?? '100000');
const masterKey = process.env['VH_MASTER_KEY'] ?? '';

type Addresses = Pick<Neighbourhood, 'baseUrl' | 'audienceUrl'> & { readonly adminUrl: string };

async function post<T>(url: string, key: string, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function makeTenant({ adminUrl, baseUrl, audienceUrl }: Addresses, name: string): Promise<Tenant> {
  const made = await sendOperatorCommand(adminUrl, Buffer.from(masterKey, 'base64'), {
    ...{ command: 'create-organization', name, tier: 'enterprise', liteEnabled: true, another: true },
  });
  if (made.outcome !== 'done') throw new Error(`no organization: ${made.outcome}`);
  const owner = made.reply as Pick<Tenant, 'organizationId' | 'organizationKey'>;
  const project = await post<Pick<Tenant, 'projectId' | 'siteKey'>>(`${baseUrl}/projects`, owner.organizationKey, {
    name,
  });
  const { projectId, siteKey } = project;
  const { apiKey: projectKey } = await post<{ apiKey: string }>(
    `${baseUrl}/projects/${projectId}/api-keys`,
    owner.organizationKey,
    {},
  );
  const { quotas: _quotas, ...audience } = { ...creationExample.audience, sample_size: 1_000_000 };
  const creation = { ...creationExample, audience, projectId };
  const { studyId } = await post<{ studyId: string }>(`${audienceUrl}/studies`, owner.organizationKey, creation);
  await post(`${audienceUrl}/studies/${studyId}/launch`, owner.organizationKey, {});
  const { organizationId, organizationKey } = owner;
  return { organizationId, organizationKey, projectId, projectKey, siteKey, studyId };
}

async function fill(settings: Settings, { organizationId, projectId, studyId }: Tenant): Promise<void> {
  const database = await openDatabaseAlone(settings, logger);
  const options = { deadlineMs: 600_000 };
  await database.query('UPDATE api_keys SET per_minute = 1000000, per_day = 1000000000');
  await database.query(
    `INSERT INTO study_places (place_id, study_id, organization_id, project_id, respondent_id, source_id, entry, respondent_ref, state, verified, counted, country, gender, age, profession, score, receipt_id)
     SELECT 'plc_' || lpad(to_hex(n), 32, '0'), $1, $2, $3, 'r' || n, 'panel', 'open', 'ref' || n, 'completed', true, true,
            CASE n % 2 WHEN 0 THEN 'DE' ELSE 'AT' END, CASE n % 3 WHEN 0 THEN 'female' ELSE 'male' END, 18 + n % 60, 'profession ' || n % 7919, n % 40, 'rcpt_' || lpad(to_hex(n), 32, '0')
       FROM generate_series(1, $4::int) AS n`,
    [studyId, organizationId, projectId, placesCount],
    options,
  );
  await database.query(
    'UPDATE studies SET held = $2, verified = $2, completed = $2, entered = $2 WHERE study_id = $1',
    [studyId, placesCount],
    options,
  );
  await database.query(
    `INSERT INTO study_kinds (study_id, organization_id, country, gender, age, profession, held, verified)
     SELECT study_id, organization_id, country, gender, age, profession, count(*), count(*) FROM study_places WHERE study_id = $1 GROUP BY 1, 2, 3, 4, 5, 6`,
    [studyId],
    options,
  );
  await database.query('ANALYZE study_places', [], options);
  await database.transaction((tx) => fillFaces(tx, { organizationId, projectId }));
  await database.close();
  await fillDistribution(settings, projectId, sessionsCount);
}

/** Faces of people who passed, each another one. */
async function fillFaces(tx: Queryable, owner: Pick<Tenant, 'organizationId' | 'projectId'>): Promise<void> {
  const random = createRandom(1);
  const store = createFingerprintStore({
    database: tx,
    masterKeys: Buffer.from(masterKey, 'base64'),
    onUnreadable: (id) => logger.error({ id }, 'a face of the bench cannot be read'),
  });
  for (let n = 0; n < placesCount / 4; n += 1) {
    const sessionId = makeId('session');
    const { model, dimension, values } = shippedEmbeddingOf(randomDirection(random), random);
    await store.insert(tx, {
      ...{ ...owner, fingerprintId: makeId('fingerprint'), sessionId, rootSessionId: sessionId, status: 'pass' },
      ...{ respondentId: null, respondentTrusted: false, studyId: null, dataCollector: null, evidence: 'claimed' },
      ...{ completedAtMs: Date.now(), bands: null, provenance: { country: null, cameraRef: null } },
      face: { model, dimension, raw: rawOf(Buffer.from(values, 'base64')) },
      device: { ref: null, sketch: null, bands: [] },
    });
  }
}

const directory = mkdtempSync(join(tmpdir(), 'verifyhuman-bench-'));
const settings = readSettings({
  VH_PUBLIC_PER_MINUTE: '0',
  VH_PUBLIC_PER_ADDRESS: '0',
  VH_WEBHOOK_ALLOW_PRIVATE: 'on',
  VH_TRUSTED_PROXIES: '127.0.0.1',
  ...process.env,
  PORT: '0',
  AUDIENCE_PORT: '0',
  ADMIN_PORT: '0',
  VH_DATA_DIR: directory,
  VH_LOG_LEVEL: 'error',
});
if (settings.DATABASE_URL === null) await copyCluster(join(directory, 'database'));
const first = await startService(settings, logger);
const storm = await makeTenant(first.bootstrap, 'Storm');
const neighbour = await makeTenant(first.bootstrap, 'Neighbour');
await first.stop();
await fill(settings, storm);
const service = await startService(settings, logger);
process.on('SIGTERM', () => {
  void service.stop().then(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  });
});
const { baseUrl, audienceUrl } = service.bootstrap;
process.send?.({ redisUrl: settings.REDIS_URL, baseUrl, audienceUrl, storm, neighbour } satisfies Neighbourhood);
