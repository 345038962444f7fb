/**
 * Writes WebAssembly by hand: just the instructions and sections that the scan needs, so that a kernel can be unrolled for the
 * dimension at hand when it is first met. A body that is not valid fails when the module is compiled, at start, not in a search.
 */

export type Code = readonly number[];

/** Unsigned and signed LEB128, the numbers of the format. */
function unsigned(value: number): Code {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): Code {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

const vector = (opcode: number, ...rest: readonly number[]): Code => [0xfd, ...unsigned(opcode), ...rest];
const access = (align: number, offset: number): Code => [align, ...unsigned(offset)];

/** Instructions by their names in the format; `offset` is added to the address on the stack. */
export const op = {
  get: (local: number): Code => [0x20, ...unsigned(local)],
  set: (local: number): Code => [0x21, ...unsigned(local)],
  tee: (local: number): Code => [0x22, ...unsigned(local)],
  i32: (value: number): Code => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32Mul: [0x6c],
  i32And: [0x71],
  i32ShiftLeft: [0x74],
  i32ShiftRight: [0x75],
  i32LessSigned: [0x48],
  i32LessEqualSigned: [0x4c],
  i32GreaterSigned: [0x4a],
  i32EqualZero: [0x45],
  i32Load: (offset: number): Code => [0x28, ...access(2, offset)],
  i32Store: (offset: number): Code => [0x36, ...access(2, offset)],
  i64Load: (offset: number): Code => [0x29, ...access(3, offset)],
  i64Xor: [0x85],
  i64Popcnt: [0x7b],
  i64Add: [0x7c],
  i32Wrap: [0xa7],
  f32Load: (offset: number): Code => [0x2a, ...access(2, offset)],
  f32Store: (offset: number): Code => [0x38, ...access(2, offset)],
  f32FromI32: [0xb2],
  f32Mul: [0x94],
  f32GreaterEqual: [0x60],
  v128Load: (offset: number): Code => vector(0, ...access(4, offset)),
  v128LoadBytesSigned: (offset: number): Code => vector(1, ...access(3, offset)),
  i32x4Dot: vector(0xba),
  i32x4Add: vector(0xae),
  i32x4Lane: (lane: number): Code => vector(0x1b, lane),
  block: [0x02, 0x40] as Code,
  loop: [0x03, 0x40] as Code,
  end: [0x0b] as Code,
  branch: (depth: number): Code => [0x0c, ...unsigned(depth)],
  branchIf: (depth: number): Code => [0x0d, ...unsigned(depth)],
} as const;

export const types = { i32: 0x7f, i64: 0x7e, f32: 0x7d, v128: 0x7b } as const;
export type ValueType = (typeof types)[keyof typeof types];

export interface FunctionShape {
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly result: ValueType;
  /** Types of the locals behind the parameters. */
  readonly locals: readonly ValueType[];
  readonly body: Code;
}

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const list = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const text = (value: string): Code => {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
};

/** A module with one exported function over the shared memory `env.memory`. */
export function assemble(shape: FunctionShape, pagesMin: number, pagesMax: number): Uint8Array<ArrayBuffer> {
  const locals = list(shape.locals.map((type) => [1, type]));
  const body = [...locals, ...shape.body, ...op.end];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list([[0x60, ...list(shape.parameters.map((type) => [type])), ...list([[shape.result]])]])),
    ...section(
      2,
      list([[...text('env'), ...text('memory'), 0x02, 0x03, ...unsigned(pagesMin), ...unsigned(pagesMax)]]),
    ),
    ...section(3, list([[0]])),
    ...section(7, list([[...text(shape.name), 0x00, 0x00]])),
    ...section(10, list([[...unsigned(body.length), ...body]])),
  ]);
}
