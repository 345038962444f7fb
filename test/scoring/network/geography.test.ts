import t, { type Test } from 'tap';
import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAddress, type Address } from '../../../src/net/address.js';
import { openGeography } from '../../../src/scoring/network/geography.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { writeMmdb, type MmdbValue } from '../../helpers/mmdb.js';
import { waitUntil } from '../../helpers/wait-until.js';

const countries = (networks: Record<string, string>, ipVersion: 4 | 6 = 6) =>
  writeMmdb({
    databaseType: 'Test-Country',
    ipVersion,
    networks: Object.fromEntries(
      Object.entries(networks).map(([network, code]) => [network, { country: { iso_code: code } }]),
    ),
  });

const asns = writeMmdb({
  databaseType: 'Test-ASN',
  networks: {
    '8.8.0.0/16': { autonomous_system_number: 64_501, autonomous_system_organization: 'Example Broadband' },
    '9.9.0.0/16': { autonomous_system_number: 64_502, autonomous_system_organization: 'Example Hosting' },
    '2606:4700::/32': { asn: 'AS64503', as_name: 'Example Mobile' },
  },
});

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === null) throw new Error(`${text} is no address`);
  return parsed;
}

function recordLog() {
  const lines: string[] = [];
  const write = (details: object, message: string) => void lines.push(`${message} ${JSON.stringify(details)}`);
  return { lines, logger: { info: write, warn: write } };
}

async function place(t: Test, name: string, file: Buffer): Promise<string> {
  const path = join(temporaryDirectory(t), name);
  await writeFile(path, file);
  return path;
}

t.test('an address has the country, owner and class that the files give it', async (t) => {
  const dir = temporaryDirectory(t);
  const [countryDbPath, asnDbPath] = [join(dir, 'country.mmdb'), join(dir, 'asn.mmdb')];
  await writeFile(countryDbPath, countries({ '8.8.0.0/16': 'US', '9.9.0.0/16': 'ch', '2606:4700::/32': 'NL' }));
  await writeFile(asnDbPath, asns);
  const geography = await openGeography({ countryDbPath, asnDbPath });
  t.teardown(() => geography.close());

  t.same(geography.available, { country: true, network: true });
  t.same(geography.locate(address('8.8.1.1')), {
    country: 'US',
    asn: 64_501,
    organization: 'Example Broadband',
    network: 'residential',
  });
  t.same(geography.locate(address('::ffff:9.9.9.9')), {
    country: 'CH',
    asn: 64_502,
    organization: 'Example Hosting',
    network: 'hosting',
  });
  t.same(geography.locate(address('2606:4700::1')), {
    country: 'NL',
    asn: 64_503,
    organization: 'Example Mobile',
    network: 'mobile',
  });
  t.same(geography.locate(address('1.1.1.1')), { country: null, asn: null, organization: null, network: null });
});

t.test('addresses that no respondent can have are never looked up', async (t) => {
  const countryDbPath = await place(t, 'country.mmdb', countries({ '0.0.0.0/0': 'US', '::/0': 'US' }));
  const geography = await openGeography({ countryDbPath, asnDbPath: null });
  t.teardown(() => geography.close());
  for (const text of ['10.0.0.1', '127.0.0.1', '203.0.113.9', '::1', 'fd00::1'])
    t.equal(geography.locate(address(text)).country, null, text);
  t.equal(geography.locate(address('8.8.8.8')).country, 'US');
});

t.test('an anonymizer database names VPNs and proxies, and tells hosting apart from them', async (t) => {
  const flags: Record<string, MmdbValue> = {
    '8.8.8.0/24': { is_anonymous: true, is_anonymous_vpn: true },
    '9.9.9.0/24': { is_anonymous: true, is_hosting_provider: true },
    '11.0.0.0/8': { is_anonymous: true, is_tor_exit_node: true },
  };
  const anonymousDbPath = await place(
    t,
    'anonymous.mmdb',
    writeMmdb({ databaseType: 'Test-Anonymous-IP', networks: flags }),
  );
  const geography = await openGeography({ countryDbPath: null, asnDbPath: null, anonymousDbPath });
  t.teardown(() => geography.close());
  t.equal(geography.locate(address('8.8.8.8')).network, 'anonymous');
  t.equal(geography.locate(address('9.9.9.9')).network, 'hosting');
  t.equal(geography.locate(address('11.1.1.1')).network, 'anonymous');
  t.equal(geography.locate(address('12.1.1.1')).network, null);
});

