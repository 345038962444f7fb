/** Days of UTC as lists are asked for them: YYYY-MM-DD. */
export const dayMs = 86_400_000;

/** There is no year 0, and the database takes none. */
const firstDate = '0001-01-01';

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Start of the day. null if the calendar has no such day: the 30th of February is not the 2nd of March. */
export function timeOfDate(date: string): number | null {
  if (date < firstDate) return null;
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  return Number.isNaN(ms) || dateOf(ms) !== date ? null : ms;
}
