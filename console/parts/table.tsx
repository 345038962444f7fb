/** A table, which is a list of cards on a narrow screen. A column is its heading, its label on a card and its cells at once. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** On a card. Default: the name. */
  readonly label?: string;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The name is for readers who do not see the table. */
  readonly isNameHidden?: boolean;
  readonly look?: 'small' | 'codes';
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The column that names a row. Default: the first. */
  readonly head?: number;
  readonly look?: 'dense' | 'league';
}

export const Table = <Row,>({ columns, rows, keyOf, head = 0, look }: TableProps<Row>) => (
  <table class={`rows ${look ?? ''}`}>
    <thead>
      <tr>
        {columns.map(({ name, isNumber = false, isNameHidden = false }) => (
          <th key={name} scope="col" class={isNumber ? 'end' : ''}>
            {isNameHidden ? <span class="hidden-label">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(
            ({ name, label = name, cell, isNumber = false, isNameHidden = false, look: cellLook = '' }, index) =>
              index === head ? (
                <th key={name} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={name}
                  class={`${isNumber ? 'end' : ''} ${cellLook}`}
                  {...(isNameHidden ? {} : { 'data-label': label })}
                >
                  {cell(row)}
                </td>
              ),
          )}
        </tr>
      ))}
    </tbody>
  </table>
);