t.test('Tor exits and residential proxies are named by the database or by lists, which are read again', async (t) => {
  const dir = temporaryDirectory(t);
  const [torListPath, proxyListPath] = [join(dir, 'tor.txt'), join(dir, 'proxies.txt')];
  await writeFile(torListPath, '# exits\n8.8.8.8\n2001:4860::8888 # another\n');
  await writeFile(proxyListPath, '9.9.9.0/24\n');
  const flags = { '11.0.0.0/8': { is_residential_proxy: true }, '12.0.0.0/8': { is_tor_exit_node: true } };
  const anonymousDbPath = await place(t, 'a.mmdb', writeMmdb({ databaseType: 'Test-Anonymous-IP', networks: flags }));
  const lists = { countryDbPath: null, asnDbPath: null, anonymousDbPath, torListPath, proxyListPath };
  const geography = await openGeography(lists);
  t.teardown(() => geography.close());
  const relayOf = (text: string) => geography.locate(address(text)).relay;
  t.same(['8.8.8.8', '2001:4860::8888', '9.9.9.77', '11.1.1.1', '12.1.1.1', '8.8.8.9'].map(relayOf), [
    'tor',
    'tor',
    'residential_proxy',
    'residential_proxy',
    'tor',
    undefined,
  ]);
  t.equal(geography.locate(address('9.9.9.77')).network, 'anonymous');
  await writeFile(torListPath, '8.8.8.9\n');
  await geography.reload();
  t.same(['8.8.8.8', '8.8.8.9'].map(relayOf), [undefined, 'tor']);
  await writeFile(torListPath, 'no address at all\n');
  await geography.reload();
  t.equal(relayOf('8.8.8.9'), 'tor', 'a broken list leaves the one in memory');
  await t.rejects(openGeography(lists), { message: /^GEOIP_TOR_LIST.*line 1/ });
});

t.test('codes of a file that name no country are unknown', async (t) => {
  const codes = { '8.0.0.0/8': 'EU', '9.0.0.0/8': 'ZZ', '11.0.0.0/8': 'AP', '12.0.0.0/8': 'XK', '13.0.0.0/8': 'gb' };
  const countryDbPath = await place(t, 'country.mmdb', countries(codes));
  const geography = await openGeography({ countryDbPath, asnDbPath: null });
  t.teardown(() => geography.close());
  t.same(
    ['8.1.1.1', '9.1.1.1', '11.1.1.1', '12.1.1.1', '13.1.1.1'].map((text) => geography.locate(address(text)).country),
    [null, null, null, 'XK', 'GB'],
  );
});

t.test('a list is refused with a line that is no network, or another one than it seems', async (t) => {
  const torListPath = join(temporaryDirectory(t), 'tor.txt');
  const open = async (line: string) => {
    await writeFile(torListPath, `${line}\n`);
    return openGeography({ countryDbPath: null, asnDbPath: null, torListPath });
  };
  for (const line of [
    '9.0.0.0/8/24',
    '9.0.0.0/1e1',
    '9.0.0.0/0x10',
    '9.0.0.0/ 24',
    '9.0.0.0/',
    '9.0.0.0/7',
    '9.0.0.0/33',
  ])
    await t.rejects(open(line), { message: /line 1 is neither/ }, line);
  await t.rejects(open('::ffff:9.0.0.0/24'), { message: /line 1 is neither/ }, 'its length counts from another start');
  const geography = await open('::ffff:9.9.9.9');
  t.teardown(() => geography.close());
  t.equal(geography.locate(address('9.9.9.9')).relay, 'tor');
});

t.test('without files everything is null and it says so', async (t) => {
  const geography = await openGeography({ countryDbPath: null, asnDbPath: null });
  t.same(geography.available, { country: false, network: false });
  t.same(geography.locate(address('8.8.8.8')), { country: null, asn: null, organization: null, network: null });
  await geography.reload();
  geography.close();
});

