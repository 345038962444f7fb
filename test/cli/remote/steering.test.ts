import t from 'tap';
import type { Query, Remote } from '../../../src/cli/remote/command.js';
import { deliveries, studies } from '../../../src/cli/remote/steering.js';

/** A service that has each list in two pages, and notes the queries of the second. */
function createService(lists: Readonly<Record<string, readonly [key: string, first: object, second: object]>>) {
  const second: Query[] = [];
  const call = async (path: string, query: Query = {}): Promise<object> => {
    const list = lists[path];
    if (list === undefined) return { projectId: 'proj_1' };
    const [key, ...pages] = list;
    if (query['cursor'] === undefined) return { [key]: [pages[0]], nextCursor: 'next' };
    second.push(query);
    return { [key]: [pages[1]], nextCursor: null };
  };
  const service = { call, callStudies: call } as unknown as Remote;
  const given = { values: { state: 'exhausted' }, positionals: [], remote: () => service, progress: () => undefined };
  return { given, second };
}

t.test('studies are listed to the last page', async (t) => {
  const study = (studyId: string) => ({ studyId, status: 'live', name: studyId, audience: {}, progress: {} });
  const { given } = createService({ '/studies': ['studies', study('study_1'), study('study_2')] });
  t.match(await studies.run(given), { data: [{ studyId: 'study_1' }, { studyId: 'study_2' }] });
});

t.test('deliveries of all webhooks are listed to the last page, under the same filter', async (t) => {
  const path = '/projects/proj_1/webhooks';
  const delivery = (deliveryId: string) => ({ deliveryId, createdAt: deliveryId, attempts: [] });
  const { given, second } = createService({
    [path]: ['webhooks', { webhookId: 'a' }, { webhookId: 'b' }],
    [`${path}/a/deliveries`]: ['deliveries', delivery('1'), delivery('3')],
    [`${path}/b/deliveries`]: ['deliveries', delivery('2'), delivery('4')],
  });
  const { data } = await deliveries.run(given);
  t.same(
    (data as { deliveryId: string }[]).map(({ deliveryId }) => deliveryId),
    ['4', '3', '2', '1'],
  );
  t.match(second.at(-1), { state: 'exhausted', cursor: 'next' });
});
