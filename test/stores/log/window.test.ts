import t from 'tap';
import fc from 'fast-check';
import { createWindow } from '../../../src/stores/log/window.js';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { entry, textOf } from './contract.js';

const limits = { entries: 1_000, bytes: 1_000_000 };
/** The tenant is the first letter. */
const tenantOf = ({ key }: LogEntry): string => {
  if (key === '') throw new Error('unreadable');
  return key.slice(0, 1);
};
const entriesOf = (texts: readonly string[]): LogEntry[] => texts.map((text) => entry(text, text));
const from = (offset: number, texts: readonly string[]) =>
  [entriesOf(texts), texts.map((_, index) => offset + index)] as const;

function work(window: ReturnType<typeof createWindow>, max: number): readonly [readonly string[], number] {
  const texts = window.take(max).map(textOf);
  const { doneTo } = window;
  window.release();
  return [texts, doneTo];
}

t.test('tenants take turns, and the offset stays at the oldest entry that is not done', (t) => {
  const window = createWindow(limits, tenantOf);
  window.add(...from(10, ['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'c1']));
  t.same(work(window, 3), [['a1', 'b1', 'c1'], 11]);
  window.add(...from(17, ['d1', 'b2']));
  t.same(work(window, 3), [['a2', 'd1', 'b2'], 12], 'whoever comes later has the next turn');
  t.same(work(window, 9), [['a3', 'a4', 'a5'], 19]);
  t.same(work(window, 9), [[], 19]);
  t.end();
});

t.test('a turn that did not fit into a batch comes in the next', (t) => {
  const window = createWindow(limits, tenantOf);
  window.add(...from(0, ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']));
  t.same(
    [1, 2, 3, 4, 5, 6].map(() => work(window, 1)[0][0]),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'c2'],
  );
  t.end();
});

t.test('what fits into one batch is that batch, in the order of the log, and asks for no tenant', (t) => {
  const window = createWindow(limits, () => t.fail('asked for the tenant') as never);
  window.add(...from(0, ['a1', 'a2', 'b1']));
  t.same(work(window, 3), [['a1', 'a2', 'b1'], 3]);
  t.end();
});

t.test('a batch that is not released comes again, whatever was added', (t) => {
  const window = createWindow(limits, tenantOf);
  window.add(...from(0, ['a1', 'a2']));
  t.same(window.take(1).map(textOf), ['a1']);
  window.add(...from(2, ['b1']));
  t.same(window.take(3).map(textOf), ['a1']);
  window.release();
  t.same(window.take(3).map(textOf), ['a2', 'b1']);
  t.end();
});

t.test('entries whose tenant cannot be read share one turn', (t) => {
  const window = createWindow(limits, tenantOf);
  window.add([entry('', 'x'), entry('', 'y'), entry('a', 'a1')], [0, 1, 2]);
  t.same(work(window, 2), [['x', 'a1'], 1]);
  t.end();
});

t.test('known entries are not taken on again, and no more than fit: no offset is ever skipped or shown twice', (t) => {
  const window = createWindow({ entries: 4, bytes: 1_000 }, tenantOf);
  window.add(...from(5, ['a1', 'a2']));
  window.add(...from(5, ['a1', 'a2', 'a3', 'a4', 'a5']));
  t.equal(window.end, 9);
  t.notOk(window.hasRoom);
  t.same(work(window, 9)[0], ['a1', 'a2', 'a3', 'a4']);
  t.ok(window.hasRoom);
  window.add(...from(9, ['a5']));
  t.same(work(window, 9), [['a5'], 10]);
  t.end();
});

t.test('it holds as many bytes as its limit and at least one entry, and after clearing begins anywhere', (t) => {
  const window = createWindow({ entries: 9, bytes: 3 }, tenantOf);
  window.add(...from(0, ['a-long', 'b1']));
  t.equal(window.size, 1);
  t.same(window.take(9).map(textOf), ['a-long']);
  window.clear();
  t.same([window.size, window.end], [0, null]);
  window.add(...from(0, ['b1']));
  t.same(work(window, 9), [['b1'], 1]);
  t.end();
});

t.test(
  'whatever comes and however it is taken, each entry is handed out once, and each tenant’s in order',
  async () => {
    const step = fc.oneof(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 9 }), fc.integer({ min: 1, max: 5 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const window = createWindow(limits, tenantOf);
        const [sent, got]: [string[], string[]] = [[], []];
        for (const each of [...steps, 1_000]) {
          if (typeof each === 'number') {
            const [texts, doneTo] = work(window, each);
            got.push(...texts);
            const isDone = new Set(got);
            if (sent.slice(0, doneTo).some((text) => !isDone.has(text))) throw new Error('an undone entry is behind');
            continue;
          }
          const texts = each.map((tenant, index) => `${tenant}${sent.length + index}`);
          window.add(...from(sent.length, texts));
          sent.push(...texts);
        }
        for (const tenant of ['a', 'b', 'c']) {
          const of = (texts: readonly string[]): string => texts.filter((text) => text.startsWith(tenant)).join();
          if (of(got) !== of(sent)) throw new Error(`${of(got)} instead of ${of(sent)}`);
        }
      }),
    );
  },
);