t.test('one file alone is used, and the half that is missing is told', async (t) => {
  const countryDbPath = await place(t, 'country.mmdb', countries({ '8.8.0.0/16': 'US' }));
  const geography = await openGeography({ countryDbPath, asnDbPath: null });
  t.teardown(() => geography.close());
  t.same(geography.available, { country: true, network: false });
  t.equal(geography.locate(address('8.8.8.8')).country, 'US');
});

t.test('a file of IPv4 alone says nothing about IPv6', async (t) => {
  const countryDbPath = await place(t, 'country.mmdb', countries({ '0.0.0.0/1': 'US' }, 4));
  const geography = await openGeography({ countryDbPath, asnDbPath: null });
  t.teardown(() => geography.close());
  t.equal(geography.locate(address('8.8.8.8')).country, 'US');
  t.equal(geography.locate(address('2606:4700::1')).country, null);
});

t.test('a missing or broken file at start is an error that names its setting and its path', async (t) => {
  const whole = countries({ '8.8.0.0/16': 'US' });
  const broken: [string, Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(5_000)],
    ['text', Buffer.from('<html>quota exceeded</html>')],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0])],
    ['no-tail', whole.subarray(0, whole.length - 120)],
    ['no-head', whole.subarray(whole.length - 180)],
  ];
  for (const [name, file] of broken) {
    const path = await place(t, `${name}.mmdb`, file);
    await t.rejects(
      openGeography({ countryDbPath: path, asnDbPath: null }),
      { message: new RegExp(`^GEOIP_COUNTRY_DB names .*${name}\\.mmdb`) },
      name,
    );
  }
  await t.rejects(openGeography({ countryDbPath: null, asnDbPath: '/nowhere/asn.mmdb' }), {
    message: /^GEOIP_ASN_DB names \/nowhere\/asn\.mmdb/,
  });
  await t.rejects(openGeography({ countryDbPath: null, asnDbPath: null, anonymousDbPath: '/nowhere/x' }), {
    message: /^GEOIP_ANONYMOUS_DB/,
  });
});

t.test('a changed file is loaded, and a broken or missing one leaves the earlier in place, logged once', async (t) => {
  const path = await place(t, 'country.mmdb', countries({ '8.8.0.0/16': 'US' }));
  const { lines, logger } = recordLog();
  const geography = await openGeography({ countryDbPath: path, asnDbPath: null, logger });
  t.teardown(() => geography.close());
  const country = () => geography.locate(address('8.8.8.8')).country;

  await geography.reload();
  t.same(lines, [], 'an unchanged file is left alone');

  await writeFile(path, countries({ '8.8.0.0/16': 'CA', '1.0.0.0/8': 'AU' }));
  await geography.reload();
  t.equal(country(), 'CA');
  t.match(lines.splice(0), [/a changed file was loaded/]);

  await truncate(path, 40);
  await geography.reload();
  await geography.reload();
  t.equal(country(), 'CA');
  t.match(lines.splice(0), [/earlier one serves on .*GEOIP_COUNTRY_DB/]);

  await rm(path);
  await geography.reload();
  await geography.reload();
  t.equal(country(), 'CA');
  t.equal(lines.splice(0).length, 1);

  await writeFile(path, countries({ '8.8.0.0/16': 'MX', '1.0.0.0/8': 'AU', '2.0.0.0/8': 'FR' }));
  await geography.reload();
  t.equal(country(), 'MX');
});

t.test('the timer finds a changed file by itself', async (t) => {
  const path = await place(t, 'country.mmdb', countries({ '8.8.0.0/16': 'US' }));
  const geography = await openGeography({ countryDbPath: path, asnDbPath: null, reloadSeconds: 0.01 });
  t.teardown(() => geography.close());
  await writeFile(`${path}.new`, countries({ '8.8.0.0/16': 'CA', '1.0.0.0/8': 'AU' }));
  await rename(`${path}.new`, path);
  await waitUntil(() => geography.locate(address('8.8.8.8')).country === 'CA', 'the new file is in use');
});
