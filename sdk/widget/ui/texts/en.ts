/** English, and the shape that every other language has to fill. `{name}` stands for a value. */
import type { OfflineKey } from './offline.js';

export const en = {
  region: 'Human verification',
  box: "I'm human",
  slide: "Slide to confirm you're human",
  working: 'Just a moment…',
  slow: 'Still working… This can take longer on a slow connection.',
  done: 'Thank you, all done',
  intro: [
    'Quick check: are you a real person?',
    'It takes about 30 seconds. Look at your camera and follow a few prompts.',
  ],
  start: 'Start',
  test: 'Test mode',
  neutral: 'A quick check confirms that answers come from real people.',
  transparent:
    'To keep out bots, we check your device and how you use it, such as mouse or finger movements. With your consent, we also measure your face. The site owner receives the result.',
  consent: [
    'May we use your camera?',
    '{company} checks that participants are real and take part only once. Look at your camera and follow a few prompts.',
  ],
  measured:
    'Your device measures the shape and movement of your face. We use this biometric data only to detect fakes and repeat participation.',
  demographics: 'Your device also estimates your age, gender and skin tone.',
  consentLocal: 'Images and video never leave your device. We receive only the measurements.',
  pictures:
    'We also receive a few small gray images of your face. Software checks them, and we do not keep them. Video never leaves your device.',
  ownCompared: 'We compare your face with your own earlier checks.',
  copiesFound:
    'We also compare the measurements with all checks at {company}, only to detect a recording that is sent twice.',
  reuseFound:
    'We also compare your face with all checks at {company} in the last 24 hours, only to detect one face used for several participants.',
  studyCompared: 'We compare the measurements with those of the other participants in this study.',
  projectCompared: 'We compare the measurements with those of the other participants in this project.',
  groupCompared:
    'We compare the measurements with those of the participants in this and related projects of {company}.',
  kept: 'We keep the measurements for at most {days}, then delete them.',
  counted: 'You can take part again after {days}.',
  consentOff: 'The camera turns off when the check ends.',
  consentFree: "It's up to you: you can continue without the camera.",
  ask: 'You can withdraw your consent and have your data deleted at any time. To do so, contact {company}.',
  agree: 'I agree, use my camera',
  decline: 'Continue without camera',
  refuse: 'No, thanks',
  privacy: 'Privacy policy',
  support: 'Need help?',
  powered: 'Protected by VerifyHuman',
  ready: 'Starting your camera…',
  allow: 'If your browser asks, choose “Allow”.',
  look_straight: 'Look straight at the camera.',
  no_face: 'Move your face into view.',
  too_far: 'Move a little closer.',
  too_dark: 'Move to a brighter spot.',
  many_faces: 'Make sure that only your face is in view.',
  blink: 'Blink slowly',
  turn_left: 'Turn your head to the left',
  turn_right: 'Turn your head to the right',
  nod: 'Nod your head',
  smile: 'Smile',
  step: 'Step {n} of {total}',
  good: 'Well done!',
  secondsLeft: 'Seconds left: {n}',
  more: 'More time',
  cancel: 'Cancel',
  close: 'Close',
  retry: 'Try again',
  pass: ['Thank you!', 'The check is complete. You can continue.'],
  without: ['Continuing without camera', 'No problem. You can continue.'],
  noted: ['Your response has been recorded', 'Questions? Contact the site owner.'],
  fail: [
    "We couldn't verify you",
    'This can happen in poor light, for example. Face the camera in good light and try again.',
  ],
  deviceHelp: "We couldn't confirm your device. Try again in your usual browser, or contact the site owner.",
  spent: ['No attempts left', 'Contact the site owner for help.'],
  duplicate: ['You may have already taken part', 'If you think this is a mistake, contact the site owner.'],
  needsCamera: ['This check needs your camera', 'Try again with the camera, or ask the site owner for another way.'],
  denied: ['Camera access is blocked', 'Click the camera icon in the address bar, allow the camera, and try again.'],
  busy: ['Your camera is in use', 'Another app may be using it, such as a video call. Close it and try again.'],
  dismissed: ['Camera access is needed', 'Try again and choose “Allow” when your browser asks.'],
  canceled: ['You canceled the check', 'Try again when you are ready.'],
  none: ['No camera found', 'Connect a camera or open this page on a phone. Then try again.'],
  network: ['Connection lost', 'Check your internet connection and try again.'],
  unavailable: [
    "Our service isn't responding",
    'Try again in a minute. If the problem persists, contact the site owner.',
  ],
  expired: ['This check has expired', 'Start again to continue.'],
  wait: ["We're very busy right now", 'Wait a minute, then try again.'],
  setup: ['This check is not available right now', "This isn't your fault. Please contact the site owner."],
  reference: 'Reference: {code}',
  degraded: ['You can continue', "We couldn't reach our service, but you can still continue."],
} as const satisfies Record<string, string | readonly [title: string, body: string]>;

/** Texts of one language: a single text, or a title with what it means. */
export type Texts = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : readonly [title: string, body: string];
};

/** The texts that are loaded for a language other than English. */
export type LoadedTexts = Omit<Texts, OfflineKey>;
