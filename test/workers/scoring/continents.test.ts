import t from 'tap';
import { continentOf, continentOfZone } from '../../../workers/scoring/continents.js';

t.test('countries and zones know their continents, and what straddles two has both', (t) => {
  t.same(continentOf('DE'), ['eu']);
  t.same(continentOf('RU'), ['as', 'eu']);
  t.same(continentOf('US'), ['am', 'pa']);
  t.equal(continentOf('ZZ'), null);
  t.equal(continentOfZone('America/Indiana/Knox'), 'am');
  for (const zone of ['UTC', 'Etc/GMT', 'Atlantic/Reykjavik', '']) t.equal(continentOfZone(zone), null);
  t.end();
});
