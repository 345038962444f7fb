/**
 * Replaces what a page claims of a face by what its pictures show, where the project samples: `evidenceFrames` leaves the envelope before anything
 * else reads it, is judged, and is gone. Pictures that are not those named, or not those that the frames’ hashes fix, are not looked at.
 */
import { createHash } from 'node:crypto';
import type { EvidenceFrame, PictureFindings, PictureTask } from '../../contract/evidence-frames.js';
import { judgeCameraUse, type CameraPolicy, type Envelope } from '../../contract/envelope.js';
import type { SeenPictures } from '../../contract/verdict.js';

export interface SeenEvidence {
  /** Without pictures; with the embedding that was computed from them, or without one where none was. */
  readonly envelope: Envelope;
  /** null where the project asks for none. */
  readonly pictures: SeenPictures | null;
}

export interface EvidencePolicy extends CameraPolicy {
  readonly isSampled: boolean;
  /** Frames that the service named, ascending. */
  readonly named: readonly number[];
}

/** null: not worth looking at. */
export type JudgePictures = (pictures: PictureTask['pictures']) => Promise<PictureFindings | null>;

export async function seeEvidence(
  { evidenceFrames, ...envelope }: Envelope,
  policy: EvidencePolicy,
  judge: JudgePictures,
): Promise<SeenEvidence> {
  if (!policy.isSampled || judgeCameraUse(envelope, policy) !== 'usable') return { envelope, pictures: null };
  const { named } = policy;
  const sent = pictureBytes(evidenceFrames ?? [], named, envelope.frames?.hashes ?? []);
  const findings = sent === null ? null : await judge(sent);
  if (sent === null || findings === null) {
    const pictures = { named, faces: null, likeness: [], ...(sent !== null && { isUnneeded: true as const }) };
    return { envelope: { ...envelope, embedding: null }, pictures };
  }
  const { faces, embedding, likeness } = findings;
  return {
    envelope: { ...envelope, embedding },
    pictures: { named, faces: faces.map((points, index) => ({ side: sent[index]?.width ?? 0, points })), likeness },
  };
}

/** null where they are not the pictures of the frames named. A hash is the first 64 bits of the SHA-256 of a picture. */
function pictureBytes(
  frames: readonly EvidenceFrame[],
  named: readonly number[],
  hashes: readonly string[],
): PictureTask['pictures'] | null {
  if (named.length === 0 || frames.length !== named.length) return null;
  const pictures = frames.map(({ width, height, grey }) => ({ width, height, grey: Buffer.from(grey, 'base64') }));
  const isNamed = frames.every(
    ({ index, width, height }, place) =>
      index === named[place] &&
      width === height &&
      createHash('sha256')
        .update(pictures[place]?.grey ?? '')
        .digest('hex')
        .slice(0, 16) === hashes[index],
  );
  return isNamed ? pictures : null;
}
