/**
 * Evidence of automation in a probe, by the plainest of rules. It serves to see whether the
 * signals separate the set-ups; the service weighs them in its own way.
 */
import type { ProbeBody } from '../../src/contract/probe.js';

/** The newest load message with the newest behaviour over it; null while no load message came. */
export function joinMessages(bodies: readonly ProbeBody[]): ProbeBody | null {
  const newest = (phase: ProbeBody['phase']) =>
    bodies.filter((body) => body.phase === phase).sort((a, b) => b.seq - a.seq)[0];
  const load = newest('load');
  return load ? { ...load, ...newest('update') } : null;
}

/** Tells of what stands still: the browser and what was done to it. */
export function listStaticTells({ auto, lies, ua, scr, gfx }: ProbeBody): string[] {
  const tells = [...(lies ?? []), ...(auto?.globals ?? []).map((name) => `global ${name}`)];
  if (auto?.webdriver) tells.push('webdriver');
  if (auto?.debugStack) tells.push('debugStack');
  if (auto?.debugGetter) tells.push('debugGetter');
  if (/headless/i.test(ua?.ua ?? '')) tells.push('headless user agent');
  if (/swiftshader/i.test(gfx?.renderer ?? '')) tells.push('SwiftShader');
  if ((scr?.outerW ?? 0) < (scr?.innerW ?? 0)) tells.push('outer < inner');
  return tells;
}

/** Tells of the input, each with the number that gave it away. */
export function listInputTells({ beh, hw }: ProbeBody): string[] {
  if (!beh) return [];
  const tells: string[] = [];
  const note = (isTell: boolean, text: string) => void (isTell && tells.push(text));
  const mean = (sample: readonly number[] | null | undefined) => sample?.[1] ?? NaN;
  note(mean(beh.clickDwell) < 15, `click dwell ${mean(beh.clickDwell)} ms`);
  note(mean(beh.clickSettle) < 15, `settle ${mean(beh.clickSettle)} ms`);
  note(mean(beh.keyDwell) < 15, `key dwell ${mean(beh.keyDwell)} ms`);
  note((beh.coalesced?.[0] ?? 0) >= 20 && (beh.coalesced?.[4] ?? 0) <= 1, 'never more than 1 coalesced');
  note((beh.subpixel ?? 0) > 0, `${beh.subpixel} moves at fractions of a pixel`);
  // The X server counts time in whole milliseconds.
  note(/linux/i.test(hw?.platform ?? '') && (beh.fineTimes ?? 0) > 2, `${beh.fineTimes} moves between milliseconds`);
  for (const name of [
    'clickBare',
    'pressureZero',
    'keyNoCode',
    'keyNoShift',
    'inputNoKey',
    'wheelLies',
    'untrusted',
  ] as const) {
    note((beh[name] ?? 0) > 0, `${name} ${beh[name]}`);
  }
  return tells;
}
