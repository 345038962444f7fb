import t from 'tap';
import fc from 'fast-check';
import { isIP } from 'node:net';
import { parseAddress } from '../../src/net/address.js';

t.test('an address has one canonical text, whatever way it was written', (t) => {
  const canonical: [string, string, string][] = [
    ['8.8.8.8', '8.8.8.8', '8.8.8.0/24'],
    ['::ffff:8.8.4.4', '8.8.4.4', '8.8.4.0/24'],
    ['::FFFF:0808:0404', '8.8.4.4', '8.8.4.0/24'],
    ['2606:4700:4700:0000:0000:0000:0000:1111', '2606:4700:4700::1111', '2606:4700:4700::/48'],
    ['2A00:1450:4001:81B::200E', '2a00:1450:4001:81b::200e', '2a00:1450:4001::/48'],
    ['2001:4860:0:1::1', '2001:4860:0:1::1', '2001:4860::/48'],
  ];
  for (const [text, expected, prefix] of canonical) {
    const address = parseAddress(text);
    t.equal(address?.text, expected, text);
    t.equal(address?.prefix, prefix, text);
    t.equal(address?.range, 'public', text);
  }
  t.end();
});

t.test('special ranges are told from addresses that a respondent can have', (t) => {
  const ranges: [string, string][] = [
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.128.0.1', 'public'],
    ['169.254.1.1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['0.0.0.0', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fe80::1', 'private'],
    ['::', 'reserved'],
    ['ff02::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::8.8.8.8', 'reserved'],
    ['64:ff9b::808:808', 'reserved'],
    ['2002:808:808::1', 'public'],
    ['2001:0:1234::f7f7:f7f7', 'public'],
    ['2002:a01:203::1', 'private'],
    ['2002:7f00:1::1', 'loopback'],
    ['2002:c633:6401::1', 'reserved'],
    ['2001:0:1234::f5fe:fdfc', 'private'],
    ['2001:0:1234::3f57:fffe', 'private'],
    ['2001:0:1234::80ff:fffe', 'loopback'],
    ['64:ff9b::10.1.2.3', 'private'],
    ['64:ff9b::127.0.0.1', 'loopback'],
  ];
  for (const [text, range] of ranges) t.equal(parseAddress(text)?.range, range, text);
  t.end();
});

t.test('anything but exactly one address is refused', (t) => {
  const refused = [
    '',
    ' ',
    'localhost',
    '8.8.8',
    '8.8.8.8.8',
    '256.1.1.1',
    '08.8.8.8',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '127.1',
    '8.8.8.8:443',
    '[2606:4700::1111]',
    '[2606:4700::1111]:443',
    'fe80::1%eth0',
    '::1%',
    '8.8.8.8%0',
    '8.8.8.8/24',
    '2606::/16',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8\n',
    '8.8.8.8, 1.1.1.1',
    '1::2::3',
    ':::',
    '12345::1',
    '::ffff:8.8.8.256',
    '８.8.8.8',
    '-1.0.0.0',
  ];
  for (const text of refused) t.equal(parseAddress(text), null, JSON.stringify(text));
  t.end();
});

t.test('the canonical text reads back as the same address', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      if (address === null) return false;
      const again = parseAddress(address.text);
      return (
        again !== null &&
        again.text === address.text &&
        again.prefix === address.prefix &&
        again.range === address.range
      );
    }),
  );
  t.pass('held for every generated text');
  t.end();
});

t.test('an IPv4 address and its form mapped into IPv6 are the same', (t) => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const [plain, mapped] = [parseAddress(text), parseAddress(`::ffff:${text}`)];
      return plain?.family === 4 && JSON.stringify(mapped) === JSON.stringify(plain);
    }),
  );
  t.pass('held for every generated text');
  t.end();
});

t.test(
  'an IPv6 address sits in its /64, inside which devices change it at will; an IPv4 address is its own place',
  (t) => {
    t.equal(parseAddress('2a00:1:2:3:aaaa::1')?.place, '2a00:1:2:3::/64');
    t.equal(parseAddress('2a00:1:2:3:bbbb::2')?.place, '2a00:1:2:3::/64');
    t.equal(parseAddress('2a00:1:2:4:bbbb::2')?.place, '2a00:1:2:4::/64');
    t.equal(parseAddress('8.8.4.4')?.place, '8.8.4.4');
    t.end();
  },
);

t.test('an address lies in its own prefix, and the prefix names a network address', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      if (address === null) return false;
      const [network = '', bits] = address.prefix.split('/');
      const parsed = parseAddress(network);
      return parsed?.prefix === address.prefix && (bits === '24' || bits === '48') && isIP(network) === address.family;
    }),
  );
  t.pass('held for every generated text');
  t.end();
});

t.test('no string makes it throw, and what it takes is an address', (t) => {
  const hostile = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f:.%[\]/ ]{0,50}$/));
  fc.assert(
    fc.property(hostile, (text) => {
      const address = parseAddress(text);
      return address === null || isIP(text) !== 0;
    }),
  );
  t.pass('held for every generated text');
  t.end();
});
