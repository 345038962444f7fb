/** Claims of an attacker with HTTP alone: a device, hands and a camera such as people have, other ones each time, and a head that is computed. */
import { biometricExample, deviceOnlyExample } from '../src/contract/envelope-examples.js';
import type { CaptureOptions } from '../test/helpers/captures.js';
import { webcam } from '../test/helpers/head.js';
import { drawComputer } from '../research/panel/computers.js';
import { transportOf } from '../research/panel/devices.js';
import { createDraw, type Draw } from '../research/panel/draw.js';
import { byMouse } from '../research/panel/hands.js';
import { noTraces } from '../research/panel/visits.js';

export interface Forger {
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the envelope that are not the capture. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly capture: Partial<CaptureOptions>;
}

/** A recording can be cut at its challenges, because each takes as long as any other. */
export const pace = { leadMs: 920, gapMs: 920, shownMs: 1_600 } as const;

const cameras = [
  'Integrated Webcam (0c45:6a09)',
  'HD Pro Webcam C920 (046d:082d)',
  'Integrated Camera (04f2:b6d9)',
  'FaceTime HD Camera',
  'USB2.0 HD UVC WebCam (13d3:56a2)',
  'Logitech BRIO (046d:085e)',
];

export function drawForger(seed: number): Forger {
  const draw = createDraw(seed);
  const device = drawComputer(draw);
  const { userAgent, acceptLanguage, hintPlatform, hintMobile } = transportOf(device, 'de-DE');
  const { v, sdk, locale } = deviceOnlyExample;
  const hinted =
    hintPlatform === null ? {} : { 'sec-ch-ua-platform': hintPlatform, 'sec-ch-ua-mobile': hintMobile ?? '' };
  return {
    headers: { 'user-agent': userAgent ?? '', 'accept-language': acceptLanguage ?? '', ...hinted },
    claims: {
      ...{ v, sdk, locale },
      device: {
        ...device.body,
        ...noTraces,
        ids: { token: draw.hex(32), kept: draw.chance(0.5) },
        loc: { zone: 'Europe/Berlin', offset: -120, language: 'de-DE', languages: ['de-DE', 'de', 'en'] },
        page: { framed: false, hidden: false, hiddenMs: 0, blurs: draw.whole(0, 3) },
      },
      behavior: byMouse(draw, device.browser !== 'firefox'),
      camera: { ...biometricExample.camera, label: draw.pick(cameras) },
      features: drawFeatures(draw),
    },
    capture: {
      ...pace,
      seed,
      topology: 'key23',
      reactionMs: draw.between(280, 480),
      framesPerSecond: draw.between(11, 22),
      camera: { ...webcam, noise: draw.between(0.3, 0.5) },
    },
  };
}

const drawFeatures = (draw: Draw): object => ({
  deepfake: draw.between(0, 0.12),
  moire: draw.between(0.02, 0.12),
  screenEdges: 0,
  sharpness: draw.between(0.4, 0.8),
  brightness: draw.between(0.35, 0.65),
  contrast: draw.between(0.12, 0.25),
  noise: draw.between(0.006, 0.015),
});
