/** Which frames a session has to show as pictures, chosen once all frames are committed. */
import type { StoredProject } from '../../administration/project-store.js';
import type { Randomness } from './challenges.js';

/** Indices of the envelope’s frames, ascending; none while no project asks for pictures. */
export const chooseEvidenceFrames = (
  _project: StoredProject,
  _frameCount: number,
  _random: Pick<Randomness, 'integer'>,
): readonly number[] => [];
