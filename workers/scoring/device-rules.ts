/** Findings of the device axis, and what reads as one. */
import { rulesOf, type Rules } from './model.js';

const automation = rulesOf('device', 'correlate', 'automation');
const lies = rulesOf('device', 'correlate', 'lies');
const consistency = rulesOf('device', 'correlate', 'consistency');
const pages = rulesOf('device', 'correlate', 'pages');
const correlate = rulesOf('device', 'correlate');
const diagnostic = rulesOf('device', 'diagnostic');
const exculpatory = rulesOf('device', 'exculpatory');

export const deviceRules = {
  headless_user_agent: automation('high', 4.5, 'The browser says that it runs without a screen, as programs run it.'),
  webdriver: automation('high', 4.5, 'The browser reports that automation controls it.'),
  automation_globals: automation('high', 4.5, 'An automation tool left traces in the page: {value}.'),
  declared_bot: automation('high', 4.3, 'The user agent belongs to a crawler, library or tool.'),
  debugging_protocol: automation(
    'low',
    1.2,
    'The browser’s debugging protocol is in use, by automation or open developer tools.',
  ),
  software_renderer: automation(
    'low',
    0.9,
    'Graphics are rendered in software ({value}), as on servers and virtual machines.',
  ),
  window_impossible: automation('low', 0.9, 'The page is larger than its window.'),
  lies_proxy: lies('medium', 3.2, '{value} browser {function was|functions were} replaced.'),
  lies_worker: lies(
    'medium',
    2.8,
    'In the background of the page the browser describes itself differently than in the page ({value}).',
  ),
  lies_frame: lies(
    'medium',
    1.8,
    'In a frame of the page the browser describes itself differently than in the page ({value}).',
  ),
  lies_own: lies('low', 1.2, '{value} browser {property was|properties were} overridden.'),
  lies_privacy: lies('info', 0.5, 'Only fingerprinting functions were replaced, as privacy extensions do.'),
  agent_transport_mismatch: consistency('medium', 2, 'The page and the connection report different browsers.'),
  agent_caller_mismatch: consistency('low', 0.8, 'The userAgent of the request differs from the probe’s.'),
  platform_contradiction: consistency(
    'medium',
    1.8,
    'The user agent and the platform of the browser disagree ({value}).',
  ),
  hint_mismatch: consistency('low', 1.2, 'The client hints of the connection and of the page disagree.'),
  language_mismatch: consistency('low', 0.8, 'The page and the connection report different languages.'),
  device_tokens_several: pages('medium', 1.2, 'The pages of this session have {value} different device tokens.'),
  pages_at_once: pages('low', 0.4, 'Several pages of this session were open at the same time.'),
  agent_signature_invalid: correlate('medium', 1.5, 'The agent signature is invalid: {value}'),
  agent_signature_unverified: diagnostic('info', 0, 'The agent signature could not be verified: {value}'),
  agent_signature_verified: diagnostic('info', 0, 'The visit is signed by a trusted agent ({value}).'),
  device_consistent: exculpatory('info', -0.5, 'Page, frame, worker and connection agree on an ordinary browser.'),
} satisfies Rules;

/** Shares of a rule’s weight by how many subjects contradict, and what reads as a contradiction. */
export const deviceThresholds = {
  proxyWeights: [2, 2.6, 2.9, 3.2],
  workerWeights: [1.6, 2.2, 2.8],
  frameWeights: [1.2, 1.5, 1.8],
  ownWeights: [0.7, 1, 1.2],
  debuggingOnce: 0.8,
  agentTextOnly: 1,
  /** Open developer tools that show the page as on a phone contradict the platform, as emulation by a program does. */
  emulatedPhone: 0.6,
  windowSlackPixels: 2,
  /** Pages that follow one another overlap while the next one loads. */
  pagesOverlapMsMin: 15_000,
} as const;
