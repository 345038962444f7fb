/** Device and behaviour, weighed by the rules that weigh the probe; and with them the network, which alone makes nobody suspicious. */
import type { AddressFacts, ScoreFacts } from '../../src/contract/facts.js';
import { calibrationDefaults } from '../../src/contract/calibration.js';
import { probeBodyOf, type Envelope } from '../../src/contract/envelope.js';
import type { FraudSignal, RiskContribution, VerdictFacts } from '../../src/contract/verdict.js';
import { weighBehavior } from '../scoring/behavior.js';
import { isDeclaredBot } from '../../src/contract/declared-program.js';
import { weighDevice } from '../scoring/device.js';
import { fuseSignals } from '../scoring/risk.js';
import { describeSignal, keepWorst, scoreOf, type Signal } from '../scoring/model.js';
import { weighNetwork } from '../scoring/network.js';
import { isContinued, readUsage, type Input } from '../scoring/usage.js';
import { readVisit } from '../scoring/visit.js';

export const deviceThresholds = {
  /** Logits over which a signal’s confidence grows. */
  confidenceLogits: 2,
  /** Logits from which a finding is reported as a fraud signal. */
  signalMin: 0.9,
  /** Time on the page and input that show somebody used it, where nothing looks like a hand yet. */
  observedMsMin: 400,
  /** The groups of an envelope’s device part; their share decides whether it counts as measured. */
  groups: ['auto', 'lies', 'ua', 'hw', 'scr', 'loc', 'gfx', 'env', 'page'],
} as const;

export interface DeviceEvidence {
  /** Whether the probe described enough of the device to judge it, and whether behaviour was seen. */
  readonly deviceMeasured: boolean;
  readonly behaved: boolean;
  /** Whether the behaviour is that of a hand. */
  readonly humanlike: boolean;
  /** 0-1, higher is riskier; null where nothing was measured. */
  readonly risk: number | null;
  /** The same with the network that the envelope came from. */
  readonly suspicion: number | null;
  /** Share of the device’s groups that came, 0-1. */
  readonly completeness: number;
  readonly signals: readonly FraudSignal[];
  readonly contributions: readonly RiskContribution[];
}

const unknownAddress: AddressFacts = { family: 4, range: 'public', country: null, asn: null, network: null };

export function weighDeviceEvidence(facts: VerdictFacts, isCaptured = false): DeviceEvidence {
  const { envelope, first } = facts;
  const visit = readVisit(asScoreFacts(facts));
  const own = [...weighDevice(visit).filter(isOfDevice(visit)), ...weighInput(facts, isCaptured)];
  const weighed = fuseSignals(own, 1);
  const network = keepWorst(
    [facts.address, first?.address].map((address) =>
      address == null ? [] : weighNetwork({ ...visit, facts: { ...visit.facts, address } }),
    ),
  );
  const { deviceMeasured } = visit;
  const behaved = hasBehavior(envelope) || (first != null && hasBehavior(first));
  const isMeasured = deviceMeasured || behaved || weighed.weight > 0;
  return {
    deviceMeasured,
    behaved,
    humanlike: weighed.weighed.some(
      ({ signal }) => signal.rule.axis === 'behavior' && signal.rule.class === 'exculpatory',
    ),
    risk: isMeasured ? scoreOf(weighed.weight) / 100 : null,
    suspicion: isMeasured ? scoreOf(fuseSignals([...own, ...network], 1).weight) / 100 : null,
    completeness:
      deviceThresholds.groups.filter((name) => envelope.device?.[name] !== undefined).length /
      deviceThresholds.groups.length,
    signals: [...weighed.weighed.map(({ signal }) => signal), ...network].flatMap(toFraudSignal),
    contributions: weighed.weighed.flatMap(({ signal, applied }) =>
      applied === 0 || (signal.rule.axis !== 'device' && signal.rule.axis !== 'behavior')
        ? []
        : [{ signal: signal.code, axis: signal.rule.axis, contribution: -Math.tanh(applied / 5) }],
    ),
  };
}

/** A page may send its envelope through its site, whose library names itself in the header: a mismatch, but the page itself is no tool. */
function isOfDevice({ pages }: ReturnType<typeof readVisit>): (signal: Signal) => boolean {
  const page = pages[0]?.pageAgent ?? null;
  const isBrowser = page !== null && !isDeclaredBot(page.text);
  return ({ code }) => code !== 'declared_bot' || !isBrowser;
}

function hasBehavior({ behavior }: Pick<Envelope, 'behavior'>): boolean {
  if (behavior == null) return false;
  const { ms, moves, clicks, keys, touches } = behavior;
  const input = (moves ?? 0) + (clicks ?? 0) + (keys ?? 0) + (touches ?? 0);
  return (ms ?? 0) >= deviceThresholds.observedMsMin && input > 0;
}

/**
 * The findings on the input of both envelopes. Before a camera a person’s first clicks are part of the later input. Without a capture the findings on the
 * first envelope’s input stand by themselves, whatever input a later one claims.
 */
function weighInput(facts: VerdictFacts, isCaptured: boolean): readonly Signal[] {
  const { envelope, first } = facts;
  const weigh = (behavior: Envelope['behavior']): readonly Signal[] =>
    weighBehavior(readVisit(asScoreFacts({ ...facts, envelope: { ...envelope, ...(behavior && { behavior }) } })));
  const later = weigh(envelope.behavior ?? first?.behavior);
  if (first?.behavior === undefined || (isCaptured && isContinued(inputOf(first), inputOf(envelope)))) return later;
  const earlier = weigh(first.behavior);
  const inFavor = earlier.some(({ weight }) => weight > 0) ? [] : later.filter(({ weight }) => weight < 0);
  return [...keepWorst([earlier, later]), ...inFavor];
}

const inputOf = ({ behavior }: Pick<Envelope, 'behavior'>): Input | null => readUsage({ beh: behavior ?? {} }).input;

/** The envelope as the probe that scoring knows. */
function asScoreFacts({ envelope, sessionId, transport, address, receivedAtMs }: VerdictFacts): ScoreFacts {
  return {
    version: 1,
    receiptId: '',
    scoredAtMs: receivedAtMs,
    sessionId,
    measured: false,
    calibration: calibrationDefaults,
    assuranceAvailable: 'none',
    userAgent: null,
    declaredCountry: null,
    respondentKnown: false,
    deviceKnown: false,
    respondentStats: null,
    address: address ?? unknownAddress,
    probe: { body: { ...probeBodyOf(envelope), sessionId }, transport },
    counts: null,
    history: null,
    agent: null,
    degraded: [],
  };
}

const sophisticated = new Set(['lies', 'consistency', 'egress']);

/** By its own weight: what other findings leave of it says nothing of how sure it is. */
function toFraudSignal({ code, rule, weight, value }: Signal): FraudSignal[] {
  const { severity, group } = rule;
  if (severity === 'info' || weight < deviceThresholds.signalMin) return [];
  return [
    {
      type: code,
      severity,
      category: sophisticated.has(group ?? '') ? 'sophisticated' : 'obvious',
      description: describeSignal({ code, rule, weight, value }),
      confidence: 1 - Math.exp(-weight / deviceThresholds.confidenceLogits),
    },
  ];
}
