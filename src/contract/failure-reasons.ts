/**
 * Why a session failed, in words for people, by codes that stay: a page may show words of its own for each. A fraud signal that failed a session has its
 * type for a code.
 */
export const failureReasons = {
  already_took_part: 'This person has already taken part.',
  device_took_part: 'Somebody has already taken part on this device.',
  too_few_frames: 'Too few frames came from the camera. Try again on a faster device, or with fewer programs open.',
  liveness_low: 'A live person could not be made out with enough certainty.',
  camera_check_needed: 'This study needs a camera check, and none was completed.',
  capture_missing: 'No camera capture came, and no reason why.',
  camera_doubtful: 'The capture did not look as if it came from a real camera.',
  screen_shown: 'A screen or a picture seems to have been held before the camera.',
  pictures_missing: 'The pictures that were asked for are missing, or could not be judged.',
  pictures_other_face: 'The pictures do not show the face that was measured.',
  pictures_other_movement: 'The pictures do not show the movements that were measured.',
  device_doubtful: 'The device and its use could not be distinguished from a program’s.',
  use_missing: 'Nobody was seen using the page.',
  evidence_weak: 'The evidence as a whole was too weak.',
  /** In place of a subtle signal, on the page. */
  unusual: 'Something about the session was unusual.',
} as const;

export type FailureCode = keyof typeof failureReasons;
