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
  headless_user_agent: automation('high', 4.5, 'The user agent is that of a browser that runs without a window.'),
  webdriver: automation('high', 4.5, 'The browser says that a program controls it.'),
  automation_globals: automation('high', 4.5, 'An automation tool left its names in the page: {value}.'),
  declared_bot: automation('high', 4.3, 'The user agent names a crawler, a library or a tool rather than a browser.'),
  debugging_protocol: automation(
    'low',
    1.2,
    'Something listens on the browser’s debugging protocol: an automation tool, or open developer tools.',
  ),
  software_renderer: automation(
    'low',
    0.9,
    'Graphics are drawn without a graphics card ({value}), as on servers and in virtual machines.',
  ),
  window_impossible: automation('low', 0.9, 'The page is larger than the window around it.'),
  lies_proxy: lies('medium', 3.2, 'Functions of the browser were replaced ({value} of them).'),
  lies_worker: lies('medium', 2.8, 'A worker sees another browser than the page does ({value}).'),
  lies_frame: lies('medium', 1.8, 'A fresh frame sees another browser than the page does ({value}).'),
  lies_own: lies('low', 1.2, 'Properties of the browser were set by hand ({value} of them).'),
  lies_privacy: lies('info', 0.5, 'Only functions that recognise devices were replaced, as privacy extensions do.'),
  agent_transport_mismatch: consistency('medium', 2, 'The page and the connection name different browsers.'),
  agent_caller_mismatch: consistency(
    'low',
    0.8,
    'The user agent passed on with the score is another one than the probe’s.',
  ),
  platform_contradiction: consistency(
    'medium',
    1.8,
    'The user agent and the platform of the browser disagree ({value}).',
  ),
  hint_mismatch: consistency('low', 1.2, 'The client hints of the connection and of the page disagree.'),
  language_mismatch: consistency('low', 0.8, 'The page and the connection ask for different languages.'),
  device_tokens_several: pages('medium', 1.2, 'The pages of this session kept {value} different device tokens.'),
  pages_at_once: pages('low', 0.4, 'Several pages of this session were open at the same time.'),
  agent_signature_invalid: correlate(
    'medium',
    1.5,
    'A signature of an automated agent was sent and did not verify: {value}',
  ),
  agent_signature_unverified: diagnostic(
    'info',
    0,
    'A signature of an automated agent was sent that cannot be judged here: {value}',
  ),
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
  windowSlackPixels: 2,
  /** Pages that follow one another overlap while the next one loads. */
  pagesOverlapMsMin: 15_000,
} as const;
