import t from 'tap';
import { leaveFamiliesOut, type Findings } from '../../bench/browsers/left-out.js';

const visit = (kind: Findings['kind'], family: string, ...codes: string[]): Findings => ({
  ...{ kind, family, codes },
  name: `${family} ${codes.join(' ')}`,
});

t.test('a family is flagged by what other families taught, and by nothing that it alone raises', async (t) => {
  const visits = [
    visit('driven', 'first', 'shared'),
    visit('driven', 'second', 'shared'),
    visit('driven', 'third', 'shared', 'own'),
    visit('driven', 'third', 'own'),
    visit('person', 'people'),
    visit('person', 'people'),
  ];
  t.strictSame(leaveFamiliesOut(visits), [
    { family: 'first', setUps: 1, missed: [] },
    { family: 'second', setUps: 1, missed: [] },
    { family: 'third', setUps: 2, missed: ['third own'] },
  ]);
});

t.test('what people raise as often as programs reveals nothing', async (t) => {
  const visits = [
    visit('driven', 'first', 'usual'),
    visit('driven', 'second', 'usual'),
    visit('person', 'people', 'usual'),
    visit('person', 'people', 'usual'),
  ];
  t.strictSame(
    leaveFamiliesOut(visits).map(({ missed }) => missed.length),
    [1, 1],
  );
});
