import t from 'tap';
import fc from 'fast-check';
import { classifyNetwork } from '../../../src/scoring/network/geography.js';

const named = (organization: string) => classifyNetwork({ asn: 64_500, organization, anonymous: false });

t.test('an anonymizer database outranks everything, and its hosting flag outranks names', (t) => {
  t.equal(classifyNetwork({ asn: 7922, organization: 'Comcast Cable', anonymous: true }), 'anonymous');
  t.equal(
    classifyNetwork({ asn: 64_500, organization: 'Example Telecom', anonymous: false, hosting: true }),
    'hosting',
  );
  t.equal(
    classifyNetwork({ asn: 7922, organization: null, anonymous: false, hosting: true }),
    'residential',
    'a listed network keeps its class',
  );
  t.end();
});

t.test('well-known networks have the class of their traffic, whatever their name says', (t) => {
  const known: [number, string][] = [
    [16509, 'hosting'],
    [24940, 'hosting'],
    [8075, 'hosting'],
    [21928, 'mobile'],
    [55836, 'mobile'],
    [786, 'education'],
    [22616, 'business'],
    [7922, 'residential'],
    [3320, 'residential'],
    [13335, 'anonymous'],
  ];
  for (const [asn, expected] of known) {
    for (const organization of [null, 'Example Hosting University VPN'])
      t.equal(classifyNetwork({ asn, organization, anonymous: false }), expected, String(asn));
  }
  t.end();
});

t.test('the name of the organization decides for networks that are not listed', (t) => {
  const names: [string, string | null][] = [
    ['Hostinger International Limited', 'hosting'],
    ['EXAMPLE-DATACENTER-AS', 'hosting'],
    ['Some Cloud Computing GmbH', 'hosting'],
    ['Quick VPS, LLC', 'hosting'],
    ['Example Telecom Cloud', 'residential'],
    ['Wildfire Broadband', 'residential'],
    ['Example_Cable_and_Fibre', 'residential'],
    ['Kabelnet', 'residential'],
    ['Example Mobile Telecommunications', 'mobile'],
    ['MOBILITY-AS', 'mobile'],
    ['University of Somewhere', 'education'],
    ['Universidad de Ejemplo', 'education'],
    ['North County School District', 'education'],
    ['PrivateVPN Servers', 'anonymous'],
    ['Proxy Rack Ltd', 'anonymous'],
    ['First Example Bank', 'business'],
    ['City of Example', 'business'],
  ];
  for (const [name, expected] of names) t.equal(named(name), expected, name);
  t.end();
});

t.test('what fits nothing is unknown, never guessed', (t) => {
  for (const name of ['', 'ACME', 'Example Ltd', 'Ghostwriters', 'Riverbank Studios', 'Oxisp', 'Preschooling'])
    t.equal(named(name), null, name);
  t.equal(classifyNetwork({ asn: null, organization: null, anonymous: false }), null);
  t.equal(classifyNetwork({ asn: 64_500, organization: null, anonymous: false }), null);
  t.end();
});

t.test('no name makes it throw or answer outside the classes', (t) => {
  const classes = new Set([null, 'residential', 'mobile', 'hosting', 'anonymous', 'education', 'business']);
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (name) => classes.has(named(name))));
  t.equal(named(`${'a '.repeat(5_000)}hosting`), null, 'only the head of an endless name is read');
  t.end();
});
