import t from 'tap';
import { roomOf } from '../../src/contract/study-capacity.js';

t.test('quotas that together cover everyone bound the sample, and others do not', (t) => {
  const room = (quotas: Parameters<typeof roomOf>[1]): number => roomOf(['DE', 'FR'], quotas, 40);
  const german = { name: 'German', country: 'DE', limit: 12 };
  const french = { name: 'French', country: 'FR', limit: 8 };
  t.equal(room([]), 40);
  t.equal(room([german, french]), 20, 'all countries');
  t.equal(room([german]), 40, 'one country stays open');
  t.equal(room([german, { ...french, gender: 'female' }]), 40, 'other respondents of a country stay open');
  t.equal(
    room([
      { ...german, limit: 30 },
      { ...french, limit: 30 },
    ]),
    40,
    'at most the sample',
  );
  t.equal(room([german, french, { name: 'All', limit: 5 }]), 5);
  t.end();
});
