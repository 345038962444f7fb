import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { topologyPoints, type Topology } from '../../../src/contract/envelope.js';
import { securityLevels } from '../../../src/contract/project-parts.js';
import { packageRoot } from '../../../src/package-root.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { layouts, point, pointCount } from '../../../workers/verification/landmarks.js';
import { verdictModelVersion } from '../../../workers/verification/model-version.js';
import { signalRules } from '../../../workers/verification/signals.js';
import { verdictTables } from '../../../workers/verification/tables.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const rowsUnder = (page: string, heading: string): string[][] =>
  (readFileSync(join(packageRoot, page), 'utf8').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

t.test('docs/reference/verdict.md lists every signal as the table has it, and no other', (t) => {
  const shown = (value: number | null): string => (value === null || value === 0 ? '—' : String(value));
  t.same(
    rowsUnder('docs/reference/verdict.md', 'Signals'),
    Object.entries(signalRules).map(
      ([type, { severity, sureSeverity, category, livenessCeiling, authenticityLoss, description }]) => [
        `\`${type}\``,
        sureSeverity === severity ? severity : `${severity}, ${sureSeverity} if sure`,
        category,
        shown(livenessCeiling),
        shown(authenticityLoss),
        description,
      ],
    ),
  );
  t.end();
});

t.test('docs/reference/envelope.md lists each point in each layout', (t) => {
  t.same(
    rowsUnder('docs/reference/envelope.md', 'Landmarks'),
    Object.entries(point).map(([name, index]) => [
      String(index),
      name,
      String(layouts.face68[index]),
      String(layouts.mesh478[index]),
    ]),
  );
  t.end();
});

t.test('every layout names 23 different points that it has', (t) => {
  for (const [topology, places] of Object.entries(layouts)) {
    t.equal(new Set(places).size, pointCount, topology);
    t.ok(places.every((place) => place < topologyPoints[topology as Topology]));
  }
  t.end();
});

t.test('the weights of overall are those of the contract and add up to 1', (t) => {
  t.same(verdictTables.overall, { liveness: 0.4, uniqueness: 0.3, authenticity: 0.3 });
  const { challenged, unchallenged } = verdictTables.liveness;
  t.ok(Math.abs(challenged.answers + challenged.motion - 1) < 1e-12);
  t.ok(unchallenged.motion + unchallenged.endurance <= 1);
  t.equal(1 - verdictTables.uniqueness.atThreshold, securityLevels.balanced.uniqueness);
  t.end();
});

t.test('no signal has the name of a finding', (t) => {
  for (const type of Object.keys(signalRules)) t.notOk(type in rules, type);
  t.end();
});

t.test('the rule set has one name, and every verdict carries it', (t) => {
  t.match(verdictModelVersion, /^[0-9a-f]{16}$/);
  t.equal(judgeSession(factsOf(deviceEnvelope())).verdict.modelVersion, verdictModelVersion);
  t.end();
});
