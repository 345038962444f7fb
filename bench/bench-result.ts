/** The result of a bench: a table for people, and the ratios that its last line prints as JSON. */
export interface BenchResult {
  readonly table: string;
  readonly ratios: Readonly<Record<string, number>>;
}
