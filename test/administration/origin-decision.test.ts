import fc from 'fast-check';
import t from 'tap';
import { createOriginDecision } from '../../src/administration/public-guard.js';

const [development, staging, production] = (['development', 'staging', 'production'] as const).map(
  createOriginDecision,
) as [
  ReturnType<typeof createOriginDecision>,
  ReturnType<typeof createOriginDecision>,
  ReturnType<typeof createOriginDecision>,
];
const none: readonly string[] = [];

t.test('both lists empty: everything in development, nothing elsewhere', (t) => {
  for (const origin of ['https://a.example', null]) {
    t.same(development({ project: none, organization: none }, origin), {
      allowed: true,
      decidedBy: 'environment',
      pattern: null,
    });
    for (const decide of [staging, production])
      t.same(decide({ project: none, organization: none }, origin), {
        allowed: false,
        decidedBy: 'environment',
        pattern: null,
      });
  }
  t.end();
});

t.test('a list decides in every environment, and the project’s decides alone', (t) => {
  const lists = { project: ['https://p.example'], organization: ['https://o.example'] };
  for (const decide of [development, staging, production]) {
    t.same(decide(lists, 'https://p.example'), { allowed: true, decidedBy: 'project', pattern: 'https://p.example' });
    t.same(decide(lists, 'https://o.example'), { allowed: false, decidedBy: 'project', pattern: null });
    t.same(decide({ ...lists, project: none }, 'https://o.example'), {
      allowed: true,
      decidedBy: 'organization',
      pattern: 'https://o.example',
    });
    t.same(decide({ ...lists, project: none }, null), { allowed: false, decidedBy: 'organization', pattern: null });
  }
  t.end();
});

t.test('an organization’s list never opens a project that has its own', (t) => {
  const host = fc.stringMatching(/^[a-z]{1,8}\.example$/);
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(host, host, fc.array(host, { maxLength: 5 }), (own, asking, organization) => {
        const { allowed, decidedBy } = production({ project: [`https://${own}`], organization }, `https://${asking}`);
        return decidedBy === 'project' && allowed === (own === asking);
      }),
    ),
  );
  t.end();
});
