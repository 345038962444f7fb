/**
 * Probes recorded in Chromium 156 on Debian without a graphics card: drivers, scripted events, and input through the X server like a robot’s and
 * like a person’s. What real browsers sent then must be told apart by every later rule set.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { Compile } from 'typebox/compile';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { ProbeBody, type ProbeTransport } from '../../../src/contract/probe.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { cleanFacts } from '../../helpers/facts.js';

interface Recording {
  readonly name: string;
  readonly person: boolean;
  readonly body: ProbeBody;
  readonly transport: ProbeTransport;
}

const recordings = JSON.parse(readFileSync('test/workers/scoring/recordings.json', 'utf8')) as readonly Recording[];
const check = Compile(ProbeBody);

t.test('recorded automation is reviewed or blocked, recorded person-like visits are human and score 0', (t) => {
  const blocked: string[] = [];
  for (const { name, person, body, transport } of recordings) {
    t.ok(check.Check(body), `${name} is a probe`);
    const { reply } = scoreFacts(cleanFacts({ userAgent: transport.userAgent, probe: { body, transport } }));
    if (person) t.match(reply, { score: 0, verdictClass: 'human', recommendation: 'allow' }, name);
    else t.ok(reply.score >= calibrationDefaults.reviewLow, `${name}: ${reply.score}`);
    if (reply.recommendation === 'block') blocked.push(name);
  }
  t.equal(recordings.filter(({ person }) => person).length, 3);
  t.equal(blocked.length, 6, `blocked: ${blocked.join('; ')}`);
  t.end();
});
