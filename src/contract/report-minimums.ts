/** Sessions of a source in either of two periods without which no drift is reported. Apart from the schemas, so that the console stays small. */
export const driftSessionsMin = 30;
