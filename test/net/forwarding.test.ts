import fc from 'fast-check';
import t from 'tap';
import { createFindClient, parseNetwork } from '../../src/net/forwarding.js';

const networks = (...texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);
const find = createFindClient(networks('10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7'));
const from = (remoteAddress: string | undefined, headers: Readonly<Record<string, string>> = {}) => {
  const { address, ignored } = find({ remoteAddress, headers });
  return [address?.text ?? null, ignored];
};
const listed = (list: string, peer = '10.0.0.1') => from(peer, { 'x-forwarded-for': list });
const forwarded = (header: string, peer = '10.0.0.1') => from(peer, { forwarded: header });

t.test('without a header, or from an address that is not trusted, the connection stands', async (t) => {
  t.same(from('203.0.113.9'), ['203.0.113.9', null]);
  t.same(from('::ffff:203.0.113.9'), ['203.0.113.9', null]);
  t.same(from('fe80::1%eth0'), ['fe80::1', null]);
  t.same(from(undefined), [null, null]);
  t.same(listed('198.51.100.1', '203.0.113.9'), ['203.0.113.9', 'untrusted']);
  t.same(forwarded('for=198.51.100.1', '203.0.113.9'), ['203.0.113.9', 'untrusted']);
  const trustsNobody = createFindClient([]);
  t.match(trustsNobody({ remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': '198.51.100.1' } }), {
    address: { text: '10.0.0.1' },
    ignored: 'untrusted',
  });
});

t.test('the rightmost address that is no trusted proxy is the client, whatever it wrote before it', async (t) => {
  t.same(listed('203.0.113.9'), ['203.0.113.9', null]);
  t.same(listed('1.1.1.1, 203.0.113.9, 10.2.3.4,192.0.2.7'), ['203.0.113.9', null]);
  t.same(listed('10.0.0.9, 203.0.113.9, 10.2.3.4'), ['203.0.113.9', null], 'a client does not make itself a proxy');
  t.same(listed('10.9.9.9, 10.2.3.4'), ['10.9.9.9', null], 'all trusted: the farthest');
  t.same(listed('203.0.113.9', '::ffff:10.0.0.1'), ['203.0.113.9', null], 'a socket writes IPv4 mapped into IPv6');
  t.same(listed('::ffff:203.0.113.9, ::FFFF:10.2.3.4'), ['203.0.113.9', null]);
  t.same(listed('2001:db8:2::1, 2001:db8:1::5', '2001:db8:1::1'), ['2001:db8:2::1', null]);
  t.same(listed('203.0.113.9:4711'), ['203.0.113.9', null], 'some write the port');
  t.same(listed('[2001:db8:2::1]:4711'), ['2001:db8:2::1', null]);
});

t.test('what is no address ends the walk at the proxy that wrote it', async (t) => {
  for (const list of ['', ' ', 'unknown', '203.0.113', '203.0.113.9 evil', '0x7f.1', '203.0.113.9,', '1.1.1.1,,'])
    t.same(listed(list), ['10.0.0.1', 'malformed'], JSON.stringify(list));
  t.same(listed('203.0.113.9, bad, 10.2.3.4'), ['10.2.3.4', 'malformed']);
  t.same(listed('bad, 203.0.113.9'), ['203.0.113.9', null], 'beyond the client nothing is read');
});

t.test('Forwarded is read as RFC 7239 writes it', async (t) => {
  t.same(forwarded('for=203.0.113.9'), ['203.0.113.9', null]);
  t.same(forwarded('For="[2001:db8:2::1]:4711";proto=https;by=10.0.0.1'), ['2001:db8:2::1', null]);
  t.same(forwarded('for=1.1.1.1, proto=http; for=203.0.113.9 , for=10.2.3.4'), ['203.0.113.9', null]);
  t.same(forwarded('for=203.0.113.9;host="a, for=1.1.1.1; b"'), ['203.0.113.9', null], 'a comma within quotes');
  for (const header of ['for=unknown', 'for=_hidden', 'proto=https', 'for="203.0.113.9', 'for=1.1.1.1;for=2.2.2.2', ''])
    t.same(forwarded(header), ['10.0.0.1', 'malformed'], header);
});

t.test('a long header is read in one pass', async (t) => {
  // Time with the square of the length would outlast the test.
  const length = 1_000_000;
  for (const noise of ['"', '\\"', '"\\', ';', ',', '" "', '"\\""'])
    t.ok(forwarded(`for=203.0.113.9;host="${noise.repeat(length)}`)[0], JSON.stringify(noise));
  t.same(forwarded(`for=1.1.1.1${' '.repeat(length)}x`), ['10.0.0.1', 'malformed']);
  t.same(forwarded(`for${' '.repeat(length)}= ${' '.repeat(length)}203.0.113.9`), ['203.0.113.9', null]);
});

t.test('both headers count where they name the same client, and neither does otherwise', async (t) => {
  const both = (list: string, header: string) => from('10.0.0.1', { 'x-forwarded-for': list, forwarded: header });
  t.same(both('203.0.113.9', 'for=203.0.113.9'), ['203.0.113.9', null]);
  t.same(both('203.0.113.9', 'for=1.1.1.1'), ['10.0.0.1', 'contradictory']);
  t.same(both('1.1.1.1', 'for=203.0.113.9'), ['10.0.0.1', 'contradictory']);
  t.same(both('203.0.113.9', 'for=unknown'), ['10.0.0.1', 'contradictory']);
});

t.test('whatever a client sends before its own address changes nothing', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string(), (noise) => {
        const [address] = listed(`${noise},203.0.113.9, 10.1.1.1`);
        return address === '203.0.113.9';
      }),
    ),
  );
  t.doesNotThrow(() => fc.assert(fc.property(fc.string(), (noise) => forwarded(noise)[0] !== null)));
});

t.test('networks are addresses and CIDRs; those of everybody, and what is none, are refused', async (t) => {
  for (const text of ['10.0.0.0/8', '10.1.2.3', '2001:db8::/32', '::1', '::ffff:10.0.0.1', '127.0.0.1/32'])
    t.not(parseNetwork(text), null, text);
  for (const text of [
    '',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/',
    'localhost',
    '10.0.0',
    '::ffff:10.0.0.0/104',
  ])
    t.equal(parseNetwork(text), null, text);
});
