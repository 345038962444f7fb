/**
 * Colours of the interface, computed so that every text and control is readable whatever a project's brand is. Contrast is that of
 * WCAG 2: 4.5 for text, 3 for what marks a control.
 */

/** Red, green and blue, 0-255. */
type Colour = readonly [number, number, number];

/** Custom properties by name, each a hex colour. */
export type Palette = Readonly<Record<string, string>>;

const black: Colour = [0, 0, 0];
const ink: Colour = [16, 20, 28];
const white: Colour = [255, 255, 255];
const surfaces = { light: white, dark: [24, 27, 34] } as const;
const primaries = { light: '#3b4fd8', dark: '#9aa8ff' } as const;
const textContrast = 4.55;
const markContrast = 3.1;

/** Reads #rgb or #rrggbb; null for anything else, so that no other text ever reaches a style. */
export function readHex(text: string | undefined): Colour | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? '')?.[1];
  if (digits === undefined) return null;
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const value = parseInt(full, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const toHex = (colour: Colour): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const luminance = (colour: Colour): number => {
  const [red = 0, green = 0, blue = 0] = colour.map((part) =>
    part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Contrast ratio of two colours, 1-21. */
export function contrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Whole numbers, as the style sheet gets them: dark colours lose a hundredth of their contrast by rounding. */
const mix = (from: Colour, to: Colour, share: number): Colour => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];

/** The better of white and ink; black itself where ink would be too pale. One of them always reaches 4.58. */
function readableOn(ground: Colour): Colour {
  if (contrast(white, ground) >= contrast(black, ground)) return white;
  return contrast(ink, ground) >= textContrast ? ink : black;
}

/** The colour itself where it stands out from all grounds, else moved towards the pole that does, as little as is needed. */
function standOut(colour: Colour, grounds: readonly Colour[], least: number): Colour {
  const pole = readableOn(grounds[0] ?? white);
  for (let share = 0; share < 1; share += 0.05) {
    const moved = mix(colour, pole, share);
    if (grounds.every((ground) => contrast(moved, ground) >= least)) return moved;
  }
  return pole;
}

/**
 * The palette of a theme under a brand's colours; a background of the brand's own takes the place of the theme's. Unreadable or
 * unreadably close colours are moved, never taken as they are.
 */
export function makePalette(
  theme: 'light' | 'dark',
  brand: { readonly primaryColor?: string; readonly backgroundColor?: string },
): Palette {
  const surface = readHex(brand.backgroundColor) ?? surfaces[theme];
  const text = readableOn(surface);
  const isDark = text === white;
  const primary = readHex(brand.primaryColor) ?? readHex(primaries[isDark ? 'dark' : 'light']) ?? black;
  // On a background of middling brightness there is no room for a second ground.
  const softer = mix(surface, text, 0.05);
  const soft = contrast(text, softer) < textContrast ? surface : softer;
  const grounds = [surface, soft];
  const button = standOut(primary, [surface], 1.3);
  const on = readableOn(button);
  const status = (hex: string) => toHex(standOut(readHex(hex) ?? text, grounds, textContrast));
  return {
    surface: toHex(surface),
    soft: toHex(soft),
    text: toHex(text),
    muted: toHex(standOut(mix(text, surface, 0.35), grounds, textContrast)),
    line: toHex(mix(surface, text, 0.14)),
    mark: toHex(standOut(mix(text, surface, 0.5), grounds, markContrast)),
    button: toHex(button),
    hover: toHex(mix(button, on === white ? black : white, 0.12)),
    on: toHex(on),
    accent: toHex(standOut(primary, grounds, textContrast)),
    good: status('#1f8a4c'),
    warn: status('#b26a00'),
  };
}
