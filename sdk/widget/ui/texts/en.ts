/** English, and the shape that every other language has to fill. `{name}` stands for a value. */
import type { OfflineKey } from './offline.js';

export const en = {
  region: 'Human check',
  box: "I'm human",
  slide: "Slide to show that you're human",
  working: 'Just a moment…',
  slow: 'Still working… This can take longer on a slow connection.',
  done: 'Thank you, all done',
  intro: [
    'Quick check: are you a real person?',
    'It takes about half a minute. You look into your camera and follow a few simple movements.',
  ],
  start: 'Start',
  neutral: 'A short check makes sure that answers come from real people.',
  transparent:
    'To tell people from programs, this check looks at your device and at how it is used, for example movements of the mouse or finger. With your consent it also measures your face. The people who run this page receive the result.',
  consent: [
    'May we use your camera?',
    '{company} wants to make sure that real people take part, and each of them only once. You look into your camera and follow a few simple movements.',
  ],
  measured:
    'Your device measures the shape and the movement of your face. These are biometric data. They only serve to tell real people from fakes, and to notice who takes part again.',
  demographics: 'Your device also estimates your age, your gender and how light your skin is.',
  consentLocal: 'Pictures and video never leave your device; only measurements are sent.',
  pictures:
    'A few small grey pictures of your face are sent with the measurements, checked by software and not kept. Video never leaves your device.',
  ownCompared: 'Your face is compared with your own earlier checks.',
  copiesFound:
    'Short codes of the measurements are compared with those of all checks at {company}, only to notice measurements that are sent twice.',
  reuseFound:
    'Your face is also compared with those of all checks at {company} in the last 24 hours, only to notice one face that is used for several participants.',
  studyCompared: 'The measurements are compared with those of the other participants of this study.',
  projectCompared: 'The measurements are compared with those of the other participants of this project.',
  groupCompared:
    'The measurements are compared with those of the participants of this and related projects of {company}.',
  kept: 'They are kept for at most {days}, then deleted.',
  counted: 'A participation counts for {days}.',
  consentOff: 'The camera is off the moment the check is over.',
  consentFree: "It's up to you: you can continue without the camera.",
  ask: 'You can withdraw your consent and have your data deleted at any time. Ask {company}.',
  agree: 'I agree, use my camera',
  decline: 'Continue without camera',
  refuse: 'No, thank you',
  privacy: 'Privacy policy',
  support: 'Need help?',
  powered: 'Protected by VerifyHuman',
  ready: 'Getting your camera ready…',
  allow: 'If your browser asks, please choose “Allow”.',
  look_straight: 'Look straight into the camera.',
  no_face: 'Come into the picture so that your face can be seen.',
  too_far: 'Come a little closer.',
  too_dark: 'A little more light would help.',
  many_faces: 'Only one face in the picture, please.',
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
  pass: ['Thank you!', 'The check is done. You can continue.'],
  without: ['Continuing without camera', 'No problem. You can continue.'],
  noted: ["Thanks, we've noted your answers", 'Questions? The people who run this page can help you.'],
  fail: [
    'That did not work this time',
    'This can happen, for example in poor light. Face the camera, in good light, and try once more.',
  ],
  spent: [
    'That was the last attempt',
    'Thank you for your patience. The people who run this page can help you further.',
  ],
  duplicate: [
    'It looks as if you have taken part already',
    'Thank you for that! If you think this is a mistake, the people who run this page can help.',
  ],
  needsCamera: [
    'This check needs your camera',
    'Try again with the camera, or ask the people who run this page for another way.',
  ],
  denied: [
    'The camera is switched off for this page',
    'Click the camera icon in the address bar, allow the camera, and try again.',
  ],
  busy: ['The camera is in use', 'Another program seems to be using it, perhaps a video call. Close it and try again.'],
  dismissed: ['The camera has not been allowed yet', 'Try again, and choose “Allow” when your browser asks.'],
  none: ['No camera was found', 'Connect a camera, or open this page on a phone. Then try again.'],
  network: ['The connection is interrupted', 'Check your internet connection, then try again. Nothing is lost.'],
  unavailable: [
    "Our service isn't answering",
    'Please try again in a minute. If this goes on, tell the people who run this page.',
  ],
  expired: ['That took a little long', 'No harm done. Start again whenever you are ready.'],
  wait: ["We're very busy right now", 'Please wait a minute, then try again.'],
  setup: ['This check is not available right now', 'It is nothing you did. Please tell the people who run this page.'],
  reference: 'Reference: {code}',
  degraded: ['You can continue', 'Our service cannot be reached just now, but this does not hold you up.'],
} as const satisfies Record<string, string | readonly [title: string, body: string]>;

/** Texts of one language: a single text, or a title with what it means. */
export type Texts = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : readonly [title: string, body: string];
};

/** What is loaded of a language other than English. */
export type LoadedTexts = Omit<Texts, OfflineKey>;
