import t from 'tap';
import { Compile } from 'typebox/compile';
import { ScoreRequest } from '../../src/contract/score.js';
import { userAgentLengthMax } from '../../src/limits.js';
import { scoreExample } from '../../src/scoring/examples.js';
import {
  checkRequest,
  findUnknownNames,
  noteRequest,
  normalizeScoreRequest,
  refuseUnknownNames,
} from '../../src/scoring/score-request.js';

const bare = { sessionId: 's', clientIp: '203.0.113.1' };
const optional = Object.keys(ScoreRequest.properties).filter((name) => !(name in bare));
const isRequest = Compile(ScoreRequest);

t.test('null and "" in optional fields mean absent', (t) => {
  t.ok(optional.length > 8);
  const nulls = { ...bare, ...Object.fromEntries(optional.map((name) => [name, null])) } as never;
  t.ok(isRequest.Check(nulls));
  t.same(normalizeScoreRequest(nulls), bare);
  for (const name of optional) {
    if (['respondentStats', 'supplierStats', 'webBotAuth', 'deadlineMs'].includes(name)) continue;
    const body = { ...bare, [name]: '' };
    t.ok(isRequest.Check(body), name);
    t.same(normalizeScoreRequest(body), bare, name);
  }
  const inner = {
    ...bare,
    respondentStats: { attempts: 3, completes: 1, reconciliationRate: null },
    webBotAuth: {
      method: 'GET',
      targetUri: 'https://a/',
      headers: { signature: 's', 'signature-input': 'i', 'signature-agent': null },
    },
  };
  t.ok(isRequest.Check(inner));
  t.same(normalizeScoreRequest(inner), {
    ...bare,
    respondentStats: { attempts: 3, completes: 1 },
    webBotAuth: { method: 'GET', targetUri: 'https://a/', headers: { signature: 's', 'signature-input': 'i' } },
  });
  t.notOk(isRequest.Check({ ...bare, sessionId: '' }), 'the required ones stay required');
  t.notOk(isRequest.Check({ ...bare, clientIp: null }));
  t.end();
});

t.test('a user agent of any length is taken, and looked at up to one length', (t) => {
  const body = { ...bare, userAgent: 'x'.repeat(userAgentLengthMax + 1) };
  t.ok(isRequest.Check(body));
  t.equal(normalizeScoreRequest(body).userAgent?.length, userAgentLengthMax);
  t.end();
});

t.test('what says something stays as it was sent', (t) => {
  t.same(normalizeScoreRequest({ ...scoreExample, declaredCountry: 'us', future: 1 } as never), scoreExample);
  t.end();
});

t.test('an address that is none, and more completes than attempts, are issues', (t) => {
  const { address, issues } = checkRequest({
    ...bare,
    clientIp: '203.0.113.1:80',
    supplierStats: { attempts: 1, completes: 2 },
  });
  t.equal(address, null);
  t.same(
    issues.map(({ path }) => path),
    ['/clientIp', '/supplierStats/completes'],
  );
  t.end();
});

t.test('an address that is a list or has a port is told what to send', (t) => {
  for (const [clientIp, message] of [
    ['203.0.113.1, 10.0.0.1', /is a list.*Send only its first address/],
    ['203.0.113.1:80', /has a port/],
    ['[2001:db8::1]:443', /has a port/],
    ['localhost', /must be one IPv4 or IPv6 address/],
  ] as const)
    t.match(checkRequest({ ...bare, clientIp }), { address: null, issues: [{ path: '/clientIp', message }] });
  t.end();
});

const body = (fields: object = {}): ScoreRequest => ({ sessionId: 's-1', clientIp: '198.51.100.7', ...fields });
const notes = (fields: object) =>
  noteRequest(findUnknownNames(body(fields)), normalizeScoreRequest(body(fields)), { probeElsewhere: null });

