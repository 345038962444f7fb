import t from 'tap';
import { outcomeTypes, reasonClasses, type OutcomeType, type ReasonClass } from '../../src/contract/outcome.js';
import { adjudicate, type StoredOutcome } from '../../src/scoring/outcomes/adjudication-rules.js';
import { readRepositoryFile } from '../helpers/repository.js';

const statement = (type: OutcomeType, reasonClass: ReasonClass | null, number: number): StoredOutcome => ({
  ...{ type, reasonClass, occurredAtMs: number, retracts: null, statement: number },
});

/** The effect of an event, by itself and on the credit of a complete. */
function effectOf(type: OutcomeType, reasonClass: ReasonClass | null): string {
  const event = statement(type, reasonClass, 2);
  const alone = adjudicate([event]);
  if (alone?.fraud === true) return alone.clawback ? 'clawback' : 'fraud';
  if (alone !== null) return 'credit';
  return adjudicate([statement('complete', null, 1), event]) === null ? 'void' : 'none';
}

t.test('docs/reference/outcomes.md says what every type does, bare and with each class, as the code decides it', (t) => {
  const [, table = ''] = readRepositoryFile('docs/reference/outcomes.md').split('| type | no class |');
  const [rows = ''] = table.split('\n\n');
  const cells = rows.split('\n').map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  const [head = [], , ...body] = cells;
  t.same(head.filter((name) => name !== ''), [...reasonClasses]);
  t.same(
    Object.fromEntries(body.map(([, type = '', ...effects]) => [type, effects.slice(0, 1 + reasonClasses.length)])),
    Object.fromEntries(
      outcomeTypes.map((type) => [type, [null, ...reasonClasses].map((reasonClass) => effectOf(type, reasonClass))]),
    ),
  );
  t.end();
});
