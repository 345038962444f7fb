import t from 'tap';
import type { ProjectReply } from '../../src/contract/project.js';
import { keyHeaders, startOrganizations } from '../helpers/organizations.js';

const { service, credentials, other } = await startOrganizations(t);

t.test('the list is paged by cursor, newest first, without gaps or repeats', async (t) => {
  const headers = keyHeaders(other.organizationKey);
  for (let n = 0; n < 5; n += 1)
    await service.call('POST', '/projects/provision', {
      body: { name: `Page ${n}`, externalId: `page-${n}` },
      headers,
    });
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { projects: ProjectReply[]; nextCursor: string | null } = (
      await service.call('GET', `/projects?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, { headers })
    ).body;
    t.ok(
      page.projects.length <= 2 && page.projects.every(({ organizationId }) => organizationId === other.organizationId),
    );
    ids.push(...page.projects.map(({ projectId }) => projectId));
    cursor = page.nextCursor;
  }
  t.same(ids, [...new Set(ids)].sort().reverse());
  t.ok(ids.length >= 6);
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=bm9wZQ']) {
    t.equal((await service.call('GET', `/projects?${query}`, { headers: credentials.member })).status, 400, query);
  }
  const one: { projects: ProjectReply[] } = (await service.call('GET', '/projects?externalId=page-3', { headers }))
    .body;
  t.same(
    one.projects.map(({ externalId }) => externalId),
    ['page-3'],
  );
});
