import t from 'tap';
import { deleteLink, findLink, insertLink } from '../../../src/administration/hosted-links.js';
import { insertOrganization } from '../../../src/administration/organization-store.js';
import { insertProject } from '../../../src/administration/project-store.js';
import { deadLinkLifetime } from '../../../src/verification/hosted/link-service.js';
import { makeId } from '../../../src/crypto/ids.js';
import { flagLifetime, takeFlags } from '../../../src/verification/monitoring/flag-store.js';
import { dropOverAge } from '../../../src/stores/database/retention.js';
import { openTestDatabase } from '../../helpers/embedded.js';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const database = await openTestDatabase(t);
const organizationId = await insertOrganization(database, { name: 'O', tier: 'free', liteEnabled: true });
const project = await insertProject(database, organizationId, { name: 'P' });
if (project === null) throw new Error('the project was not made');
const { projectId } = project;

t.test('links are forgotten a month after their end, by expiry or by deletion, and not before', async (t) => {
  const owner = { organizationId, projectId, mode: 'live' as const };
  const make = (expiresInDays: number) => insertLink(database, owner, { expiresInDays }, { nowMs: startMs });
  const [short, long, deleted] = [await make(1), await make(365), await make(365)];
  await deleteLink(database, owner, deleted.linkId, startMs + 2 * dayMs);
  t.equal(await dropOverAge(database, deadLinkLifetime, startMs + 31 * dayMs), 0);
  t.equal(await dropOverAge(database, deadLinkLifetime, startMs + 31 * dayMs + 1), 1);
  t.equal(await findLink(database, short.linkId), null);
  t.equal(await dropOverAge(database, deadLinkLifetime, startMs + 40 * dayMs), 1);
  t.equal(await findLink(database, deleted.linkId), null);
  t.not(await findLink(database, long.linkId), null);
});

t.test('a flag is taken once until it is forgotten, whoever asks at the same moment', async (t) => {
  const session = { organizationId, projectId, mode: 'live' as const, sessionRef: 's' };
  const event = {
    ...{ eventId: makeId('event'), organizationId, projectId, sessionId: 's', isDemo: false, occurredAt: '' },
    type: 'question.flagged' as const,
    data: { respondent_id: null, question: { question_id: 'q', metric: 'maxPastes', value: 3, threshold: 2 } },
  };
  const flags = ['b', 'a', 'b'].map((ref) => ({ ref, event }));
  const take = (nowMs: number) => takeFlags(database, session, flags, nowMs);
  const taken = await Promise.all([take(startMs), take(startMs), take(startMs)]);
  t.same(taken.flatMap((refs) => [...refs]).sort(), ['a', 'b']);
  t.equal(await dropOverAge(database, flagLifetime, startMs + 7 * dayMs), 0);
  t.equal((await take(startMs)).size, 0);
  t.equal(await dropOverAge(database, flagLifetime, startMs + 7 * dayMs + 1), 2);
  t.equal((await take(startMs)).size, 2);
});