t.test('a name that the contract does not know is named with the nearest that it does', (t) => {
  t.same(findUnknownNames(body({ userAgent: 'x', studyId: 'y' })), []);
  t.same(notes({ respondentID: 'r' }).integration?.unknownFields, ['"respondentID" (did you mean "respondentId"?)']);
  t.same(notes({ qqqqqqqqqqqqqqqqqqqqqqqqq: 1 }).integration?.unknownFields, ['"qqqqqqqqqqqqqqqqqqqqqqqqq"']);
  t.match(refuseUnknownNames(findUnknownNames(body({ respondentStats: { attempts: 1, completes: 1, complete: 2 } }))), [
    { path: '/respondentStats/complete', message: /did you mean "completes"/ },
  ]);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, index]));
  t.equal(notes(many).integration?.unknownFields?.length, 5, 'and no more than five of them');
  t.end();
});

t.test(
  'what facts keep of a text is the same before and after it was packed, also where the text is cut within a character',
  (t) => {
    for (const fields of [{ [`${'q'.repeat(63)}😀`]: 1 }, { '\ud83d': 1 }, { respondentStats: { '\ude00': 1 } }])
      for (const text of notes(fields).integration?.unknownFields ?? [''])
        t.equal(Buffer.from(text).toString(), text, JSON.stringify(fields));
    const cut = normalizeScoreRequest(
      body({ userAgent: `${'u'.repeat(userAgentLengthMax - 1)}😀`, declaredCountry: '\ud83d' }),
    );
    for (const text of [cut.userAgent ?? '', cut.declaredCountry ?? '']) t.equal(Buffer.from(text).toString(), text);
    t.equal(notes({ '😀': 1 }).integration?.unknownFields?.[0], '"😀"', 'whole characters stay');
    t.end();
  },
);

t.test('the state of the probe is kept if it is known, and a respondent’s own text is ignored', (t) => {
  t.equal(notes({ probeState: 'not_loaded' }).integration?.probeState, 'not_loaded');
  for (const probeState of ['', null, 'x'.repeat(5_000), 'Not_Loaded'])
    t.same(notes({ probeState }), {}, String(probeState).slice(0, 20));
  t.end();
});

t.test('an identity that was not hashed is noted by its field, and ids and hashes are not', (t) => {
  const identities = [
    'ada@example.org',
    '+49 170 1234567',
    '0049170123456',
    '(555) 123-4567',
    '555-123-4567',
    '203.0.113.0/24',
    '203.0.113.9',
    '2001:db8:1::/48',
  ];
  for (const value of identities) {
    const { integration } = notes({ respondentId: value });
    t.same(integration?.unhashed, ['respondentId'], value);
    t.notOk(JSON.stringify(integration).includes(value), 'the value stays out of the note');
  }
  for (const value of [
    ...['undefined', 'null', 'NaN', '[object Object]', '[object Promise]', 'N/A'],
    ...['{{rid}}', '{rid}', '{{ respondent.id }}', '${rid}', '%RID%', '%%rid%%', '[%rid%]', '[rid]', '<rid>'],
  ])
    t.same(notes({ respondentId: value }).integration?.unhashed, ['respondentId (a placeholder)'], value);
  const others = [
    ...['{8D0F7A52-7C1C-4B0E-9A54-3F6F0A1C2D3E}', 'nullable', 'undefined-1', '100%', '[1]x'],
    '5f8e2c0b9a7d4e31b6c8f0a2d4e6b8c0',
    '1234567890',
    'panelist-4711',
    '8d0f7a52-7c1c-4b0e-9a54-3f6f0a1c2d3e',
    '2026-11-22',
    'a:b',
    'DE-12-3456',
  ];
  for (const value of others) t.same(notes({ respondentId: value, deviceHash: value }), {}, value);
  t.same(notes({ deviceHash: 'ada@example.org', ipPrefixHash: '198.51.100.0/24' }).integration?.unhashed, [
    'ipPrefixHash',
    'deviceHash',
  ]);
  const model = notes({ deviceHash: 'iPhone 14 Pro', ipPrefixHash: 'campus net' }).integration?.unhashed;
  t.same(model, ['ipPrefixHash', 'deviceHash'], 'a hash has no blanks; a device’s model is shared by many');
  t.end();
});
