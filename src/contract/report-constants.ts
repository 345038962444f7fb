/** Constants of reports that the console reads, too. Apart from the schemas, so that it stays small. */

export { reversalWindowDays } from '../limits.js';

/** Sessions of a source in either of two periods without which no drift is reported. */
export const driftSessionsMin = 30;

/** The name of all groups that are too small for shares of their own. */
export const otherGroups = 'other';
