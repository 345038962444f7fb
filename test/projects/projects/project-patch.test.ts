import t from 'tap';
import { applyPatch, findContradictions } from '../../../src/projects/projects/project-patch.js';

const stored = {
  name: 'A',
  description: 'first',
  config: {
    maxRetries: 2,
    allowedDomains: ['a.example'],
    liteConfig: { reviewLow: 30, perSource: { s1: { reviewLow: 20 } } },
  },
};

t.test('objects merge, arrays replace, null goes back to the default', (t) => {
  const patched = applyPatch(stored, {
    description: null,
    config: { allowedDomains: ['b.example'], liteConfig: { blockThreshold: 90, perSource: { s1: null } } },
  });
  t.same(patched, {
    name: 'A',
    config: {
      maxRetries: 2,
      allowedDomains: ['b.example'],
      liteConfig: { reviewLow: 30, blockThreshold: 90, perSource: {} },
    },
  });
  t.same(stored.description, 'first', 'the stored project is not touched');
  t.end();
});

t.test('a source named like a property of every object is a source', (t) => {
  const patched = applyPatch(
    stored,
    JSON.parse(
      '{"config":{"liteConfig":{"perSource":{"__proto__":{"reviewLow":1},"constructor":{"reviewLow":2}}}}}',
    ) as never,
  );
  t.same(Object.keys(patched.config?.liteConfig?.perSource ?? {}).sort(), ['__proto__', 'constructor', 's1']);
  t.equal(({} as Record<string, unknown>)['reviewLow'], undefined);
  t.end();
});

t.test('a knob that contradicts another is named, across the project and its sources', (t) => {
  const lite = (liteConfig: object) => findContradictions({ name: 'A', config: { liteConfig } });
  t.same(lite({ reviewLow: 30 }), []);
  t.match(lite({ reviewLow: 80 }), [{ path: '/config/liteConfig/reviewLow', message: /80 is above 75/ }]);
  t.match(lite({ reviewLow: 50, perSource: { 'a/b': { blockThreshold: 45 } } }), [
    { path: '/config/liteConfig/perSource/a~1b/reviewLow', message: /50 is above 45/ },
  ]);
  t.end();
});
