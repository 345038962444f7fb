import t from 'tap';
import type { CountFacts, NetworkClass } from '../../../src/contract/facts.js';
import { weighVelocity } from '../../../workers/scoring/velocity.js';
import { readVisit } from '../../../workers/scoring/visit.js';
import { cleanCounts, cleanFacts } from '../../helpers/facts.js';

const raised = (counts: Partial<CountFacts>, network: NetworkClass | null = 'residential') =>
  weighVelocity(readVisit(cleanFacts({ counts: cleanCounts(counts), address: { ...cleanFacts().address, network } })));
const codes = (...of: Parameters<typeof raised>) => raised(...of).map(({ code }) => code);

t.test('a first visit raises nothing, and neither do missing counts', (t) => {
  t.same(codes({}), []);
  t.same(weighVelocity(readVisit(cleanFacts({ counts: null }))), []);
  t.same(
    weighVelocity(readVisit(cleanFacts({ measured: false, counts: cleanCounts({ deviceRespondentsDay: 9 }) }))),
    [],
  );
  t.end();
});

t.test('a device of six respondents is a farm; of a family it is not', (t) => {
  t.same(codes({ deviceRespondentsDay: 6 }), ['device_farm']);
  t.same(codes({ deviceRespondentsDay: 5 }), ['device_shared_many']);
  t.same(codes({ deviceRespondentsDay: 2 }), []);
  t.same(codes({ deviceRespondentsDay: null }), []);
  t.end();
});

t.test('one person’s repeats are not velocity', (t) => {
  t.same(codes({ deviceSessionsDay: 40, respondentDay: 40, respondentDevicesWeek: 12 }), []);
  t.end();
});

t.test('an address is measured by its kind of network', (t) => {
  const many = { addressRespondentsHour: 25, addressDevicesHour: 25 };
  t.same(codes(many), ['address_burst', 'address_concentrated']);
  t.same(codes(many, null), ['address_burst', 'address_concentrated']);
  t.same(codes(many, 'business'), []);
  t.same(codes(many, 'mobile'), ['shared_network_recognised']);
  t.same(codes(many, 'education'), ['shared_network_recognised']);
  t.same(codes({ addressRespondentsHour: 500 }, 'mobile'), [], '500 an hour is not exculpatory by itself');
  t.ok(
    (raised({ ...many, addressDevicesHour: 200 })[0]?.weight ?? 0) > (raised(many)[0]?.weight ?? 0),
    'more people weigh more',
  );
  t.same(codes({ addressRespondentsHour: 0, addressDevicesHour: 0, addressSessionsHour: 60 }), ['address_busy']);
  t.end();
});

t.test('an address of a carrier or a campus is compared with its own past', (t) => {
  for (const network of ['mobile', 'education'] as const) {
    const people = { addressRespondentsHour: 300, addressDevicesHour: 300 };
    t.same(codes({ ...people, sharedAddressHour: 300, sharedAddressDay: 500 }, network), ['address_burst']);
    t.same(codes({ ...people, sharedAddressHour: 300, sharedAddressDay: 3_000 }, network), [], 'as it usually does');
    t.same(codes({ ...people, sharedAddressHour: 300, sharedAddressDay: 300 }, network), [], 'without a past');
    t.same(codes({ ...people, sharedAddressHour: null, sharedAddressDay: null }, network), []);
  }
  t.end();
});

t.test('many people on one IPv6 address are many on one device, on any network', (t) => {
  for (const network of ['mobile', 'education', 'residential', null] as const) {
    t.ok(codes({ addressRespondentsHour: 7, hostPeopleHour: 30 }, network).includes('address_burst'));
    t.notOk(codes({ addressRespondentsHour: 7, hostPeopleHour: 7 }, network).includes('address_burst'));
    t.notOk(codes({ addressRespondentsHour: 7, hostPeopleHour: null }, network).includes('address_burst'));
  }
  t.end();
});

