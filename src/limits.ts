/**
 * Every bound on what a caller may send or what the service may hold at once.
 * One home for each number: schemas, adapters and documentation read it from here.
 */

/** Largest request body in bytes; the bulk outcome form (1,000 events) fits with room to spare. */
export const bodyBytesMax = 1_048_576;

/** Largest probe body in bytes; a real load phase takes 1.9-2.8 KB. */
export const probeBytesMax = 16_384;

/** Longest identifier a caller may choose (sessionId, sourceId, studyId, hashes), in characters. */
export const callerIdLengthMax = 256;

/** Longest user agent that is looked at, in characters. */
export const userAgentLengthMax = 1_024;

/** How long a probe waits for its scoring call, in seconds. */
export const probeKeepSeconds = 86_400;

/** How long the counters store holds a recent receipt, in seconds: longer than any consumer may lag behind. */
export const recentReceiptKeepSeconds = 86_400;

/** Lists: default and largest page. */
export const pageDefault = 50;
export const pageMax = 200;
