/** Words for the reply’s codes. A code that is not listed is shown unchanged. */

export const recommendations = {
  allow: { label: 'Allow', tone: 'good', advice: 'Let this respondent in.' },
  review: { label: 'Review', tone: 'warn', advice: 'Keep the answers and review them before you count them.' },
  step_up: { label: 'Step up', tone: 'info', advice: 'Ask this respondent for a verification.' },
  block: { label: 'Block', tone: 'bad', advice: 'Do not let this respondent in.' },
};

export const verdictClasses = {
  human: 'Looks human',
  fraud: 'Looks like fraud',
  verified_agent: 'A verified agent',
  unknown: 'Not decided',
};

export const verdictMeanings = {
  human: 'The browser was measured, and its risk is low.',
  fraud: 'Several kinds of evidence show that this session is not what it claims to be.',
  verified_agent: 'The session belongs to software that signed its requests with a trusted key.',
  unknown: 'Too little was measured, or the evidence is neither clean nor clearly fraudulent.',
};

export const axes = {
  network: ['Network', 'The address and the network it belongs to.'],
  device: ['Device', 'The browser and the machine.'],
  velocity: ['Velocity', 'How many sessions, and how fast.'],
  behavior: ['Behavior', 'How the page was used.'],
  history: ['History', 'Outcomes of earlier sessions.'],
  duplicate: ['Duplicate', 'Whether this respondent took part before.'],
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
  shared: ['Shares links with others', 'warn'],
  concentrated: ['Part of a cluster', 'bad'],
};

export const independenceGrades = { direct: 'Direct links', linked: 'Links through other sessions' };

export const degradedSignals = {
  client_probe_missing:
    'No probe data arrived. Only the request was measured. An ad blocker or leaving the page early can cause this.',
  organization_key: 'An organization key scored, so nothing was counted or joined. Use a project key.',
  respondent_id_equals_session_id:
    'The respondent id equals the session id, so it was ignored. Send an id that stays with the person.',
  supplier_stats_deprecated_alias: 'The request used supplierStats, which is deprecated. Send respondentStats.',
  geo_unavailable: 'The country of this IP address is unknown. The operator can add a country database.',
  network_unavailable: 'The network type of this IP address is unknown. The operator can add a network database.',
  counters_unavailable: 'The counter store did not answer, so rates and repeats were not counted.',
  history_unavailable: 'Earlier outcomes could not be read, so they were not scored.',
  probe_unreadable: 'The probe store did not answer, so device and behavior may be missing.',
  probe_unusable: 'Probe data arrived, but it did not describe the device.',
};

export const severities = {
  high: ['High', 'bad'],
  medium: ['Medium', 'warn'],
  low: ['Low', 'info'],
  info: ['Info', 'plain'],
};

export const findingClasses = {
  bound: 'Impossible in a legitimate session',
  record: 'Already adjudicated',
  correlate: 'Statistical',
  exculpatory: 'In favor',
  diagnostic: 'About the measurement',
};

export const assurances = {
  can_step_up_to_biometric: 'A camera check is available',
  can_step_up_to_captcha: 'A captcha is available',
  none: 'No step-up is available',
};

export const intensities = { none: 'Not requested', light: 'Light: captcha', heavy: 'Heavy: camera check' };
