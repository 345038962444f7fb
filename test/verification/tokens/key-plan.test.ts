import t from 'tap';
import { keepMs, planKeys, publishAheadMs, type KeyTimes } from '../../../src/verification/tokens/token-keys.js';

const dayMs = 86_400_000;
const rotationMs = 30 * dayMs;

t.test('the very first key signs at once', (t) => {
  t.match(planKeys([], rotationMs, 5), { current: null, due: { generation: 1, signsFromMs: 5 } });
  t.end();
});

t.test(
  'over a year every key is published two hours before it signs, and for as long as its tokens live after',
  (t) => {
    let keys: KeyTimes[] = [];
    const lastSigned = new Map<number, number>();
    const publishedSince = new Map<number, number>();
    for (let nowMs = 0; nowMs < 365 * dayMs; nowMs += 10 * 60_000) {
      const { due } = planKeys(keys, rotationMs, nowMs);
      if (due !== null) keys.push(due);
      const plan = planKeys(keys, rotationMs, nowMs);
      const names = plan.published.map(({ generation }) => generation);
      for (const name of names) if (!publishedSince.has(name)) publishedSince.set(name, nowMs);
      if (plan.current === null) throw new Error('no key signs');
      const { generation } = plan.current;
      if (!lastSigned.has(generation) && generation > 1)
        t.ok(nowMs - (publishedSince.get(generation) ?? nowMs) >= publishAheadMs, `${generation} was published ahead`);
      lastSigned.set(generation, nowMs);
      for (const [signer, lastMs] of lastSigned)
        if (nowMs - lastMs < keepMs - 600_000 && !names.includes(signer))
          t.fail(`${signer} vanished while its tokens live`);
      keys = keys.filter(({ generation: each }) => each > plan.goneUpTo);
      if (keys.length > 3) t.fail('keys pile up');
    }
    t.ok(lastSigned.size >= 12);
    t.end();
  },
);

t.test('the same keys and time give the same plan whatever their order', (t) => {
  const keys = [
    { generation: 2, signsFromMs: 100 },
    { generation: 1, signsFromMs: 0 },
  ];
  t.equal(planKeys(keys, rotationMs, 99).current?.generation, 1);
  t.equal(planKeys(keys, rotationMs, 100).current?.generation, 2);
  t.end();
});
