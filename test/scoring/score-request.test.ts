import t from 'tap';
import { Compile } from 'typebox/compile';
import { ScoreRequest } from '../../src/contract/score.js';
import { userAgentLengthMax } from '../../src/limits.js';
import { scoreExample } from '../../src/scoring/examples.js';
import { checkRequest, readScoreRequest } from '../../src/scoring/score-request.js';

const bare = { sessionId: 's', clientIp: '203.0.113.1' };
const optional = Object.keys(ScoreRequest.properties).filter((name) => !(name in bare));
const isRequest = Compile(ScoreRequest);

t.test('null and "" in optional fields mean absent', (t) => {
  t.ok(optional.length > 8);
  const nulls = { ...bare, ...Object.fromEntries(optional.map((name) => [name, null])) } as never;
  t.ok(isRequest.Check(nulls));
  t.same(readScoreRequest(nulls), bare);
  for (const name of optional) {
    if (['respondentStats', 'supplierStats', 'webBotAuth'].includes(name)) continue;
    const body = { ...bare, [name]: '' };
    t.ok(isRequest.Check(body), name);
    t.same(readScoreRequest(body), bare, name);
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
  t.same(readScoreRequest(inner), {
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
  t.equal(readScoreRequest(body).userAgent?.length, userAgentLengthMax);
  t.end();
});

t.test('what says something stays as it was sent', (t) => {
  t.same(readScoreRequest({ ...scoreExample, declaredCountry: 'us', future: 1 } as never), scoreExample);
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
