/**
 * Every bound on what a caller may send or what the service may hold at once.
 * One home for each number: schemas, adapters and documentation read it from here.
 */

/** Largest request body in bytes; the bulk outcome form (1,000 events) fits with room to spare. */
export const bodyBytesMax = 1_048_576;

/** Largest body of a call without a credential in bytes, unless its route states another: anybody may send it, and it is parsed before anything is known of them. */
export const publicBodyBytesMax = 65_536;

/** Largest body of disputes in bytes: 10,000 rows with a place, a source and a short note. */
export const disputeBytesMax = 4_194_304;

/** Largest probe body in bytes; a real load phase takes 1.9-2.8 KB. */
export const probeBytesMax = 16_384;

/** How long the vh_token of a study’s survey is good for, in seconds: a respondent who comes back late may still be taken. */
export const studyTokenSeconds = 86_400;

/** Longest identifier a caller may choose (sessionId, sourceId, studyId, hashes), in characters. */
export const callerIdLengthMax = 256;

/** Longest user agent that is looked at, in characters. */
export const userAgentLengthMax = 1_024;

/** How long a probe waits for its scoring call, in seconds. */
export const probeKeepSeconds = 86_400;

/** How long an update waits for the load message of its page, in seconds. */
export const updateKeepSeconds = 3_600;

/** How long a retry of a score is answered with its receipt, and how long the counters store holds one that is not recorded, in seconds: longer than any consumer may lag behind. */
export const recentReceiptKeepSeconds = 86_400;

/** How long buyers and panels may reverse what they accepted: until the 25th of the following month, and a few days more. */
export const reversalWindowDays = 60;

/** How far an outcome may be dated ahead of the clock here, in hours. */
export const outcomeAheadHoursMax = 24;

/** Lists: default and largest page. */
export const pageDefault = 50;
export const pageMax = 200;

/** Largest verification envelope in bytes: 200 frames of 478 landmarks fit, or 300 of 68 many times over. */
export const envelopeBytesMax = 655_360;
/** Most commas and opening brackets of an envelope: an honest one has a thousand. One that is made of them takes a tenth of a second to parse. */
export const envelopeSeparatorsMax = 8_192;
/** Most of an envelope that is kept until its camera check ends. Browsers send a tenth of it. */
export const passiveBytesMax = 65_536;

/** Most frames of landmarks in an envelope. */
export const frameCountMax = 300;

/** Most challenges of a session. */
export const challengeCountMax = 8;

/** Longest base64 text of an envelope’s landmarks, in characters. */
export const landmarkCharactersMax = 520_000;

/** Range of a face embedding’s dimension. */
export const embeddingDimensionMin = 64;
export const embeddingDimensionMax = 2_048;

/** Most levels of objects and lists within each other in a request body; the deepest that means anything has six. */
export const nestingMax = 64;

/** Most frames whose pictures an envelope brings, and their longest side in pixels. */
export const evidenceFramesMax = 12;
export const evidenceFrameSideMax = 96;

/** Those pictures add at most this to the largest envelope, in bytes. */
export const evidenceBytesMax = 163_840;
