/**
 * The page's own estimate of device and behaviour: telemetry of the result, and the verdict of a mount that the service could not judge. Anybody
 * can forge it; the service does not look at it.
 */
import type { ProbeBody } from '../../src/contract/probe.js';
import type { VHBehavioralSignals } from './api.js';

export interface Estimate {
  readonly signals: VHBehavioralSignals;
  /** 0-1; 1 is a person on a device that is what it says. */
  readonly confidence: number;
}

/** From here on the passive signals suffice. */
export const passiveGate = 0.5;

const round = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

export function estimate({ groups }: { readonly groups: Pick<ProbeBody, 'beh' | 'auto' | 'lies'> }): Estimate {
  const { beh = {}, auto = {}, lies = [] } = groups;
  const count = (value: number | null | undefined): number => value ?? 0;
  const some = (n: number, enough: number): number => Math.min(1, n / enough);
  const isAutomated = auto.webdriver === true || count(auto.globals?.length) > 0;
  const untrusted = count(beh.untrusted) + count(beh.clickBare) + count(beh.keyNoCode) + count(beh.inputNoKey);
  const honest = untrusted > 0 ? 0.2 : 1;
  const deviceConsistencyScore = round(1 - 0.15 * lies.length - (isAutomated ? 0.6 : 0));
  const signals: VHBehavioralSignals = {
    mouseScore: round(some(count(beh.moves), 20) * honest),
    keyboardScore: round(some(count(beh.keys), 10) * honest),
    scrollScore: round(some(count(beh.wheels) + count(beh.scrolls), 3) * honest),
    touchScore: round(some(count(beh.touches), 3) * honest),
    signalCount: Object.values(groups).reduce((sum, group) => sum + Object.keys(group).length, 0),
    deviceConsistencyScore,
    lieCount: lies.length,
  };
  const { mouseScore, keyboardScore, scrollScore, touchScore } = signals;
  const behaviour = Math.max(mouseScore, keyboardScore, scrollScore, touchScore);
  return { signals, confidence: round((0.7 * deviceConsistencyScore + 0.3 * behaviour) * (untrusted > 0 ? 0.5 : 1)) };
}
