import fc from 'fast-check';
import t from 'tap';
import { createTargetClassifier, objectionTo } from '../../src/net/target-address.js';

const classify = createTargetClassifier();
const outside = (url: string): string | null => objectionTo(url, { classify, allowPrivate: false });
const inDevelopment = (url: string): string | null => objectionTo(url, { classify, allowPrivate: true });

for (const url of [
  'https://example.com/hooks',
  'https://example.com:443/hooks',
  'https://example.com:8443/hooks?tenant=7',
  'https://EXAMPLE.com./',
  'https://localhost.example.com/',
  'https://hooks.svc.example.co.uk/',
  'https://customer.github.io/',
  'https://bücher.example.org/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
])
  t.test(`${url} may be registered`, (t) => {
    t.equal(outside(url), null);
    t.end();
  });

const refused: readonly (readonly [url: string, sentence: RegExp])[] = [
  ['', /must be an absolute URL/],
  ['/hooks', /must be an absolute URL/],
  ['example.com', /must be an absolute URL/],
  ['https://', /must be an absolute URL/],
  ['http://example.com/', /must start with https/],
  ['ftp://example.com/', /must start with https/],
  ['file:///etc/passwd', /must start with https/],
  ['gopher://example.com/', /must start with https/],
  ['javascript:alert(1)', /must start with https/],
  ['data:text/plain,x', /must start with https/],
  ['https://user@example.com/', /user name or password/],
  ['https://user:password@example.com/', /user name or password/],
  ['https://:password@example.com/', /user name or password/],
  ['https://example.com@127.0.0.1/', /user name or password/],
  ['https://example.com/#part', /fragment/],
  ['https://example.com:80/', /port 443 or 8443, not 80/],
  ['https://example.com:22/', /not 22/],
  ['https://example.com:6379/', /not 6379/],
  ['https://example.com:65535/', /not 65535/],
  ['https://localhost/', /is a private name/],
  ['https://LOCALHOST./', /is a private name/],
  ['https://api.localhost/', /is a private name/],
  ['https://intranet/', /is a private name/],
  ['https://printer.local/', /is a private name/],
  ['https://metadata.google.internal/', /is a private name/],
  ['https://router.home.arpa/', /is a private name/],
  ['https://host.localdomain/', /is a private name/],
  ['https://hidden.onion/', /is a private name/],
  ['https://redis.default.svc/', /is a private name/],
  ['https://redis.default.svc.cluster.local/', /is a private name/],
  ['https://vault.service.consul/', /is a private name/],
  ['https://wiki.corp/', /is a private name/],
  ['https://168.63.129.16/', /168\.63\.129\.16 is .*cloud/],
  ['https://100.100.100.200/', /must be on the public internet/],
  ['https://[fd00:ec2::254]/', /must be on the public internet/],
  ['https://127.0.0.1/', /127\.0\.0\.1 is .*loopback/],
  ['https://127.1/', /127\.0\.0\.1 is .*loopback/],
  ['https://2130706433/', /127\.0\.0\.1 is .*loopback/],
  ['https://0x7f.0.0.1/', /127\.0\.0\.1 is .*loopback/],
  ['https://0177.0.0.1/', /127\.0\.0\.1 is .*loopback/],
  ['https://10.1.2.3:8443/', /10\.1\.2\.3 is .*private/],
  ['https://169.254.169.254/latest/meta-data', /link-local/],
  ['https://[::1]/', /::1 is .*loopback/],
  ['https://[::ffff:127.0.0.1]/', /mapped/],
  ['https://[fd00::1]/', /must be on the public internet/],
  ['https://１２７.0.0.1/', /127\.0\.0\.1 is .*loopback/],
];

t.test('what never can be right is refused with a sentence that says why', (t) => {
  for (const [url, sentence] of refused) t.match(outside(url) ?? 'nothing was wrong', sentence, url);
  t.end();
});

t.test('in development, plain HTTP is refused with the setting that allows it', (t) => {
  const rules = { classify: createTargetClassifier(), allowPrivate: false };
  const say = (isDevelopment: boolean) => objectionTo('http://localhost:4000/', { ...rules, isDevelopment });
  t.match(say(true), /^must start with https:.*VH_WEBHOOK_ALLOW_PRIVATE=on/);
  t.notMatch(say(false), /VH_WEBHOOK/);
  t.end();
});

t.test('in development private targets, plain HTTP and any port are taken, and nothing else', (t) => {
  for (const url of ['http://127.0.0.1:4000/x', 'http://localhost:9/', 'https://[::1]:8080/', 'http://intranet/'])
    t.equal(inDevelopment(url), null, url);
  for (const [url, sentence] of [
    ['ftp://localhost/', /must start with https?/],
    ['http://user@localhost/', /user name or password/],
    ['http://localhost/#part', /fragment/],
    ['localhost:4000', /must start with https?/],
  ] as const)
    t.match(inDevelopment(url) ?? 'nothing was wrong', sentence, url);
  t.end();
});

t.test('no port but the two of TLS is taken, and no text makes it throw', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 65_535 }), (port) => {
      const isTaken = outside(`https://example.com:${port}/`) === null;
      return isTaken === (port === 443 || port === 8443);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.domain()), (text) => {
      const objection = outside(text);
      return objection === null || objection.startsWith('must ');
    }),
  );
  t.end();
});
