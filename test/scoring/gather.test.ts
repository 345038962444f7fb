import t from 'tap';
import { packMessage } from '../../src/record/message.js';
import { assembleFacts } from '../../src/record/assemble-facts.js';
import { late, type Deadline } from '../../src/scoring/deadline.js';
import { gatherBase, gatherScore, type GatherDeps } from '../../src/scoring/gather.js';
import type { CountRecord, StoredPage } from '../../src/stores/counters/port.js';
import { parseAddress, type Address } from '../../src/net/address.js';
import type { ScoreInput } from '../../src/contract/score.js';
import { cleanCounts, humanBody, humanTransport } from '../helpers/facts.js';

const location = { country: 'DE', asn: 3320, organization: 'x', network: 'residential' } as const;
const both = { country: true, network: true };

const baseOf = (over: Partial<ScoreInput> = {}, geography = both) =>
  gatherBase({
    request: { sessionId: 's', clientIp: '203.0.113.7', ...over },
    address: parseAddress(over.clientIp ?? '203.0.113.7') as Address,
    location,
    geography,
    agent: null,
    nowMs: Date.UTC(2026, 4, 4),
    owner: { receiptId: 'rcpt_1', organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1' },
    liteConfig: undefined,
    assuranceAvailable: 'none',
    makeRef: (holder, kind, value) => `${holder}/${kind}/${value}`,
    modelVersion: 'rules',
  });

const countedWith = (pages: readonly StoredPage[]): CountRecord => ({
  receiptId: 'rcpt_1',
  supersedes: null,
  counts: cleanCounts(),
  probe: pages.length === 0 ? null : { pages, device: null, sketch: null, bands: [] },
  device: null,
  signatureFresh: false,
  complete: true,
  history: { respondent: null, source: null, subSource: null },
});
const message = (over: object) => packMessage({ body: humanBody(over), transport: humanTransport });

t.test('ipPrefixHash, where it is sent, is the network’s identity', (t) => {
  const [one, other, bare] = [
    baseOf({ ipPrefixHash: 'h' }),
    baseOf({ ipPrefixHash: 'h', clientIp: '198.51.100.9' }),
    baseOf(),
  ];
  t.equal(one.trace.prefix, other.trace.prefix);
  t.not(one.trace.prefix, bare.trace.prefix);
  t.equal(one.facts.prefix, one.trace.prefix);
  t.not(baseOf({ ipPrefixHash: '203.0.113.0/24' }).trace.prefix, bare.trace.prefix, 'no hash is another’s prefix');
  t.end();
});

t.test('the half of the geography that is missing is told', (t) => {
  t.same(baseOf({}, { country: true, network: false }).facts.degraded, ['network_unavailable']);
  t.same(baseOf({}, { country: false, network: true }).facts.degraded, ['geo_unavailable']);
  t.same(baseOf().facts.degraded, []);
  t.end();
});

t.test('a probe that could not be read is not a probe that did not come', (t) => {
  t.equal(assembleFacts(baseOf(), null).probeRead, false);
  const { probeRead = true, probe } = assembleFacts(baseOf(), countedWith([]));
  t.same([probeRead, probe], [true, null]);
  t.end();
});

t.test('every page is a fact of its own, and the first with a load message is the device’s', (t) => {
  const pages = [
    { load: null, update: message({ seq: 7 }) },
    { load: message({ up: 1 }), update: message({ seq: 8, beh: { moves: 3 } }) },
    { load: message({ up: 2 }), update: null },
  ];
  const probe = assembleFacts(baseOf(), countedWith(pages)).probe;
  t.match(probe?.body, { seq: 8, beh: { moves: 3 } });
  t.match(
    probe?.others?.map(({ body }) => [body.seq, body.up]),
    [
      [2, 2],
      [7, 90_000],
    ],
  );
  const single = assembleFacts(baseOf(), countedWith(pages.slice(1, 2))).probe;
  t.match(
    single,
    { body: { seq: 8 }, update: { pageMs: 89_999, clockMs: 0, transport: {} } },
    'with what passed since its load',
  );
  t.end();
});

t.test('a later message of a page takes nothing back that an earlier one said against it', (t) => {
  const load = message({
    auto: { webdriver: true, globals: ['__driver'], debugStack: null },
    lies: ['proxy.a'],
    hw: { cores: 64 },
    gfx: { renderer: 'SwiftShader' },
  });
  const update = message({
    seq: 8,
    auto: { webdriver: false, globals: [], debugStack: true },
    lies: ['own.b'],
    hw: { cores: 8 },
    gfx: { renderer: 'A card' },
    beh: { moves: 3 },
  });
  t.match(assembleFacts(baseOf(), countedWith([{ load, update }])).probe?.body, {
    seq: 8,
    auto: { webdriver: true, globals: ['__driver'], debugStack: true },
    lies: ['proxy.a', 'own.b'],
    hw: { cores: 64 },
    gfx: { renderer: 'SwiftShader' },
    beh: { moves: 3 },
  });
  t.end();
});

t.test('step-ups that could not be read, or not by the deadline, are named', async (t) => {
  const deadline: Deadline = { within: (work) => Promise.race([work, Promise.resolve(late)]), end: () => undefined };
  const degradedWith = async (readStepUps: GatherDeps['readStepUps']) => {
    const deps: GatherDeps = {
      geography: { available: both, locate: () => location } as unknown as GatherDeps['geography'],
      verifyAgent: () => Promise.reject(new Error('nothing is signed')),
      subjects: {
        liteEnabled: async () => true,
        findProject: async () => ({
          liteConfig: { stepUpEnabled: true },
          assuranceAvailable: 'none',
          origins: async () => [],
        }),
      },
      ...{
        readStepUps,
        makeRef: (_holder, kind, value) => `${kind}/${value}`,
        modelVersion: 'rules',
        now: () => 0,
      },
    };
    const address = parseAddress('203.0.113.7') as Address;
    const owner = { organizationId: 'org_1', projectId: 'proj_1', lineage: 'key_1', isTest: false, isDemo: false };
    const { base } = await gatherScore(deps, owner, {
      ...{ address, deadline, notes: {} },
      request: { sessionId: 's', clientIp: '203.0.113.7' },
    });
    return base.facts.degraded;
  };
  t.same(await degradedWith(async () => []), []);
  t.same(await degradedWith(async () => null), ['step_ups_unavailable']);
  t.same(await degradedWith(() => new Promise(() => undefined)), ['step_ups_unavailable']);
});
