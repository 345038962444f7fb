/**
 * Why a session failed, in words for people, by codes that stay: a page may show words of its own for each. A fraud signal that failed a session has its
 * type for a code.
 */
export const failureReasons = {
  already_took_part: 'This person has already taken part.',
  device_took_part: 'A participant has already used this device.',
  too_few_frames: 'The camera sent too few frames. Try again on a faster device or close other apps.',
  liveness_low: 'A live person could not be confirmed.',
  camera_check_needed: 'This study needs a camera check, and none was completed.',
  capture_missing: 'The camera capture is missing without a reason.',
  camera_doubtful: 'The capture does not seem to come from a real camera.',
  screen_shown: 'The camera seems to show a screen or picture.',
  pictures_missing: 'The requested pictures are missing or could not be checked.',
  pictures_other_face: 'The pictures do not show the face that was measured.',
  pictures_other_movement: 'The pictures do not show the movements that were measured.',
  device_doubtful: 'The device and its use look automated.',
  use_missing: 'No interaction with the page was measured.',
  evidence_weak: 'The evidence as a whole was too weak.',
  /** In place of a subtle signal, on the page. */
  unusual: 'Something about the session was unusual.',
} as const;

export type FailureCode = keyof typeof failureReasons;
