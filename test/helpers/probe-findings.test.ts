import t from 'tap';
import type { ProbeBody } from '../../src/contract/probe.js';
import { joinMessages, listInputTells, listStaticTells } from './probe-findings.js';

const body = (seq: number, phase: ProbeBody['phase'], groups: Partial<ProbeBody> = {}): ProbeBody => ({
  v: 1,
  sdk: 'test',
  projectKey: 'pk_test',
  sessionId: 'session-1',
  nonce: '0123456789abcdef',
  at: 0,
  up: 0,
  seq,
  phase,
  ...groups,
});

t.test('the newest load message carries the newest update, in whatever order they came', (t) => {
  const joined = joinMessages([
    body(3, 'update', { beh: { clicks: 3 } }),
    body(1, 'load', { lies: ['own.platform'] }),
    body(2, 'update', { beh: { clicks: 2 } }),
    body(0, 'load', { lies: [] }),
  ]);
  t.match(joined, { lies: ['own.platform'], beh: { clicks: 3 } });
  t.equal(joinMessages([body(1, 'update')]), null);
  t.end();
});

t.test('what was not measured is no tell', (t) => {
  t.strictSame(listInputTells(body(0, 'load', { beh: { clickDwell: null, coalesced: null, subpixel: null } })), []);
  t.strictSame([...listStaticTells(body(0, 'load')), ...listInputTells(body(0, 'load'))], []);
  t.end();
});
