/**
 * Pose and expression of one frame from its 23 points, for guidance alone: the service judges by its own reading of the same points. Angles
 * are in degrees, to be taken against the capture’s rest.
 */

/** x, y of the points of key23, pixels. */
export type Points = ArrayLike<number>;

export interface Pose {
  /** Positive to the respondent’s left. */
  readonly yaw: number;
  /** Positive downwards. */
  readonly pitch: number;
  /** Opening of each eye over its width. */
  readonly rightEye: number;
  readonly leftEye: number;
  /** Width of the mouth over that of the face. */
  readonly mouth: number;
  /** Between the outer corners of the eyes, pixels. */
  readonly size: number;
}

/** Depth of the tip of the nose before the eyes, and how far it and the mouth lie below them, in widths between the eyes’ outer corners. */
const noseDepth = 0.45;
const noseDrop = 0.42;
const mouthDepth = 0.09;
const mouthDrop = 0.78;
const degrees = 180 / Math.PI;

export function readPose(points: Points): Pose {
  const at = (index: number): readonly [number, number] => [points[index * 2] ?? 0, points[index * 2 + 1] ?? 0];
  const apart = (a: number, b: number): number => {
    const [ax, ay] = at(a);
    const [bx, by] = at(b);
    return Math.hypot(ax - bx, ay - by);
  };
  const middle = (a: number, b: number): readonly [number, number] => {
    const [ax, ay] = at(a);
    const [bx, by] = at(b);
    return [(ax + bx) / 2, (ay + by) / 2];
  };
  const [rx, ry] = middle(0, 3);
  const [lx, ly] = middle(6, 9);
  const angle = Math.atan2(ly - ry, lx - rx);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const place = ([x, y]: readonly [number, number]): readonly [number, number] => {
    const [dx, dy] = [x - (rx + lx) / 2, y - (ry + ly) / 2];
    return [dx * cos + dy * sin, dy * cos - dx * sin];
  };
  const width = Math.max(apart(0, 9), 1);
  const [noseAcross, noseDown] = place(at(13));
  const [mouthAcross, mouthDown] = place(middle(16, 17));
  const size = Math.max(width, Math.hypot(mouthAcross, mouthDown) / mouthDrop, 1);
  const share = mouthDown > 1 ? noseDown / mouthDown : noseDrop / mouthDrop;
  const depth = Math.max(0.05, noseDepth - mouthDepth * share);
  return {
    yaw: Math.atan(noseAcross / width / noseDepth) * degrees,
    pitch: Math.atan((mouthDrop * share - noseDrop) / depth) * degrees,
    rightEye: (apart(1, 5) + apart(2, 4)) / Math.max(2 * apart(0, 3), 1),
    leftEye: (apart(7, 11) + apart(8, 10)) / Math.max(2 * apart(6, 9), 1),
    mouth: apart(16, 17) / size,
    size: width,
  };
}
