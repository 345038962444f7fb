/** Secrets that callers got, looked for in every table of the database that the service leaves behind. */
import t from 'tap';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import { callerOf, creation } from '../helpers/fielding.js';
import { migratedDirectory } from '../helpers/embedded.js';
import { withDatabase } from '../helpers/organizations.js';
import { startProcess } from '../helpers/process.js';

t.setTimeout(120_000);

/** Characters that 256 random bits take in base64url. A prefix may stand before them; "_" is one of them. */
const randomLength = 43;

t.test('no table holds a secret that opens something: only digests, and what is sealed', async (t) => {
  const dataDirectory = await migratedDirectory(t);
  const running = startProcess(t, { VH_DATA_DIR: dataDirectory, VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
  const bootstrap = await running.ready();
  const { organizationId, projectId, projectKey, organizationKey, siteKey, baseUrl, audienceUrl } = bootstrap;
  const post = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-api-key': organizationKey, origin: 'https://survey.example' },
    });
    t.equal(response.status, 201, path);
    return (await response.json()) as Readonly<Record<string, string>>;
  };
  const call = callerOf(audienceUrl, organizationKey);
  const made = {
    key: (await post(`/projects/${projectId}/api-keys`, { name: 'K' }))['apiKey'],
    client: (await post(`/organizations/${organizationId}/oauth-clients`, { name: 'C', scopes: ['lite:read'] }))[
      'clientSecret'
    ],
    session: (await post('/public/sessions', { siteKey }))['clientSecret'],
    webhook: (
      await post(`/projects/${projectId}/webhooks`, { url: 'http://127.0.0.1:9/', events: ['verification.completed'] })
    )['secret'],
    supplier: ((await call('POST', '/suppliers', { name: 'P', sourceId: 'p' })).body as CreatedSupplierReply)
      .entrySecret,
    survey: ((await call('POST', '/studies', creation('https://survey.example'))).body as CreatedStudyReply).surveyKey,
    ...{ projectKey, organizationKey },
  };
  await running.end('SIGTERM');
  const secrets = Object.entries(made).map(([name, secret]) => ({ name, secret: secret ?? '' }));
  for (const { name, secret } of secrets) t.ok(secret.length >= randomLength, `${name} has 256 bits`);

  const found = await withDatabase(dataDirectory, async (database) => {
    const tables = await database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    t.ok(tables.length > 40);
    const hits: string[] = [];
    for (const { name: table } of tables) {
      const rows = await database.query<{ row: string }>(`SELECT "${table}"::text AS row FROM "${table}"`);
      const text = rows.map(({ row }) => row).join('\n');
      for (const { name, secret } of secrets) {
        const random = secret.slice(-randomLength);
        const forms = [
          secret,
          random,
          Buffer.from(secret).toString('hex'),
          Buffer.from(random, 'base64').toString('hex'),
        ];
        if (forms.some((form) => text.includes(form))) hits.push(`${name} in ${table}`);
      }
    }
    return hits;
  });
  t.strictSame(found, []);
});
