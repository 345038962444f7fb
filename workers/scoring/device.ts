/**
 * The device axis: automation, tampering and contradictions of the browser. The probe can be forged, so nothing here is ever `bound`. The
 * worst of each finding stands over all pages: a clean page takes nothing back.
 */
import type { ProbeBody } from '../../src/contract/probe.js';
import { isDeclaredBot } from '../../src/contract/declared-program.js';
import { isHeadless, type OsFamily, type UserAgent } from '../../src/contract/user-agent.js';
import { deviceThresholds, deviceRules } from './device-rules.js';
import { clamp, createRaise, keepWorst, type Signal } from './model.js';
import type { Page, Visit } from './visit.js';

const raise = createRaise(deviceRules);

export function weighDevice(visit: Visit): Signal[] {
  const { pages, callerAgent } = visit;
  const signals: Signal[] = [];
  weighAgentSignature(visit, signals);
  // The caller’s copy counts only where the browser’s own is not known: callers pass on their own by mistake.
  if (pages.length === 0) weighDeclaration([callerAgent], signals);
  const looks = pages.map((page) => weighPage(page, callerAgent));
  signals.push(...keepWorst(looks));
  weighPagesTogether(pages, signals);
  const isSilent = signals.every(({ weight }) => weight === 0);
  if (isSilent && pages.length > 0 && pages.every((page) => page.replaced || isFullyCompared(page)))
    raise(signals, 'device_consistent');
  return signals;
}

/** Evidence in one page against its session. */
export function weighPage(page: Page, callerAgent: UserAgent | null): Signal[] {
  const signals: Signal[] = [];
  const brands = page.body.ua?.brands ?? [];
  weighDeclaration([page.agent ?? callerAgent, page.pageAgent, callerAgent], signals, brands);
  weighAutomation(page.body, page.agent ?? callerAgent, signals);
  weighLies(page.body.lies ?? [], signals);
  weighConsistency(page, callerAgent, signals);
  return signals;
}

function weighAgentSignature({ facts: { agent } }: Visit, signals: Signal[]): void {
  if (agent === null) return;
  if (agent.outcome === 'verified') raise(signals, 'agent_signature_verified', 0, agent.agent ?? 'unnamed');
  else raise(signals, `agent_signature_${agent.outcome}`, undefined, agent.reason ?? 'no reason given.');
}

/**
 * Declarations of user agents; the first one is nearest to the browser. A caller may send its own library’s by mistake, but has no headless browser to
 * send.
 */
function weighDeclaration(
  agents: readonly (UserAgent | null)[],
  signals: Signal[],
  brands: readonly string[] = [],
): void {
  const [nearest] = agents;
  const isNamed = agents.some((agent) => agent !== null && isHeadless(agent.text));
  if (isNamed || brands.some(isHeadless)) raise(signals, 'headless_user_agent');
  else if (nearest != null && isDeclaredBot(nearest.text)) raise(signals, 'declared_bot');
}

