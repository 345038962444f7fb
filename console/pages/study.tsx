/** One study: whether it fills, why respondents were refused, quotas, suppliers, and moving it from launch to close. */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import { useRead, type Read } from '../api.js';
import { usePostbacks } from '../postbacks.js';
import { Badge } from '../parts/badge.js';
import { meterColumn, textColumn } from '../parts/columns.js';
import { Stacks } from '../parts/day-chart.js';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Title } from '../parts/title.js';
import { formatTime } from '../parts/words.js';
import { StudyFunnel } from './study-funnel.js';
import { StudyMoves } from './study-moves.js';
import { StudyOutlook } from './study-outlook.js';
import { StudyRefusedLinks } from './study-refused-links.js';
import { StudyRespondents } from './study-respondents.js';
import { StudySuppliers } from './study-suppliers.js';

export function StudyPage({ projectId, studyId }: { projectId: string; studyId: string }) {
  const path = `/studies/${encodeURIComponent(studyId)}`;
  const study = useRead<StudyReply>(path, 'audience');
  const suppliers = useRead<StudyReport>(`${path}/report?by=source`, 'audience');
  const days = useRead<StudyReport>(`${path}/report?by=day`, 'audience');
  const hasSuppliers = suppliers.data?.rows.some(({ supplierId }) => supplierId !== null) === true;
  const postbacks = usePostbacks(hasSuppliers ? studyId : null);
  const [round, setRound] = useState(0);
  const reload = (): void => {
    [study, suppliers, days, postbacks].forEach((each) => each.reload());
    setRound(round + 1);
  };
  return (
    <>
      <p class="back">
        <Link href={`/${projectId}/studies`}>← Studies</Link>
      </p>
      <Shown of={study} what="the study">
        {(shown) => (
          <div class="stack">
            <div>
              <Title text={shown.name} reload={reload} />
              <p class="facts">
                <Badge value={shown.status} />
                <span>{shown.audience.countries.join(', ')}</span>
                <span>{shown.audience.language}</span>
                <span>{shown.audience.entry === 'signed' ? 'Signed links' : 'Open links'}</span>
                <time dateTime={shown.createdAt}>{formatTime(shown.createdAt)}</time>
              </p>
            </div>
            <RoleNotice />
            <StudyOutlook study={shown} />
            <AdminOnly>
              <StudyMoves path={path} study={shown} moved={reload} />
            </AdminOnly>
            <StudyFunnel progress={shown.progress} />
            <Quotas progress={shown.progress} />
            <Shown of={suppliers} what="suppliers">
              {({ rows, refusedLinks }) => (
                <div class="stack">
                  {refusedLinks.length > 0 && <StudyRefusedLinks links={refusedLinks} />}
                  {rows.length > 0 && <StudySuppliers {...{ projectId, rows }} postbacks={postbacks.data} />}
                </div>
              )}
            </Shown>
            <Days of={days} />
            <StudyRespondents projectId={projectId} path={path} round={round} />
          </div>
        )}
      </Shown>
    </>
  );
}

const Quotas = ({ progress: { quotas } }: Pick<StudyReply, 'progress'>) =>
  quotas.length === 0 ? null : (
    <section class="card">
      <h2>Quotas</h2>
      <Table columns={quotaColumns} rows={quotas} keyOf={({ name }) => name} />
    </section>
  );

type Quota = StudyReply['progress']['quotas'][number];

const quotaColumns: readonly Column<Quota>[] = [
  textColumn('Quota', ({ name }) => name),
  meterColumn('Places taken', ({ held, limit }) => [held, limit]),
  meterColumn('Completed', ({ completed, limit }) => [completed, limit]),
  {
    name: 'State',
    cell: ({ held, limit }) => <Badge value={held >= limit ? 'full' : 'open'} tone={held >= limit ? 'warn' : 'good'} />,
  },
];

const kinds = [
  ['completed', 'Completed', 'good'],
  ['open', 'Other entries', 'info'],
  ['refused', 'Screened out', 'bad'],
] as const;

const Days = ({ of }: { of: Read<StudyReport> }) => (
  <Shown of={of} what="days">
    {({ rows }) =>
      rows.length === 0 ? null : (
        <section class="card">
          <h2>Entries a day</h2>
          <Stacks
            label="Entries a day by what became of them"
            kinds={kinds}
            days={rows.map(({ day, entries, completed, screenedOut }) => {
              const { full, duplicate, quality, targeting, limit } = screenedOut;
              const refused = full + duplicate + quality + targeting + limit;
              return { day: day ?? '', completed, refused, open: entries - completed - refused };
            })}
          />
        </section>
      )
    }
  </Shown>
);
