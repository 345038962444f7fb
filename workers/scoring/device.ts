/**
 * The device axis: automation, tampering and contradictions of the browser. Without a probe only the user agent that the
 * caller passed on speaks. Whatever the probe says can be forged, so nothing here is ever `bound`.
 */
import type { ProbeBody } from '../../src/contract/probe.js';
import { clamp, createRaise, type Rules, type Signal } from './rule.js';
import { isDeclaredBot, isHeadless, type OsFamily, type UserAgent } from './user-agent.js';
import type { Visit } from './visit.js';

export const deviceRules = {
  headless_user_agent: {
    axis: 'device',
    class: 'correlate',
    severity: 'high',
    weight: 4.5,
    group: 'automation',
    detail: 'The user agent is that of a browser that runs without a window.',
  },
  webdriver: {
    axis: 'device',
    class: 'correlate',
    severity: 'high',
    weight: 4.5,
    group: 'automation',
    detail: 'The browser says that a program controls it.',
  },
  automation_globals: {
    axis: 'device',
    class: 'correlate',
    severity: 'high',
    weight: 4.5,
    group: 'automation',
    detail: 'An automation tool left its names in the page: {value}.',
  },
  declared_bot: {
    axis: 'device',
    class: 'correlate',
    severity: 'high',
    weight: 4.3,
    group: 'automation',
    detail: 'The user agent names a crawler, a library or a tool rather than a browser.',
  },
  debugging_protocol: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'automation',
    detail: 'Something listens on the browser’s debugging protocol: an automation tool, or open developer tools.',
  },
  software_renderer: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 0.9,
    group: 'automation',
    detail: 'Graphics are drawn without a graphics card ({value}), as on servers and in virtual machines.',
  },
  window_impossible: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 0.9,
    group: 'automation',
    detail: 'The page is larger than the window around it.',
  },
  lies_proxy: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 3.2,
    group: 'lies',
    detail: 'Functions of the browser were replaced ({value} of them).',
  },
  lies_worker: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 2.8,
    group: 'lies',
    detail: 'A worker sees another browser than the page does ({value}).',
  },
  lies_frame: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 1.8,
    group: 'lies',
    detail: 'A fresh frame sees another browser than the page does ({value}).',
  },
  lies_own: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'lies',
    detail: 'Properties of the browser were set by hand ({value} of them).',
  },
  lies_privacy: {
    axis: 'device',
    class: 'correlate',
    severity: 'info',
    weight: 0.5,
    group: 'lies',
    detail: 'Only functions that recognise devices were replaced, as privacy extensions do.',
  },
  agent_transport_mismatch: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 2,
    group: 'consistency',
    detail: 'The page and the connection name different browsers.',
  },
  agent_caller_mismatch: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 0.8,
    group: 'consistency',
    detail: 'The user agent passed on with the score is another one than the probe’s.',
  },
  platform_contradiction: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 1.8,
    group: 'consistency',
    detail: 'The user agent and the platform of the browser disagree ({value}).',
  },
  hint_mismatch: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'consistency',
    detail: 'The client hints of the connection and of the page disagree.',
  },
  language_mismatch: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 0.8,
    group: 'consistency',
    detail: 'The page and the connection ask for different languages.',
  },
  agent_signature_invalid: {
    axis: 'device',
    class: 'correlate',
    severity: 'medium',
    weight: 1.5,
    group: null,
    detail: 'A signature of an automated agent was sent and did not verify: {value}',
  },
  agent_signature_unverified: {
    axis: 'device',
    class: 'correlate',
    severity: 'low',
    weight: 0.8,
    group: null,
    detail: 'An automated agent signed with a key that is not trusted here: {value}',
  },
  agent_signature_verified: {
    axis: 'device',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail: 'The visit is signed by a trusted agent ({value}).',
  },
  device_consistent: {
    axis: 'device',
    class: 'exculpatory',
    severity: 'info',
    weight: -0.5,
    group: null,
    detail: 'Page, frame, worker and connection tell the same story of an ordinary browser.',
  },
} as const satisfies Rules;

/** Shares of a rule’s weight by how many subjects contradict, and what reads as a contradiction. */
export const deviceEdges = {
  proxyWeights: [2, 2.6, 2.9, 3.2],
  workerWeights: [1.6, 2.2, 2.8],
  frameWeights: [1.2, 1.5, 1.8],
  ownWeights: [0.7, 1, 1.2],
  debuggingOnce: 0.8,
  agentTextOnly: 1,
  windowSlackPixels: 2,
} as const;

