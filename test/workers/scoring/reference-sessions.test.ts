/**
 * 200 sessions whose verdicts every change of the rules is compared with: people of many kinds, farms, twins, agents, drivers, forged probes and
 * stores that are away. Made by hand, recorded in browsers, or drawn once from the generators in research/; the file alone decides what they are.
 * `npm run sessions` records the verdicts again.
 */
import t from 'tap';
import { Compile } from 'typebox/compile';
import { ProbeBody } from '../../../src/contract/probe.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import {
  compareReferences,
  judgeReference,
  parseReferences,
  readReferenceSessions,
} from '../../helpers/reference-sessions.js';

const sessions = readReferenceSessions();

t.test('the rules in force judge every reference session as it is recorded', (t) => {
  const changed = compareReferences(sessions);
  t.ok(changed === null, 'read the table, and if each change is meant, run: npm run sessions');
  if (changed !== null) t.comment(`\n${changed}`);
  t.end();
});

t.test(
  'there are 200 reference sessions or more, each under a name of its own, and a probe sends what the contract takes',
  (t) => {
    t.ok(sessions.length >= 200);
    t.equal(new Set(sessions.map(({ recorded }) => recorded.session)).size, sessions.length);
    const isBody = Compile(ProbeBody);
    for (const { recorded, facts } of sessions)
      for (const { body } of facts.probe === null ? [] : [facts.probe, ...(facts.probe.others ?? [])])
        t.ok(isBody.Check(body), recorded.session);
    t.end();
  },
);

t.test('every rule is raised in a reference session, every verdict and band is given', (t) => {
  const verdicts = sessions.map(judgeReference);
  const raised = new Set(verdicts.flatMap((verdict) => [...verdict.against, ...verdict.for, ...verdict.notes]));
  t.same(
    Object.keys(rules).filter((code) => !raised.has(code)),
    [],
    'add a session that raises it, as docs/internals/common-changes.md shows',
  );
  const valuesOf = (name: 'recommendation' | 'class' | 'duplicate') => [
    ...new Set(verdicts.map((verdict) => verdict[name])),
  ];
  t.same(valuesOf('recommendation').sort(), ['allow', 'block', 'review', 'step_up']);
  t.same(valuesOf('class').sort(), ['fraud', 'human', 'unknown', 'verified_agent']);
  t.same(valuesOf('duplicate').sort(), ['confirmed', 'likely', 'none', 'possible']);
  t.end();
});

t.test('a changed verdict is shown with its scores, and with the codes that came and went', (t) => {
  const [person] = sessions;
  if (person === undefined) throw new Error('there is no session');
  const { score, for: favour, ...verdict } = judgeReference(person);
  const before = { ...verdict, score: score + 7, recommendation: 'review', against: ['webdriver'], for: favour };
  const [, , row] = (compareReferences([{ ...person, recorded: before }]) ?? '').split('\n');
  t.match(row, /\| person +\| 7 → 0 \| review → allow \| human \| none +\| -against\/webdriver +\|/);
  t.equal(compareReferences([{ ...person, recorded: judgeReference(person) }]), null);
  t.end();
});

t.test('a session whose second line is wrong is refused with its name and the path', (t) => {
  const first = '{"session":"person"}\n{"facts":{"probe":{"body":{"loc":{"language":"de"}}}}}\n';
  const parse = (second: string) => parseReferences(`${first}{"session":"new"}\n${second}\n`);
  t.equal(parse('{"differs":{"probe.body.loc.language":"fr"}}').length, 2);
  t.throws(() => parse('{"probe.body.loc.language":"fr"}'), { message: /^new: the second line has no "differs"/ });
  t.throws(() => parse('{"differs":{"probe.body.locale.language":"fr"}}'), {
    message: 'new: the first session has no probe.body.locale, so that probe.body.locale.language changes nothing',
  });
  t.throws(() => parse('{"differs":'), { message: /^new: the second line is no JSON: / });
  t.throws(() => parse(''), { message: /^new: the second line is no JSON: / });
  t.end();
});
