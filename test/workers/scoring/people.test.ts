/** Browsers that cannot be had here, by facts as they report them: none of their users is sent to review for it. */
import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { agentsOfPeople } from '../../contract/user-agents.js';
import { humanFacts, humanTransport } from '../../helpers/facts.js';
import { phoneFacts } from '../../helpers/visits.js';

const platforms: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'MacIntel'],
  [/Macintosh/, 'MacIntel'],
  [/Android|Linux|Tizen|KAIOS/i, 'Linux aarch64'],
];
const platformOf = (agent: string): string => platforms.find(([pattern]) => pattern.test(agent))?.[1] ?? 'Win32';

/** A visit by this browser without plug-ins, PDF viewer and client hints, as browsers inside of apps have it. */
function visitBy(agent: string): ScoreFacts {
  const isPhone = /Mobile|Android|iPhone|iPad/.test(agent);
  const facts = isPhone ? phoneFacts() : humanFacts();
  const { body } = facts.probe ?? {};
  if (!body) throw new Error('the sample has a probe');
  return {
    ...facts,
    userAgent: agent,
    probe: {
      body: {
        ...body,
        ua: { ua: agent, brands: null, mobile: null, platform: null },
        hw: { ...body.hw, platform: platformOf(agent) },
        env: { ...body.env, plugins: 0, pdf: false },
      },
      transport: { ...humanTransport, userAgent: agent, hintPlatform: null, hintMobile: null },
    },
  };
}

t.test('regional, rare and in-app browsers without plug-ins and hints stay below review', async (t) => {
  t.ok(agentsOfPeople.length > 100);
  for (const agent of agentsOfPeople) {
    const { score, evidence } = scoreFacts(visitBy(agent)).reply;
    if (score >= calibrationDefaults.reviewLow) t.fail(`${agent}: ${score}, ${JSON.stringify(evidence.against)}`);
  }
  const program = agentsOfPeople[0]?.replace(/Chrome\//, 'HeadlessChrome/') ?? '';
  t.ok(
    scoreFacts(visitBy(program)).reply.score >= calibrationDefaults.reviewLow,
    'a browser that names itself headless',
  );
});