const raise = createRaise(deviceRules);

export function weighDevice(visit: Visit): Signal[] {
  const signals: Signal[] = [];
  weighAgentSignature(visit, signals);
  weighDeclaration(visit, signals);
  const { body } = visit;
  if (body === null) return signals;
  weighAutomation(body, visit.agent, signals);
  weighLies(body.lies ?? [], signals);
  weighConsistency(visit, body, signals);
  if (signals.length === 0 && isFullyCompared(visit, body)) raise(signals, 'device_consistent');
  return signals;
}

function weighAgentSignature({ facts: { agent } }: Visit, signals: Signal[]): void {
  if (agent === null) return;
  if (agent.outcome === 'verified') raise(signals, 'agent_signature_verified', 0, agent.agent ?? 'unnamed');
  else raise(signals, `agent_signature_${agent.outcome}`, undefined, agent.reason ?? 'no reason given.');
}

/** What the user agent says of itself. The caller’s copy counts only where the browser’s own is not known: callers pass on their own by mistake. */
function weighDeclaration({ agent, pageAgent }: Visit, signals: Signal[]): void {
  if (agent === null) return;
  if (isHeadless(agent.text) || (pageAgent !== null && pageAgent !== agent && isHeadless(pageAgent.text)))
    raise(signals, 'headless_user_agent');
  else if (isDeclaredBot(agent.text)) raise(signals, 'declared_bot');
}

function weighAutomation(body: ProbeBody, agent: UserAgent | null, signals: Signal[]): void {
  const { auto, gfx } = body;
  if (auto?.webdriver === true) raise(signals, 'webdriver');
  if (auto?.globals != null && auto.globals.length > 0)
    raise(signals, 'automation_globals', undefined, auto.globals.slice(0, 3).join(', '));
  const listening = Number(auto?.debugStack === true) + Number(auto?.debugGetter === true);
  if (listening > 0) raise(signals, 'debugging_protocol', listening > 1 ? undefined : deviceEdges.debuggingOnce);
  const renderer = gfx?.renderer ?? '';
  const software = ['SwiftShader', 'llvmpipe', 'Mesa OffScreen', 'Basic Render'].find((name) =>
    renderer.includes(name),
  );
  if (software !== undefined) raise(signals, 'software_renderer', undefined, software);
  if (agent?.mobile !== true && isWindowImpossible(body)) raise(signals, 'window_impossible');
}

/** Zooming out also makes the page larger than the window, and leaves an odd pixel ratio behind; so do small screens. */
function isWindowImpossible({ scr, hw }: ProbeBody): boolean {
  if (scr == null || (hw?.touch ?? 0) > 0) return false;
  const { outerW, outerH, innerW, innerH, dpr } = scr;
  if (
    outerW == null ||
    outerH == null ||
    innerW == null ||
    innerH == null ||
    dpr == null ||
    dpr < 1 ||
    !Number.isInteger(dpr)
  )
    return false;
  return innerW > outerW + deviceEdges.windowSlackPixels || innerH > outerH + deviceEdges.windowSlackPixels;
}

const privacySubjects = [
  'canvas',
  'todataurl',
  'getimagedata',
  'audio',
  'getchanneldata',
  'measuretext',
  'readpixels',
  'getparameter',
  'getclientrects',
];

function weighLies(lies: readonly string[], signals: Signal[]): void {
  const subjects: Record<string, string[]> = { proxy: [], worker: [], frame: [], own: [] };
  for (const lie of lies) subjects[lie.slice(0, lie.indexOf('.'))]?.push(lie.slice(lie.indexOf('.') + 1));
  const { proxy = [], worker = [], frame = [], own = [] } = subjects;
  if (proxy.length > 0) {
    const private_ = proxy.every((name) => privacySubjects.some((subject) => name.toLowerCase().includes(subject)));
    if (private_) raise(signals, 'lies_privacy');
    else raise(signals, 'lies_proxy', pick(deviceEdges.proxyWeights, proxy.length), proxy.length);
  }
  if (worker.length > 0)
    raise(signals, 'lies_worker', pick(deviceEdges.workerWeights, worker.length), worker.slice(0, 4).join(', '));
  if (frame.length > 0)
    raise(signals, 'lies_frame', pick(deviceEdges.frameWeights, frame.length), frame.slice(0, 4).join(', '));
  if (own.length > 0) raise(signals, 'lies_own', pick(deviceEdges.ownWeights, own.length), own.length);
}

