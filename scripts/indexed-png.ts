/**
 * Makes a screenshot small: of a PNG with 8-bit RGB or RGBA and no interlacing, as Chromium writes it, the same picture with 256 colours.
 * Pictures of an interface have few; what is lost are steps in the softest shadows. Throws for any other PNG.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const coloursMax = 256;

export function indexColours(png: Buffer): Buffer {
  const { width, height, channels, data } = readPixels(png);
  const palette = choosePalette(data, channels);
  const nearest = createNearest(palette);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      lines[y * (width + 1) + 1 + x] = nearest(readColour(data, (y * width + x) * channels));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly data: Buffer;
}

function readPixels(png: Buffer): Pixels {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('not a PNG');
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, , , interlaced] = png.subarray(24, 29);
  if (depth !== 8 || (type !== 2 && type !== 6) || interlaced !== 0) throw new Error('a PNG of another kind');
  const channels = type === 2 ? 3 : 4;
  return { width, height, channels, data: unfilter(inflateSync(Buffer.concat(parts)), width * channels, channels) };
}

/** Undoes the filter that each line of a PNG names in its first byte. */
function unfilter(lines: Buffer, lineBytes: number, channels: number): Buffer {
  const count = lines.length / (lineBytes + 1);
  const data = Buffer.alloc(lineBytes * count);
  for (let y = 0; y < count; y += 1) {
    const filter = lines[y * (lineBytes + 1)] ?? 0;
    for (let x = 0; x < lineBytes; x += 1) {
      const at = y * lineBytes + x;
      const left = x < channels ? 0 : (data[at - channels] ?? 0);
      const above = y === 0 ? 0 : (data[at - lineBytes] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (data[at - lineBytes - channels] ?? 0);
      data[at] = (lines[y * (lineBytes + 1) + 1 + x] ?? 0) + predict(filter, left, above, corner);
    }
  }
  return data;
}

function predict(filter: number, left: number, above: number, corner: number): number {
  if (filter < 4) return [0, left, above, (left + above) >> 1][filter] ?? 0;
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

const readColour = (data: Buffer, at: number): number => data.readUIntBE(at, 3);

/** The most frequent colours, those taken together that differ in the lowest three bits of a channel. */
function choosePalette(data: Buffer, channels: number): readonly number[] {
  const groups = new Map<number, { count: number; best: number; colours: Map<number, number> }>();
  for (let at = 0; at < data.length; at += channels) {
    const colour = readColour(data, at);
    const key = colour & 0xf8f8f8;
    const group = groups.get(key) ?? { count: 0, best: colour, colours: new Map<number, number>() };
    group.count += 1;
    group.colours.set(colour, (group.colours.get(colour) ?? 0) + 1);
    groups.set(key, group);
  }
  return [...groups.values()]
    .sort((one, other) => other.count - one.count)
    .slice(0, coloursMax)
    .map(({ colours, best }) => [...colours].sort((one, other) => other[1] - one[1])[0]?.[0] ?? best);
}

function createNearest(palette: readonly number[]): (colour: number) => number {
  const known = new Map<number, number>();
  const apart = (one: number, other: number): number =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    let best = 0;
    palette.forEach((one, index) => {
      if (apart(one, colour) < apart(palette[best] ?? 0, colour)) best = index;
    });
    known.set(colour, best);
    return best;
  };
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