/** One session belongs to one browser, and to one page after the other. Frames of other sites may keep a token of their own, so this stays weak. */
function weighPagesTogether(pages: readonly Page[], signals: Signal[]): void {
  if (pages.length < 2) return;
  const tokens = new Set(pages.map(({ body }) => body.ids?.token ?? null).filter((token) => token !== null));
  if (tokens.size > 1) raise(signals, 'device_tokens_several', undefined, tokens.size);
  const spans = pages
    .filter(({ replaced }) => !replaced)
    .map(({ body: { at, up, page } }) => ({
      from: at - up,
      to: page?.hidden === true ? at - up : at,
    }));
  const overlap = spans.some((one, index) =>
    spans.slice(index + 1).some((other) => overlapMs(one, other) >= deviceThresholds.pagesOverlapMsMin),
  );
  if (overlap) raise(signals, 'pages_at_once');
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function overlapMs(one: Span, other: Span): number {
  return Math.min(one.to, other.to) - Math.max(one.from, other.from);
}

function weighAutomation(body: ProbeBody, agent: UserAgent | null, signals: Signal[]): void {
  const { auto, gfx } = body;
  if (auto?.webdriver === true) raise(signals, 'webdriver');
  if (auto?.globals != null && auto.globals.length > 0)
    raise(signals, 'automation_globals', undefined, auto.globals.slice(0, 3).join(', '));
  const listening = countDebugTraces(auto);
  if (listening > 0) raise(signals, 'debugging_protocol', listening > 1 ? undefined : deviceThresholds.debuggingOnce);
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
  return innerW > outerW + deviceThresholds.windowSlackPixels || innerH > outerH + deviceThresholds.windowSlackPixels;
}

export const privacySubjects = [
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
  if (lies.length === 0) return;
  const subjectsOf = (check: string): string[] =>
    lies.filter((lie) => lie.startsWith(`${check}.`)).map((lie) => lie.slice(check.length + 1));
  const [proxy, worker, frame, own] = [
    subjectsOf('proxy'),
    subjectsOf('worker'),
    subjectsOf('frame'),
    subjectsOf('own'),
  ];
  if (proxy.length > 0) {
    const private_ = proxy.every((name) => privacySubjects.some((subject) => name.toLowerCase().includes(subject)));
    if (private_) raise(signals, 'lies_privacy');
    else raise(signals, 'lies_proxy', pick(deviceThresholds.proxyWeights, proxy.length), proxy.length);
  }
  if (worker.length > 0)
    raise(signals, 'lies_worker', pick(deviceThresholds.workerWeights, worker.length), worker.slice(0, 4).join(', '));
  if (frame.length > 0)
    raise(signals, 'lies_frame', pick(deviceThresholds.frameWeights, frame.length), frame.slice(0, 4).join(', '));
  if (own.length > 0) raise(signals, 'lies_own', pick(deviceThresholds.ownWeights, own.length), own.length);
}

function pick(weights: readonly number[], count: number): number {
  return weights[clamp(count, 1, weights.length) - 1] ?? 0;
}

function weighConsistency(page: Page, callerAgent: UserAgent | null, signals: Signal[]): void {
  const { body, pageAgent, transportAgent, transport } = page;
  if (pageAgent !== null && transportAgent !== null && pageAgent !== transportAgent) {
    raise(
      signals,
      'agent_transport_mismatch',
      isSameBrowser(pageAgent, transportAgent) ? deviceThresholds.agentTextOnly : undefined,
    );
  }
  const seen = [pageAgent, transportAgent].filter((each) => each !== null);
  if (callerAgent !== null && seen.length > 0 && !seen.some((each) => isSameBrowser(callerAgent, each)))
    raise(signals, 'agent_caller_mismatch');
  const contradiction = findPlatformContradiction(body, pageAgent);
  if (contradiction !== null)
    raise(
      signals,
      'platform_contradiction',
      isPhoneOfTools(page) ? deviceThresholds.emulatedPhone : undefined,
      contradiction,
    );
  const { ua, loc } = body;
  const platform = unquote(transport.hintPlatform);
  const mobile = transport.hintMobile;
  if (
    (platform !== null && ua?.platform != null && platform !== ua.platform) ||
    (mobile !== null && ua?.mobile != null && (mobile === '?1') !== ua.mobile)
  ) {
    raise(signals, 'hint_mismatch');
  }
  const asked = primaryLanguage(transport.acceptLanguage);
  const shown = primaryLanguage(loc?.languages?.[0] ?? loc?.language);
  if (asked !== null && shown !== null && asked !== shown) raise(signals, 'language_mismatch');
}

/** Developers look at pages as on a phone; the protocol of their tools shows, and one cause counts once. */
const isPhoneOfTools = ({ body: { auto }, pageAgent }: Page): boolean =>
  (pageAgent?.os === 'ios' || pageAgent?.os === 'android') && countDebugTraces(auto) > 0;

const countDebugTraces = (auto: ProbeBody['auto']): number =>
  Number(auto?.debugStack === true) + Number(auto?.debugGetter === true);

function isSameBrowser(a: UserAgent, b: UserAgent): boolean {
  return a.os === b.os && a.browser === b.browser;
}

/** The allowed beginnings of navigator.platform under each system. A desktop view on a phone shows the phone’s own, so macOS and Linux allow for it. */
export const platformStarts: Readonly<Record<OsFamily, readonly string[]>> = {
  windows: ['Win'],
  macos: ['Mac', 'iP'],
  ios: ['iP', 'Mac'],
  android: ['Linux', 'Android', 'arm', 'aarch'],
  chromeos: ['Linux', 'CrOS'],
  linux: ['Linux', 'X11', 'FreeBSD', 'OpenBSD', 'arm', 'aarch', 'Android'],
};

const hintedSystems: ReadonlyMap<string, OsFamily> = new Map([
  ['Windows', 'windows'],
  ['macOS', 'macos'],
  ['Android', 'android'],
  ['iOS', 'ios'],
  ['Linux', 'linux'],
  ['Chrome OS', 'chromeos'],
  ['Chromium OS', 'chromeos'],
]);

/** Graphics that no phone has. Some tablets have NVIDIA or Intel, so their names alone say nothing. */
const desktopGraphics = /SwiftShader|llvmpipe|Direct3D|GeForce|Radeon/;

function findPlatformContradiction({ hw, ua, gfx }: ProbeBody, agent: UserAgent | null): string | null {
  if (agent?.os == null) return null;
  const platform = hw?.platform ?? '';
  if (platform !== '' && !platformStarts[agent.os].some((start) => platform.startsWith(start)))
    return `${agent.os}, ${platform}`;
  const renderer = gfx?.renderer ?? '';
  const [drawnBy] = desktopGraphics.exec(renderer) ?? [];
  if (agent.os === 'android' && drawnBy !== undefined) return `${agent.os}, ${drawnBy}`;
  if (agent.os === 'ios' && renderer !== '' && !renderer.includes('Apple')) return `${agent.os}, GPU`;
  const hinted = hintedSystems.get(ua?.platform ?? '');
  return hinted !== undefined && hinted !== agent.os ? `${agent.os}, ${hinted}` : null;
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

/** Comparisons that the probe reports as not made by naming them among its gaps. */
export const comparisons = ['frames', 'worker', 'natives', 'automation'];

/** Silence speaks for a browser only where every comparison was made, and the probe says so. */
function isFullyCompared({ body: { auto, lies, gaps, hw, gfx }, pageAgent, transportAgent }: Page): boolean {
  return (
    auto?.webdriver === false &&
    lies?.length === 0 &&
    gaps != null &&
    !comparisons.some((name) => gaps.includes(name)) &&
    pageAgent !== null &&
    transportAgent !== null &&
    hw?.platform != null &&
    gfx?.renderer != null
  );
}
