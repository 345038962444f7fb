import t from 'tap';
import type { AuditEntry } from '../../src/contract/audit.js';
import { startOrganizations, type Headers } from '../helpers/organizations.js';

const { service, credentials } = await startOrganizations(t);
const trail = `/organizations/${service.bootstrap.organizationId}/audit`;

const call = <T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = credentials.organizationKey,
): Promise<{ readonly status: number; readonly body: T }> =>
  service.call(method, path, { ...(body === undefined ? {} : { body }), headers });

t.test('an entry names who acted and on what, and the values of a project before and after', async (t) => {
  const list = async (query: string) =>
    call<{ entries: AuditEntry[] }>('GET', `${trail}?${query}`, undefined, credentials.admin);
  const { projectId } = (await call<{ projectId: string }>('POST', '/projects', { name: 'Tea' }, credentials.admin))
    .body;
  const redirectPassUrl = `https://panel.example/${'p'.repeat(300)}?token=hidden`;
  await call('PATCH', `/projects/${projectId}`, {
    name: 'Green tea',
    config: { minimumAssurance: 'biometric', maxRetries: 3 },
    scoreModeConfig: { redirectPassUrl, redirectFailUrl: 'https://panel.example/f' },
  });
  const [entry] = (await list('limit=1')).body.entries;
  t.match(entry, {
    actor: { kind: 'key', name: /.+/ },
    subject: { kind: 'project', id: projectId, name: 'Green tea' },
  });
  const { before, after } = (entry?.detail ?? {}) as Record<'before' | 'after', Record<string, unknown>>;
  t.same(before, {
    '/name': 'Tea',
    '/config/minimumAssurance': 'device_only',
    '/scoreModeConfig/redirectPassUrl': null,
    '/scoreModeConfig/redirectFailUrl': null,
  });
  t.match(after, { '/name': 'Green tea', '/config/minimumAssurance': 'biometric' });
  t.equal(String(after['/scoreModeConfig/redirectPassUrl']).length, 201, 'clipped');
  t.notMatch(JSON.stringify(entry), /hidden/, 'the query of an address may be secret');

  await call('PATCH', `/projects/${projectId}`, { config: { maxRetries: 4 } }, credentials.owner);
  t.match((await list('limit=1')).body.entries[0], { actor: { kind: 'dashboard', name: null } });
  const created = (await list('action=project.created')).body.entries;
  t.same([...new Set(created.map(({ action }) => action))], ['project.created']);
  t.equal(created[0]?.subject.name, 'Green tea', 'the name at the time of reading');
  const today = entry?.at.slice(0, 10) ?? '';
  t.equal((await list(`from=${today}&to=${today}&limit=1`)).body.entries.length, 1, 'the last day is included');
  t.same((await list('to=2020-01-01')).body.entries, []);
  t.same((await list('from=2999-01-01')).body.entries, []);
  for (const [wrong, pointer] of [
    ['from=2026-02-30', '/querystring/from'],
    ['from=2026-03-02&to=2026-03-01', '/querystring/from'],
    ['action=project.renamed', '/querystring/action'],
  ] as const) {
    const { status, body } = await list(wrong);
    t.match({ status, body }, { status: 400, body: { code: 'VALIDATION_FAILED' } }, wrong);
    t.match(JSON.stringify(body), pointer);
  }
});
