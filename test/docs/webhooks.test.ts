import t from 'tap';
import { eventTypes } from '../../src/contract/session-event.js';
import { readRepositoryFile } from '../helpers/repository.js';

t.test('docs/reference/webhooks.md lists every event that can be registered for, and no other', (t) => {
  const [, table = ''] = readRepositoryFile('docs/reference/webhooks.md').split('| event | when |');
  const [rows = ''] = table.split('\n\n');
  const listed = [...rows.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, name = '']) => name);
  t.same([...new Set(listed)].sort(), [...eventTypes].sort());
  t.end();
});
