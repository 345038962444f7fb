/** The network that an envelope came from weighs as in scoring: it adds to what else is found, and alone fails nobody. */
import t from 'tap';
import type { AddressFacts, NetworkClass } from '../../../src/contract/facts.js';
import type { VerdictFacts } from '../../../src/contract/verdict.js';
import { weighDeviceEvidence } from '../../../workers/verification/device-evidence.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { biometricEnvelope, deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const from = (network: NetworkClass | null): AddressFacts => ({
  family: 4,
  range: 'public',
  country: null,
  asn: null,
  network,
});
const classes = ['residential', 'mobile', 'hosting', 'anonymous', 'education', 'business', null] as const;

t.test('a person passes from every network, with a camera and without', async (t) => {
  for (const network of classes)
    for (const envelope of [deviceEnvelope(), biometricEnvelope()]) {
      const { verdict } = judgeSession(factsOf(envelope, { address: from(network) }));
      t.equal(verdict.status, 'pass', `${network}: ${verdict.failureReasons.join()}`);
    }
});

t.test('a host’s network adds to what the device shows; a carrier’s and a campus’s do not', async (t) => {
  const suspicionFrom = (network: NetworkClass | null) =>
    weighDeviceEvidence(factsOf(deviceEnvelope(), { address: from(network) })).suspicion ?? 0;
  const quiet = suspicionFrom(null);
  t.ok(suspicionFrom('hosting') > quiet);
  t.ok(suspicionFrom('anonymous') >= quiet, 'many honest people use one: less than what speaks for a person');
  for (const network of ['residential', 'mobile', 'education', 'business'] as const)
    t.equal(suspicionFrom(network), quiet, network);
  const { verdict } = judgeSession(factsOf(deviceEnvelope(), { address: from('hosting') }));
  t.match(
    verdict.fraudSignals.find(({ type }) => type === 'network_hosting'),
    { severity: 'medium' },
  );
});

t.test('of two envelopes of a session the worse network counts, and the input of both', async (t) => {
  const judge = (address: AddressFacts | null, first: VerdictFacts['first'], over = {}) =>
    weighDeviceEvidence(factsOf(deviceEnvelope(over), { address, ...(first != null && { first }) }));
  const { behavior = {} } = deviceEnvelope();
  const hosted = judge(from('hosting'), null);
  for (const [now, before] of [
    ['residential', 'hosting'],
    ['hosting', 'residential'],
  ] as const) {
    const both = judge(from(now), { address: from(before), behavior });
    t.equal(both.suspicion, hosted.suspicion, `${now} after ${before}`);
    t.ok(both.signals.some(({ type }) => type === 'network_hosting'));
  }
  t.equal(judge(null, { address: from('hosting'), behavior }).suspicion, hosted.suspicion, 'an unknown one hides none');
  const scripted = { ...behavior, untrusted: 900 };
  const isScripted = ({ signals }: ReturnType<typeof judge>) => signals.some(({ type }) => type === 'input_untrusted');
  t.ok(isScripted(judge(null, null, { behavior: scripted })));
  t.ok(isScripted(judge(null, { address: null, behavior: scripted })), 'input that was withdrawn');
  t.notOk(isScripted(judge(null, { address: null, behavior })));
  const driven = { ms: 900, moves: 12, clicks: 5, clickDwell: [5, 0.1, 0.1, 0, 0.4] as const };
  const isDriven = (isCaptured: boolean) =>
    weighDeviceEvidence(
      factsOf(deviceEnvelope(), { first: { address: null, behavior: driven } }),
      isCaptured,
    ).signals.some(({ type }) => type === 'click_without_press');
  t.ok(isDriven(false), 'more input of a hand does not replace what a driver did');
  t.notOk(isDriven(true), 'before the camera a person’s first clicks are part of the later ones');
  const spoken = { ms: 900, moves: 0, keys: 0, clicks: 1, clickBare: 1 };
  const weight = (first: VerdictFacts['first']) => judge(null, first, { behavior: spoken }).risk;
  t.equal(weight({ address: null, behavior: spoken }), weight(null), 'one click of a screen reader is one in both');
  t.equal(judge(null, null, { behavior: undefined }).behaved, false);
  t.equal(judge(null, { address: null, behavior }, { behavior: undefined }).behaved, true);
  t.equal(judge(null, { address: null }).behaved, true);
});
