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

t.test('what fails or hangs holds up nothing behind it, and is told at the end', async (t) => {
  const closed: string[] = [];
  const opened = createClosers();
  opened.push(async () => void closed.push('database'));
  opened.push(() => Promise.reject(new Error('the log objects')));
  opened.push(() => new Promise(() => undefined), 'the pool');
  opened.push(async () => void closed.push('listener'));
  const startedMs = performance.now();
  const endsInMs = (): number => startedMs + 600 - performance.now();
  await t.rejects(opened.close(endsInMs), {
    code: 'STORE_UNAVAILABLE',
    details: { internal: /closing the pool: no answer within/ },
  });
  t.ok(performance.now() - startedMs < 5_000, 'nobody waits for the one that hangs');
  t.same(closed, ['listener', 'database']);
});