t.test('people who turn up together in a range that nobody had come from weigh, and by how many they are', (t) => {
  const weigh = (people: number, n: number | null, network: NetworkClass | null = 'residential', hour = 0) => {
    const counts = cleanCounts({
      prefixSessionsDay: people,
      ...(hour === 0 ? {} : { source: { hour, mean: hour, variance: hour, hours: 100 } }),
    });
    const history = {
      respondent: null,
      source: null,
      subSource: null,
      ...(n === null ? {} : { range: { n, fraud: 0 } }),
    };
    const facts = cleanFacts({ counts, history, address: { ...cleanFacts().address, network } });
    return weighVelocity(readVisit(facts)).find(({ code }) => code === 'range_new_crowd')?.weight ?? 0;
  };
  const byCount = [1, 2, 3, 6, 40].map((people) => weigh(people, 0));
  t.ok(byCount.every((weight, at) => at === 0 || weight >= (byCount[at - 1] ?? 0)));
  t.same([byCount[0], byCount[3], byCount[4]], [0, 2.5, 2.5]);
  t.ok((byCount[1] ?? 0) < 0.6, 'two may be a household');
  t.equal(weigh(6, 0.02), 0, 'somebody came on an earlier day');
  t.equal(weigh(6, null), 0, 'without outcomes nobody knows who came before');
  t.equal(weigh(6, 0, 'business'), 0, 'colleagues take up a study together');
  t.equal(weigh(6, 0, 'residential', 400), 0, 'in a large sample chance brings as many');
  t.end();
});

t.test('a household is recognised by a device for each of its people', (t) => {
  t.same(codes({ addressRespondentsHour: 3, addressDevicesHour: 4 }), ['household_recognised']);
  t.same(codes({ addressRespondentsHour: 4, addressDevicesHour: 1 }), ['address_concentrated']);
  t.same(codes({ addressRespondentsHour: 2, addressDevicesHour: 1 }), [], 'two may share a device');
  t.same(codes({ addressRespondentsHour: 1, addressDevicesHour: 6 }), [], 'one person’s devices are no crowd');
  t.end();
});

t.test('a network and a source are compared with their own past, once there is one', (t) => {
  t.same(codes({ prefixSessionsHour: 300, prefixSessionsDay: 500 }, 'mobile'), ['prefix_burst']);
  t.same(codes({ prefixSessionsHour: 300, prefixSessionsDay: 300 }, 'mobile'), []);
  t.same(codes({ prefixSessionsHour: 60, prefixSessionsDay: 600 }, 'mobile'), []);
  t.same(codes({ source: { hour: 90, mean: 20, variance: 30, hours: 100 } }), ['source_burst']);
  t.same(codes({ source: { hour: 90, mean: 20, variance: 30, hours: 3 } }), []);
  t.same(codes({ source: { hour: 25, mean: 20, variance: 30, hours: 100 } }), []);
  t.end();
});

t.test('people who come together on one network weigh by its kind, and less in a larger sample', (t) => {
  const together = { prefixSessionsHour: 1, prefixSessionsDay: 9 };
  t.same(codes(together), ['network_concentrated']);
  t.same(codes(together, 'hosting'), ['hosting_concentrated']);
  for (const shared of ['mobile', 'education', 'business'] as const) t.same(codes(together, shared), []);
  t.same(codes({ prefixSessionsDay: 2 }), [], 'two neighbors are chance');
  t.same(codes({ ...together, source: { hour: 400, mean: 400, variance: 400, hours: 100 } }), []);
  const weightOf = (people: number) => raised({ prefixSessionsDay: people })[0]?.weight ?? 0;
  t.ok(weightOf(4) > weightOf(3) && weightOf(40) >= weightOf(8));
  t.end();
});

t.test('people who come from one range within an hour weigh by its kind and number; a household does not', (t) => {
  const weightOf = (hour: number, network: NetworkClass | null = 'residential', counts: Partial<CountFacts> = {}) =>
    raised({ prefixSessionsHour: hour, prefixSessionsDay: hour, ...counts }, network).find(
      ({ code }) => code === 'network_crowd',
    )?.weight ?? 0;
  const byCount = [1, 2, 3, 6, 40].map((people) => weightOf(people));
  t.same([byCount[0], byCount[3], byCount[4]], [0, 3, 3]);
  t.ok(byCount.every((weight, at) => at === 0 || weight >= (byCount[at - 1] ?? 0)));
  t.ok((byCount[1] ?? 0) < 1, 'two may be neighbors');
  for (const network of ['mobile', 'education', 'business', 'anonymous'] as const) t.equal(weightOf(4, network), 0);
  t.equal(weightOf(3, 'residential', { addressRespondentsHour: 3, addressDevicesHour: 4 }), 0, 'a household');
  t.equal(
    weightOf(6, 'residential', { source: { hour: 400, mean: 400, variance: 400, hours: 100 } }),
    0,
    'a large sample',
  );
  t.equal(weightOf(40, null), 0, 'an unknown network may be an office or a carrier');
  t.end();
});
