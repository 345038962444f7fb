/** Places of the face mesh: its size, its eyes as the iris model numbers them, and the points that the verdict reads. */

export const meshPoints = 468;

/** Outer and inner corner of each eye; right and left are the respondent’s own. */
export const eyeCorners = { right: [33, 133], left: [263, 362] } as const;

/** The contours that the iris model refines, in its own order: below the eye from its outer corner, then above it. */
const rightLower = [33, 7, 163, 144, 145, 153, 154, 155, 133];
const rightUpper = [246, 161, 160, 159, 158, 157, 173];
const leftLower = [263, 249, 390, 373, 374, 380, 381, 382, 362];
const leftUpper = [466, 388, 387, 386, 385, 384, 398];

/** Pairs of a place in the mesh and one in the iris model’s output. */
export const eyeContours: Readonly<Record<'right' | 'left', readonly (readonly [number, number])[]>> = {
  right: [...rightLower, ...rightUpper].map((place, index) => [place, index]),
  left: [...leftLower, ...leftUpper].map((place, index) => [place, index]),
};

/** The points of the layout key23, in its order. */
export const keyPoints: readonly number[] = [
  33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380, 168, 1, 98, 327, 61, 291, 13, 14, 152, 234, 454,
];
