/** Columns that several tables have: one kind of data has one name and one look, and nothing there reads the same everywhere. */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Badge } from './badge.js';
import { Meter } from './meter.js';
import { reasonName } from './reason-names.js';
import type { Column } from './table.js';
import { formatCount, formatTime } from './words.js';

/** Left out on a narrow screen. */
export const None = ({ text }: { text: string }) => <span class="muted none">{text}</span>;

export const textColumn = <Row,>(name: string, of: (row: Row) => string | null, none = 'None'): Column<Row> => ({
  name,
  cell: (row) => of(row) ?? <None text={none} />,
});

export const supplierColumn = <Row,>(of: (row: Row) => string | null): Column<Row> =>
  textColumn('Supplier', of, 'Not named');

export const reasonColumn = <Row,>(of: (row: Row) => string | null): Column<Row> =>
  textColumn(
    'Top reason',
    (row) => {
      const code = of(row);
      return code === null ? null : reasonName(code);
    },
    'Nothing against',
  );

export const timeColumn = <Row,>(name: string, of: (row: Row) => string | null, none = 'Never'): Column<Row> => ({
  name,
  cell: (row) => {
    const at = of(row);
    return at === null ? <None text={none} /> : <time dateTime={at}>{formatTime(at)}</time>;
  },
});

export const countColumn = <Row,>(name: string, of: (row: Row) => number): Column<Row> => ({
  name,
  isNumber: true,
  cell: (row) => formatCount(of(row)),
});

export const meterColumn = <Row,>(
  name: string,
  of: (row: Row) => readonly [value: number, of: number],
): Column<Row> => ({
  name,
  cell: (row) => {
    const [value, whole] = of(row);
    return <Meter value={value} of={whole} />;
  },
});

export const stateColumn = <Row,>(of: (row: Row) => string, name = 'State'): Column<Row> => ({
  name,
  cell: (row) => <Badge value={of(row)} />,
});

interface Verdict {
  readonly recommendation: string | null;
  readonly score: number | null;
}

export const verdictColumn = <Row,>(
  of: (row: Row) => Verdict,
  more: (row: Row) => ComponentChildren = () => null,
): Column<Row> => ({
  name: 'Verdict',
  cell: (row) => {
    const { recommendation, score } = of(row);
    if (recommendation === null) return <None text="Not scored" />;
    return (
      <span>
        <Badge value={recommendation} /> <span class="number">{score}</span> {more(row)}
      </span>
    );
  },
});

interface SessionLinkProps {
  readonly projectId: string;
  readonly sessionId: string;
  /** Default: the session’s id. */
  readonly text?: string;
  /** The query of the list of sessions, to which the page of the session leads back. */
  readonly filters?: string;
}

export const SessionLink = ({ projectId, sessionId, text = sessionId, filters = '' }: SessionLinkProps) => (
  <Link href={`/${projectId}/sessions/${encodeURIComponent(sessionId)}`} state={{ filters }} class="id">
    {text}
  </Link>
);

export const sessionColumn = <Row extends { readonly sessionId: string }>(projectId: string): Column<Row> => ({
  name: 'Session',
  cell: ({ sessionId }) => <SessionLink projectId={projectId} sessionId={sessionId} />,
});
