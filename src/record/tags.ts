/**
 * What the bytes of a packed value begin with. A value is its tag and what the tag says; texts that come again and again are one or two bytes.
 * Frozen: records of years are read by it.
 */

/** First byte of everything packed here. */
export const mark = 0xc1;

export const tags = {
  /** 0 to 63 as they are. */
  integersEnd: 0x40,
  /** The first words of the list. */
  words: 0x40,
  wordsEnd: 0xc0,
  null: 0xc0,
  false: 0xc2,
  true: 0xc3,
  /** A field that is not there, which is not null. */
  absent: 0xc4,
  /** A further word, by one byte. */
  word: 0xc5,
  /** A text of this part again, by its place among the long ones. */
  again: 0xc6,
  positive: 0xc7,
  negative: 0xc8,
  /** A number with one, two or three decimals as a whole number of them, its sign in the lowest bit. */
  tenths: 0xc9,
  hundredths: 0xca,
  thousandths: 0xcb,
  double: 0xcc,
  /** UTF-8 behind its length. */
  text: 0xcd,
  /** Lower-case hexadecimal digits: 8, 16, 32. */
  hex4: 0xce,
  hex8: 0xcf,
  hex16: 0xd0,
  /** An identifier: which prefix, then 32 digits. */
  id: 0xd1,
  bytes: 0xd2,
  list: 0xd3,
  /** Names and values. */
  map: 0xd4,
  /** Values in the order of a shape, without those that are missing at its end. */
  shaped: 0xd5,
  /** The same, and a map of what the shape does not know. */
  shapedAndMore: 0xd6,
  /** 0 to 31 bytes of UTF-8. */
  shortText: 0xe0,
} as const;

/** Whole numbers of these are tried for a number with decimals. */
export const decimals = [
  [tags.tenths, 10],
  [tags.hundredths, 100],
  [tags.thousandths, 1_000],
] as const;

export const idPrefixesInOrder = ['rcpt_', 'org_', 'proj_', 'key_', 'sess_', 'study_'] as const;

/** Texts from this length on are referred to where they come again. */
export const againFrom = 20;

/** Nesting that no record of ours has. */
export const depthMax = 64;