function pick(weights: readonly number[], count: number): number {
  return weights[clamp(count, 1, weights.length) - 1] ?? 0;
}

function weighConsistency(visit: Visit, body: ProbeBody, signals: Signal[]): void {
  const { pageAgent, transportAgent, callerAgent, transport } = visit;
  if (pageAgent !== null && transportAgent !== null && pageAgent !== transportAgent) {
    raise(
      signals,
      'agent_transport_mismatch',
      isSameBrowser(pageAgent, transportAgent) ? deviceEdges.agentTextOnly : undefined,
    );
  }
  const seen = [pageAgent, transportAgent].filter((each) => each !== null);
  if (callerAgent !== null && seen.length > 0 && !seen.some((each) => isSameBrowser(callerAgent, each)))
    raise(signals, 'agent_caller_mismatch');
  const contradiction = findPlatformContradiction(body, pageAgent);
  if (contradiction !== null) raise(signals, 'platform_contradiction', undefined, contradiction);
  const { ua, loc } = body;
  const platform = unquote(transport?.hintPlatform);
  const mobile = transport?.hintMobile ?? null;
  if (
    (platform !== null && ua?.platform != null && platform !== ua.platform) ||
    (mobile !== null && ua?.mobile != null && (mobile === '?1') !== ua.mobile)
  ) {
    raise(signals, 'hint_mismatch');
  }
  const asked = primaryLanguage(transport?.acceptLanguage);
  const shown = primaryLanguage(loc?.languages?.[0] ?? loc?.language);
  if (asked !== null && shown !== null && asked !== shown) raise(signals, 'language_mismatch');
}

function isSameBrowser(a: UserAgent, b: UserAgent): boolean {
  return a.os === b.os && a.browser === b.browser;
}

/** What navigator.platform may say under each system. A desktop view on a phone shows the phone’s own, so macOS and Linux allow for it. */
const platformStarts: Readonly<Record<OsFamily, readonly string[]>> = {
  windows: ['Win'],
  macos: ['Mac', 'iP'],
  ios: ['iP', 'Mac'],
  android: ['Linux', 'Android', 'arm', 'aarch'],
  chromeos: ['Linux', 'CrOS'],
  linux: ['Linux', 'X11', 'FreeBSD', 'OpenBSD', 'arm', 'aarch', 'Android'],
};

const hintedSystems: Readonly<Record<string, OsFamily>> = {
  Windows: 'windows',
  macOS: 'macos',
  Android: 'android',
  iOS: 'ios',
  Linux: 'linux',
  'Chrome OS': 'chromeos',
  'Chromium OS': 'chromeos',
};

function findPlatformContradiction({ hw, ua }: ProbeBody, agent: UserAgent | null): string | null {
  if (agent?.os == null) return null;
  const platform = hw?.platform ?? '';
  if (platform !== '' && !platformStarts[agent.os].some((start) => platform.startsWith(start)))
    return `${agent.os} and ${platform}`;
  const hinted = hintedSystems[ua?.platform ?? ''];
  return hinted !== undefined && hinted !== agent.os ? `${agent.os} and ${hinted}` : null;
}

/** Client hints arrive as quoted strings. */
function unquote(hint: string | null | undefined): string | null {
  if (hint == null || hint === '') return null;
  return hint.startsWith('"') ? hint.slice(1, -1) : hint;
}

function primaryLanguage(list: string | null | undefined): string | null {
  if (list == null || list === '' || list === '*') return null;
  const end = list.search(/[-,;]/);
  return (end < 0 ? list : list.slice(0, end)).trim().toLowerCase();
}

/** Silence speaks for a browser only where every comparison was made. */
function isFullyCompared({ pageAgent, transportAgent }: Visit, { auto, lies, hw, gfx }: ProbeBody): boolean {
  return (
    auto?.webdriver === false &&
    lies?.length === 0 &&
    pageAgent !== null &&
    transportAgent !== null &&
    hw?.platform != null &&
    gfx?.renderer != null
  );
}
