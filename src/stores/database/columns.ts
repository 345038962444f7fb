/** Rows as the arrays that `unnest` takes: of each field, the values of all rows. */
export const columnsOf = <Row, Name extends keyof Row>(
  rows: readonly Row[],
  ...names: readonly Name[]
): readonly (readonly Row[Name][])[] => names.map((name) => rows.map((row) => row[name]));
