/** Disputes as large as a call takes, on the real stores: every row is answered, memory stays bounded, and the same again changes nothing. */
import t from 'tap';
import type { DisputeReply, DisputeRow } from '../../src/contract/study-disputes.js';
import { disputeNoteMax, disputeRowsMax } from '../../src/contract/study-disputes.js';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import { disputeBytesMax } from '../../src/limits.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { callerOf, creation, enter, placeAt } from '../helpers/fielding.js';
import { startProcess } from '../helpers/process.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { findStack } from '../helpers/stores.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { flattenFigures, recountStudy } from '../helpers/study-recount.js';

t.setTimeout(480_000);
/** The heap of the service, in MB. A process that needs more is ended by its runtime; with 160 it takes ten times as much processor, to collect garbage. */
const heapMegabytes = 192;
/** A reversal takes two milliseconds of a database, and more with another process beside it; the other rows are answered without one. */
const completes = 1_000;
const stack = findStack(t, 'large disputes');

if (stack !== null) {
  const settings = await realStoreSettings(t, stack);
  const service = startProcess(t, {
    ...{ ...settings, VH_DATA_DIR: temporaryDirectory(t), VH_POOL_THREADS: '1' },
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
  });
  const { audienceUrl, organizationKey } = await service.ready();
  const call = callerOf(audienceUrl, organizationKey);
  const database = await openPostgres({ url: settings.DATABASE_URL, poolMax: 1, deadlineMs: 60_000 });
  t.teardown(() => database.close());
  const audience = {
    ...{ countries: ['DE'], language: 'en', sample_size: completes + 1 },
    quotas: [{ name: 'all', limit: completes + 1 }],
  };
  const study = (await call('POST', '/studies', creation('https://survey.example.com/', { audience })))
    .body as CreatedStudyReply;
  const path = `/studies/${study.studyId}`;
  await call('POST', `${path}/launch`);
  await fill();
  const inSurvey = placeAt((await enter(study, { rid: 'in-survey', src: 's' })).location);

  /** One respondent completes; the others are copies of that place, under ids of their own, with every count of it. */
  async function fill(): Promise<void> {
    const place = placeAt((await enter(study, { rid: 'r-1', src: 's' })).location);
    const returned = await call('POST', `${path}/returns`, { place, status: 'complete' }, study.surveyKey);
    if (returned.status !== 200) throw new Error(returned.text);
    const copies = completes - 1;
    await database.query(
      `INSERT INTO study_places SELECT (jsonb_populate_record(p, jsonb_build_object(
         'place_id', left(p.place_id, -5) || lpad(to_hex(n), 5, '0'), 'respondent_id', 'r-' || n, 'respondent_ref', p.respondent_ref || n,
         'device_ref', NULL, 'address_ref', NULL, 'network_ref', NULL, 'outcome_due', false, 'exit_due', false))).*
         FROM study_places p, generate_series(2, $2 + 1) n WHERE p.study_id = $1`,
      [study.studyId, copies],
    );
    const counts = ['held', 'verified', 'completed'];
    for (const [table, names] of Object.entries({
      ...{ studies: ['entered', ...counts], study_tallies: ['entered', ...counts] },
      ...{ study_quotas: counts, study_kinds: counts },
    }))
      await database.query(
        `UPDATE ${table} SET ${names.map((name) => `${name} = ${name} * $2`).join(', ')} WHERE study_id = $1`,
        [study.studyId, completes],
      );
    await database.query(
      `UPDATE study_tallies SET seconds = (SELECT jsonb_object_agg(key, value::int * $2) FROM jsonb_each_text(seconds)) WHERE study_id = $1`,
      [study.studyId, completes],
    );
  }

  const send = async (type: string, body: string) => {
    const response = await fetch(`${audienceUrl}${path}/disputes`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${organizationKey}`, 'content-type': type },
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as DisputeReply };
  };
  const asJson = (rows: readonly DisputeRow[]) => send('application/json', JSON.stringify({ rows }));
  const asCsv = (rows: readonly DisputeRow[]) =>
    send(
      'text/csv',
      [
        'rid,place,reason,note',
        ...rows.map(({ rid = '', place = '', reason, note = '' }) => [rid, place, reason, note]),
      ].join('\r\n'),
    );
  const report = async (): Promise<StudyReport['totals']> =>
    ((await call('GET', `${path}/report`)).body as StudyReport).totals;
  const recount = async () => {
    const { key: _key, medianSeconds: _median, ...all } = (await recountStudy(database, study.studyId, null))[0]!;
    return all;
  };
  const rows = (from: number, to: number): DisputeRow[] =>
    Array.from({ length: to - from + 1 }, (_, n) => ({ rid: `r-${from + n}`, reason: 'quality', note: `wave ${n}` }));

  t.test(
    'ten thousand rows are answered in their order, in bounded memory; the same again changes nothing',
    async (t) => {
      t.match(flattenFigures({ ...(await report()) }), await recount(), 'the study counts its places');
      const half = completes / 2;
      const asked: readonly DisputeRow[] = [
        ...rows(1, half),
        ...rows(1, half),
        ...Array.from({ length: disputeRowsMax - completes - 1 }, (_, n) => ({
          rid: `nobody-${n}`,
          reason: 'fit' as const,
        })),
        { place: inSurvey, reason: 'fraud' },
      ];
      t.equal(asked.length, disputeRowsMax);
      const first = await asJson(asked);
      t.equal(first.status, 200, first.text.slice(0, 300));
      const counts = {
        received: disputeRowsMax,
        ambiguous: 0,
        unknown: disputeRowsMax - completes - 1,
        notCompleted: 1,
      };
      t.match(first.body, { ...counts, reversed: half, already: half });
      t.same(
        first.body.rows.map(({ rid, result }) => `${rid} ${result}`),
        asked.map(({ rid = 'in-survey' }, n) => {
          const known = n < half ? 'reversed' : 'already';
          const result = rid.startsWith('nobody') ? 'unknown' : known;
          return `${rid} ${rid === 'in-survey' ? 'not_completed' : result}`;
        }),
      );
      const table = await asCsv(rows(1, disputeRowsMax));
      t.match(table.body, {
        received: disputeRowsMax,
        reversed: half,
        already: half,
        unknown: disputeRowsMax - completes,
      });
      t.same(
        table.body.rows.map(({ rid, result }) => `${rid} ${result}`),
        rows(1, disputeRowsMax).map(({ rid }, n) => {
          const known = n < half ? 'already' : 'reversed';
          return `${rid} ${n < completes ? known : 'unknown'}`;
        }),
      );
      const after = await report();
      t.match(after, { completed: 0, reversed: completes });
      t.match(flattenFigures({ ...after }), await recount());

      const again = await asJson(asked);
      t.match(again.body, { ...counts, reversed: 0, already: completes });
      t.match((await asCsv(rows(1, disputeRowsMax))).body, { reversed: 0, already: completes });
      t.same(await report(), after);
      t.equal(service.child.exitCode, null, service.output().stderr.slice(-500));
    },
  );

  t.test('more than a call takes is refused with its limit, and changes nothing', async (t) => {
    const before = await report();
    const many = rows(1, disputeRowsMax + 1);
    for (const refused of [await asJson(many), await asCsv(many)]) {
      t.equal(refused.status, 400);
      t.match(refused.text, new RegExp(`/rows.*${disputeRowsMax}`), 'the limit of rows');
    }
    const long = rows(1, disputeRowsMax).map((row) => ({ ...row, note: 'x'.repeat(disputeNoteMax) }));
    for (const refused of [await asJson(long), await asCsv(long)]) {
      t.equal(refused.status, 413);
      t.match(refused.text, new RegExp(String(disputeBytesMax)), 'the limit of bytes');
    }
    t.same(await report(), before);
  });
}
