/**
 * What decides a recommendation, as a short text that sessions are counted by: `uncapped|ceilings|agent|step-up`, such as `62|uncorroborated||40`.
 */
import type { DecisionInputs } from '../../contract/thresholds.js';

const agentLetters = { allow: 'a', review: 'r' } as const;

export function writeCell({ uncapped, caps, agentPolicy, stepUpThreshold }: DecisionInputs): string {
  return [
    uncapped,
    [...caps].sort().join(','),
    agentPolicy === null ? '' : agentLetters[agentPolicy],
    stepUpThreshold ?? '',
  ].join('|');
}

/** Reads what `writeCell` wrote; throws on anything else. */
export function readCell(cell: string): DecisionInputs {
  const [uncapped, caps, agent, stepUp, ...rest] = cell.split('|');
  if (stepUp === undefined || rest.length > 0) throw new Error(`not a cell of the score distribution: ${cell}`);
  return {
    uncapped: Number(uncapped),
    caps: caps === undefined || caps === '' ? [] : caps.split(','),
    agentPolicy: agentOf(agent),
    stepUpThreshold: stepUp === '' ? null : Number(stepUp),
  };
}

function agentOf(letter: string | undefined): DecisionInputs['agentPolicy'] {
  if (letter === agentLetters.allow) return 'allow';
  return letter === agentLetters.review ? 'review' : null;
}
