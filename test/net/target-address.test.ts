import fc from 'fast-check';
import t from 'tap';
import { createTargetClassifier } from '../../src/net/target-address.js';

const classify = createTargetClassifier();

const refused: readonly (readonly [address: string, kind: RegExp])[] = [
  ['0.0.0.0', /unspecified/],
  ['0.1.2.3', /unspecified/],
  ['10.0.0.1', /private/],
  ['100.64.0.1', /carrier/],
  ['100.127.255.255', /carrier/],
  ['127.0.0.1', /loopback/],
  ['168.63.129.16', /cloud/],
  ['127.255.255.254', /loopback/],
  ['169.254.169.254', /link-local/],
  ['172.16.0.1', /private/],
  ['172.31.255.255', /private/],
  ['192.0.0.170', /reserved/],
  ['192.0.2.1', /documentation/],
  ['192.88.99.1', /6to4/],
  ['192.168.1.1', /private/],
  ['198.18.0.1', /benchmarks/],
  ['198.19.255.255', /benchmarks/],
  ['198.51.100.7', /documentation/],
  ['203.0.113.7', /documentation/],
  ['224.0.0.1', /multicast/],
  ['239.255.255.250', /multicast/],
  ['240.0.0.1', /reserved/],
  ['255.255.255.255', /reserved/],
  ['::', /unspecified/],
  ['::1', /loopback/],
  ['::7f00:1', /reserved/],
  ['::ffff:127.0.0.1', /mapped/],
  ['::ffff:8.8.8.8', /mapped/],
  ['::ffff:a00:1', /mapped/],
  ['0:0:0:0:0:ffff:7f00:1', /mapped/],
  ['64:ff9b::7f00:1', /NAT64/],
  ['64:ff9b::808:808', /NAT64/],
  ['64:ff9b:1::a00:1', /NAT64/],
  ['100::1', /reserved/],
  ['2001::1', /Teredo/],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', /Teredo/],
  ['2001:10::1', /reserved/],
  ['2001:db8::1', /documentation/],
  ['2002:7f00:1::', /6to4/],
  ['2002:808:808::1', /6to4/],
  ['3fff::1', /documentation/],
  ['4000::1', /reserved/],
  ['5f00::1', /reserved/],
  ['fc00::1', /private/],
  ['fd12:3456:789a::1', /private/],
  ['fe80::1', /link-local/],
  ['fe80::1%eth0', /no address/],
  ['fec0::1', /site-local/],
  ['ff02::1', /multicast/],
  ['', /no address/],
  ['localhost', /no address/],
  ['127.1', /no address/],
  ['0x7f000001', /no address/],
  ['8.8.8.8:80', /no address/],
];

for (const [address, kind] of refused) {
  t.test(`${address || 'nothing'} is refused, and the kind is told`, (t) => {
    const verdict = classify(address);
    t.equal(verdict.allowed, false);
    t.match(verdict.allowed ? '' : verdict.kind, kind);
    t.end();
  });
}

t.test('addresses of the public internet are allowed', (t) => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])
    t.same(classify(address), { allowed: true }, address);
  t.end();
});

t.test('no IPv4 address is allowed by being carried inside an IPv6 address', (t) => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      octet,
      octet,
      octet,
      octet,
      fc.constantFrom('::ffff:', '::', '64:ff9b::', '64:ff9b:1::'),
      (a, b, c, d, prefix) => {
        return !classify(`${prefix}${a}.${b}.${c}.${d}`).allowed;
      },
    ),
  );
  fc.assert(
    fc.property(octet, octet, octet, octet, (a, b, c, d) => {
      const inner = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
      return !classify(`2002:${inner}::1`).allowed;
    }),
  );
  t.end();
});
