/**
 * The coarse class of a device, such as "android/chrome", read from its user agent. Two sessions behind one address in the
 * same minutes are tied together only within one class. Coarse on purpose: it must not tell people apart.
 */
const systems = [
  ['android', /Android/],
  ['ios', /iPhone|iPad|iPod/],
  ['windows', /Windows/],
  ['macos', /Mac OS X|Macintosh/],
  ['chromeos', /CrOS/],
  ['linux', /Linux|X11/],
] as const;
const browsers = [
  ['edge', /Edg/],
  ['opera', /OPR\//],
  ['samsung', /SamsungBrowser/],
  ['firefox', /Firefox|FxiOS/],
  ['chrome', /Chrome|CriOS/],
  ['safari', /Safari/],
] as const;

/** null where the user agent is absent or names no known system. */
export function deviceClassOf(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system === undefined
    ? null
    : `${system}/${browsers.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other'}`;
}
