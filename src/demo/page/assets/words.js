/** What the reply’s codes mean, in words. A code that is not here is shown as it is. */

export const recommendations = {
  allow: { label: 'Allow', tone: 'good', advice: 'Let this respondent in.' },
  review: { label: 'Review', tone: 'warn', advice: 'Keep the answers, and have somebody look before they count.' },
  step_up: { label: 'Step up', tone: 'info', advice: 'Ask this respondent for one more proof.' },
  block: { label: 'Block', tone: 'bad', advice: 'Do not let this respondent in.' },
};

export const verdictClasses = {
  human: 'Looks human',
  fraud: 'Looks like fraud',
  verified_agent: 'A verified agent',
  unknown: 'Not decided',
};

export const verdictMeanings = {
  human: 'The browser was measured, and nothing about it or its use is risky enough to doubt.',
  fraud: 'Several kinds of evidence agree that this session is not what it says it is.',
  verified_agent: 'The session belongs to software that signed for itself with a trusted key.',
  unknown: 'Either too little was measured to call this a human, or what was seen is neither clean nor clearly fraud.',
};

export const axes = {
  network: ['Network', 'The address and the network it belongs to.'],
  device: ['Device', 'The browser and the machine.'],
  velocity: ['Velocity', 'How often, and how fast one after another.'],
  behavior: ['Behavior', 'How the page was used.'],
  history: ['History', 'What became of earlier sessions.'],
  duplicate: ['Duplicate', 'Whether somebody takes part twice.'],
};
export const riskAxes = ['network', 'device', 'velocity', 'behavior', 'history'];

export const duplicateBands = {
  none: ['No repeat seen', 'good'],
  possible: ['Possible repeat', 'info'],
  likely: ['Likely repeat', 'warn'],
  confirmed: ['Confirmed repeat', 'bad'],
};

export const independenceBands = {
  independent: ['Independent', 'good'],
  shared: ['Shares something with others', 'warn'],
  concentrated: ['Part of a cluster', 'bad'],
};

export const independenceGrades = { direct: 'Through this session itself', linked: 'Through other sessions' };

export const degradedSignals = {
  client_probe_missing:
    'No message of the probe arrived for this session, so neither browser nor behavior was measured. An ad blocker or a page left too early does this.',
  respondent_id_equals_session_id:
    'The respondent id was the session id, which says nothing about a person, so it was ignored.',
  supplier_stats_deprecated_alias: 'The request used supplierStats, the old name of respondentStats.',
  geo_unavailable:
    'The country of this address is not known. The service reads it from a file that its operator provides.',
  network_unavailable:
    'The kind of network of this address is not known. The service reads it from a file that its operator provides.',
  counters_unavailable: 'The store of counters did not answer, so rates and repeats were not counted this time.',
  history_unavailable: 'Earlier outcomes could not be read, so they neither helped nor hurt.',
  probe_unreadable: 'The store of probe messages did not answer, so it is not known whether the probe reported.',
  probe_unusable: 'The probe reported, but its message did not describe the device.',
};

export const severities = {
  high: ['High', 'bad'],
  medium: ['Medium', 'warn'],
  low: ['Low', 'info'],
  info: ['Info', 'plain'],
};

export const findingClasses = {
  bound: 'Cannot happen in an honest session',
  record: 'Decided by an authority before',
  correlate: 'Statistical',
  exculpatory: 'In favor',
  diagnostic: 'About the measurement',
};

export const assurances = {
  can_step_up_to_biometric: 'A camera check can be asked for',
  can_step_up_to_captcha: 'A captcha can be asked for',
  none: 'No further proof is set up',
};

export const intensities = { none: 'None asked for', light: 'Light, a captcha', heavy: 'Heavy, a phone or an ID' };
