/** How honest people fared by group: false reviews and blocks with their intervals. Small groups are folded into one, and named as that. */
import { otherGroups, reversalWindowDays } from '../../src/contract/report-constants.js';
import type { FairGroup, FairnessReply } from '../../src/contract/reports.js';
import { query, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { countColumn } from '../parts/columns.js';
import { Interval } from '../parts/interval.js';
import { Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { formatCount, plural, readable } from '../parts/words.js';

interface FairnessProps {
  readonly projectId: string;
  /** null: the whole project. */
  readonly sourceId: string | null;
}

export function Fairness({ projectId, sourceId }: FairnessProps) {
  const reply = useRead<FairnessReply>(`/lite/fairness${query({ projectId, sourceId: sourceId ?? undefined })}`);
  return (
    <section class="card">
      <h2>Fairness to honest people</h2>
      <p>
        Honest sessions have a complete that stood for {reversalWindowDays} days. Each group should be stopped as rarely
        as the others.
      </p>
      <Shown of={reply} what="the fairness">
        {(report) =>
          report.all.sessions < report.smallestGroup ? (
            <p class="muted">
              {plural(report.all.sessions, 'session counts', 'sessions count')} as honest yet. Shares need{' '}
              {report.smallestGroup}. Report completes to /lite/events.
            </p>
          ) : (
            <Groups report={report} />
          )
        }
      </Shown>
    </section>
  );
}

type Row = Pick<FairGroup, 'sessions' | 'reviewedShare' | 'blockedShare'> & {
  readonly by: FairGroup['by'] | null;
  readonly name: string;
};

const groupings = { country: 'Country', browser: 'Browser', device: 'Device' } as const;

function Groups({ report: { all, groups, complete, smallestGroup } }: { report: FairnessReply }) {
  const rows: readonly Row[] = [
    { ...all, by: null, name: 'All' },
    ...groups.map(({ value, ...group }) => ({ ...group, name: nameOf(value) })),
  ];
  return (
    <>
      <Table columns={columnsOf(all, smallestGroup)} rows={rows} keyOf={({ by, name }) => `${by} ${name}`} />
      <p class="muted small">
        {complete ? '' : `The newest ${formatCount(all.sessions)} honest sessions. `}
        Intervals are of 95%. Groups of fewer than {smallestGroup} sessions are folded into “Small groups together”.
      </p>
    </>
  );
}

function nameOf(value: string | null): string {
  if (value === null) return 'Not known';
  return value === otherGroups ? 'Small groups together' : readable(value);
}

const columnsOf = (all: FairnessReply['all'], sessionsMin: number): readonly Column<Row>[] => [
  {
    name: 'Group',
    cell: ({ by, name }) => (
      <>
        <span>{name}</span>
        {by !== null && <span class="muted small">{groupings[by]}</span>}
      </>
    ),
  },
  countColumn('Honest sessions', ({ sessions }) => sessions),
  shareColumn('Sent to review', 'reviewedShare', all, sessionsMin),
  shareColumn('Blocked', 'blockedShare', all, sessionsMin),
];

/** A group stands out if its interval lies above that of all sessions. */
const shareColumn = (
  name: string,
  which: 'reviewedShare' | 'blockedShare',
  { [which]: ofAll }: FairnessReply['all'],
  sessionsMin: number,
): Column<Row> => ({
  name,
  cell: ({ [which]: share, sessions }) => {
    if (share === null)
      return <span class="muted">{`Needs ${sessionsMin} sessions, has ${formatCount(sessions)}`}</span>;
    const isApart = ofAll !== null && share.low > ofAll.high;
    return (
      <Interval of={share}>
        {isApart && (
          <>
            {' '}
            <Badge value="above" tone="warn" text="More than all" />
          </>
        )}
      </Interval>
    );
  },
});
