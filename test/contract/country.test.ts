import t from 'tap';
import { countryCodePattern, describeUnknownCountry } from '../../src/contract/country.js';

const pattern = new RegExp(countryCodePattern, 'u');
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

t.test('the assigned codes are countries in either case, and nothing else is', (t) => {
  const taken = pairs.filter((pair) => pattern.test(pair));
  t.equal(taken.length, 249);
  for (const code of ['DE', 'de', 'Gb', 'gB', 'ZW', 'AD', 'SS']) t.match(code, pattern);
  for (const code of ['UK', 'uk', 'XK', 'EU', 'XX', 'ZZ', 'AN', 'SU', 'EL', 'D', 'DEU', ' DE', 'DE\n', '', '١٢']) {
    t.notMatch(code, pattern, code);
  }
  t.same(
    taken.filter((pair) => !pattern.test(pair.toLowerCase())),
    [],
  );
  t.end();
});

t.test('what is meant is named where it is known, and is itself a country', (t) => {
  t.match(describeUnknownCountry('uk'), /did you mean "GB"\?$/);
  t.notMatch(describeUnknownCountry('EU'), /did you mean/);
  t.match(describeUnknownCountry('xk'), /user-assigned.*leave it out/);
  t.notMatch(describeUnknownCountry('constructor'), /did you mean/);
  for (const pair of pairs) {
    const [, likely] = /mean "(..)"/.exec(describeUnknownCountry(pair)) ?? [];
    if (likely === undefined) continue;
    t.match(likely, pattern);
    t.notMatch(pair, pattern, 'an assigned code means itself');
  }
  t.end();
});
