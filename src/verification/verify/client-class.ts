/** The class of device and the family of browser, for counting: they have few values. */
const devices = [
  ['tablet', /iPad|Tablet|Android(?!.*Mobile)/],
  ['mobile', /Mobi|iPhone|iPod|Android/],
  ['desktop', /Windows|Macintosh|X11|Linux|CrOS/],
] as const;
const browsers = [
  ['edge', /Edg/],
  ['opera', /OPR\/|Opera/],
  ['samsung', /SamsungBrowser/],
  ['firefox', /Firefox|FxiOS/],
  ['chrome', /Chrome|CriOS/],
  ['safari', /Safari/],
] as const;

const unknown = 'other';
const nameOf = (names: readonly (readonly [string, RegExp])[], userAgent: string): string =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? unknown;

export const clientClassOf = (userAgent: string | null): { readonly device: string; readonly browser: string } => ({
  device: nameOf(devices, userAgent ?? ''),
  browser: nameOf(browsers, userAgent ?? ''),
});
