import t from 'tap';
import { createClosers } from '../../src/stores/closers.js';

t.test('what was opened last is closed first, one after the other, and once', async (t) => {
  const closed: string[] = [];
  const opened = createClosers();
  for (const name of ['database', 'log', 'listener']) {
    opened.push(async () => {
      closed.push(`${name} begins`);
      await Promise.resolve();
      closed.push(`${name} ends`);
    });
  }
  await opened.close();
  await opened.close();
  t.same(closed, ['listener begins', 'listener ends', 'log begins', 'log ends', 'database begins', 'database ends']);
});
