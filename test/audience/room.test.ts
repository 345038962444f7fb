/** Studies that withdrawals fill above their sample or quotas, on PostgreSQL and embedded: nobody loses a place, and nobody else gets in. */
import t, { type Test } from 'tap';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { placeOf } from '../helpers/fielding.js';
import { makeStudy, tokenOf } from '../helpers/reservations.js';
import { current, reversalsOf } from '../helpers/reversals.js';

t.setTimeout(120_000);

function testRoom(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('room', async (t) => {
    const { database } = await open(t);
    const { instance, dispute, withdraw, complete, patch } = await reversalsOf(t, database);

    t.test('a complete above the sample or its quota takes nothing from who holds the place that it had', async (t) => {
      for (const study of [
        await makeStudy(database, 1),
        await makeStudy(database, 9, [{ name: 'women', gender: 'female', limit: 1 }]),
      ]) {
        const place = await complete(study, 'a', 'female');
        await dispute(study, [{ place, reason: 'fraud' }]);
        const token = tokenOf(await instance.enter(study, 'b', 'female'));
        await withdraw(study, place);
        t.match(await instance.enter(study, 'c', 'female'), { page: 'full' });
        t.match(await instance.report(study, token, 'complete'), { completion: 'confirmed' });
        t.match(await current(database, study), { held: 2, verified: 2, completed: 2 });
      }
      const study = await makeStudy(database, 1);
      await database.query("UPDATE studies SET returns = 'confirmed' WHERE study_id = $1", [study.studyId]);
      const tokens = [tokenOf(await instance.enter(study, 'a'))];
      await instance.returns.comeBack(tokens[0] ?? '', 'complete');
      const place = placeOf(tokens[0] ?? '');
      await dispute(study, [{ place, reason: 'fraud' }]);
      tokens.unshift(tokenOf(await instance.enter(study, 'b')));
      t.match(await withdraw(study, place), { completion: 'unconfirmed' });
      for (const token of tokens)
        t.match(await instance.report(study, token, 'complete'), { completion: 'confirmed' }, 'in either order');
    });

    t.test(
      'a complete above the sample counts as one until there is room, whatever the sample is afterwards',
      async (t) => {
        const women = (limit: number) => ({ audience: { quotas: [{ name: 'women', gender: 'female', limit }] } });
        const sample = (size: number) => ({ audience: { sample_size: size } });
        for (const [study, sized] of [
          [await makeStudy(database, 1), sample],
          [await makeStudy(database, 9, [{ name: 'women', gender: 'female', limit: 1 }]), women],
        ] as const) {
          const place = await complete(study, 'r1', 'female');
          await dispute(study, [{ place, reason: 'fraud' }]);
          const second = tokenOf(await instance.enter(study, 'r2', 'female'));
          await withdraw(study, place);
          t.match(await instance.report(study, second, 'complete'), { completion: 'confirmed' });
          await patch(study, sized(3));
          const third = tokenOf(await instance.enter(study, 'r3', 'female'));
          await patch(study, sized(2));
          t.match(await instance.report(study, third, 'complete'), { status: 'terminated', completion: null });
          t.match(await current(database, study), { completed: 2 });
        }
      },
    );

    t.test(
      'of several completes above the sample, those that a larger one has room for take their place',
      async (t) => {
        const women = (limit: number) => ({ audience: { quotas: [{ name: 'women', gender: 'female', limit }] } });
        const sample = (size: number) => ({ audience: { sample_size: size } });
        for (const [study, sized] of [
          [await makeStudy(database, 2), sample],
          [await makeStudy(database, 9, [{ name: 'women', gender: 'female', limit: 2 }]), women],
        ] as const) {
          const places = [await complete(study, 'a', 'female'), await complete(study, 'b', 'female')];
          for (const place of places) await dispute(study, [{ place, reason: 'fraud' }]);
          const tokens = [];
          for (const rid of ['c', 'd']) tokens.push(tokenOf(await instance.enter(study, rid, 'female')));
          for (const place of places) await withdraw(study, place);
          await patch(study, sized(3));
          await patch(study, sized(2));
          const answers = [];
          for (const token of tokens) answers.push((await instance.report(study, token, 'complete')).completion);
          t.same(answers, ['confirmed', null]);
          t.match(await current(database, study), { completed: 3 });
        }
      },
    );

    t.test('a study above its sample and quotas may change, but for what makes them smaller', async (t) => {
      const women = { name: 'women', gender: 'female', limit: 1 };
      const study = await makeStudy(database, 1, [women]);
      const place = await complete(study, 'a', 'female');
      await dispute(study, [{ place, reason: 'fraud' }]);
      await complete(study, 'b', 'female');
      await withdraw(study, place);
      await patch(study, { name: 'another' });
      await patch(study, { audience: { sample_size: 1, quotas: [women, { name: 'men', gender: 'male', limit: 9 }] } });
      await patch(study, { audience: { quotas: [{ ...women, name: 'renamed', gender: 'Female' }] } });
      t.match(await current(database, study), { verified: 2, sampleSize: 1 });
      const refused = { code: 'CONFLICT', message: /2 respondents are already verified/ };
      await t.rejects(patch(study, { audience: { quotas: [{ name: 'all', limit: 1 }] } }), refused, 'a new quota');
      await patch(study, { audience: { sample_size: 5, quotas: [{ ...women, limit: 3 }] } });
      await t.rejects(patch(study, { audience: { sample_size: 1 } }), refused);
      await t.rejects(patch(study, { audience: { quotas: [women] } }), refused);
    });
  });
}

onBothStores(t, 'room', testRoom);
