/** Sentences on the factors that lower the independence of a session. `{one|other}` follows the count. */
const english = {
  uncounted: 'Not measured: related sessions were not counted.',
  tooFew: 'Too few sessions: {count} in the last day; at least {total} are needed.',
  repeated: '{count} other {session|sessions} had the same input, like a replayed recording.',
  direct: '{count} of the last {total} sessions {shares|share} a device, respondent or IP address with this one.',
  linked: '{count} further {session is|sessions are} linked indirectly.',
  network: '{count} of the last {total} sessions came from this network.',
  oneNetwork: 'The last {total} sessions came from one network.',
  networks: 'The last {total} sessions came from only {count} networks, most from a few.',
  wide: 'Only {count} {session|sessions}: limits are wide below {total}.',
};

export type FactorTexts = Readonly<Record<keyof typeof english, string>>;
export const englishFactors: FactorTexts = english;
