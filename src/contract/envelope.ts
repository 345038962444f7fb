/**
 * The verification envelope: the body of `POST /public/verify`, what a browser measured. Measurements only: a score that a client
 * adds is an unknown field, and unknown fields are ignored. Every value is a claim that may be forged; every group but the
 * session’s own is optional, and within a group null means "could not be measured".
 *
 * Client times are milliseconds on the page’s monotonic clock, 0 being the moment when the session’s challenges arrived.
 */
import { Type, type Static } from 'typebox';
import {
  callerIdLengthMax,
  embeddingDimensionMax,
  embeddingDimensionMin,
  evidenceFramesMax,
  frameCountMax,
  landmarkCharactersMax,
} from '../limits.js';
import { Absent, StringEnum, Timestamp } from './common.js';
import { EvidenceFrame } from './evidence-frames.js';
import { ProbeBody } from './probe.js';
import { unit } from './project-parts.js';

/** Points per frame of each landmark layout. key23: those that the verdict reads, in the order of workers/verification/landmarks.ts. */
export const topologyPoints = { key23: 23, face68: 68, mesh468: 468, mesh478: 478 } as const;
export type Topology = keyof typeof topologyPoints;
const topologies = ['key23', 'face68', 'mesh468', 'mesh478'] as const satisfies readonly Topology[];

/** Bytes of one point: x and y, each a signed 16-bit integer, little-endian. */
export const pointBytes = 4;

/** Landmark units per pixel. */
export const unitsPerPixel = 8;

const timeMs = (description: string) => Type.Number({ minimum: 0, maximum: 3_600_000, description });
const model = Type.String({ minLength: 1, maxLength: 64, description: 'Name and version of the model that measured.' });
const base64 = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^[A-Za-z0-9+/]*={0,2}$', description });

const { ids, auto, lies, gaps, ua, hw, scr, loc, gfx, env, page, beh } = ProbeBody.properties;

/** The probe’s groups that describe the device, as the lite probe sends them. */
export const EnvelopeDevice = Type.Object({ ids, auto, lies, gaps, ua, hw, scr, loc, gfx, env, page });
export type EnvelopeDevice = Static<typeof EnvelopeDevice>;

export const EnvelopeCamera = Type.Object({
  label: Absent(
    Type.String({
      maxLength: 256,
      description: 'MediaStreamTrack.label. Whether it is a virtual camera is judged here.',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 256 }), {
      maxItems: 16,
      description: 'Labels of all video inputs, if the browser shows them.',
    }),
  ),
  facing: Absent(StringEnum(['user', 'environment', 'left', 'right'] as const)),
  width: Absent(
    Type.Integer({ minimum: 1, maximum: 16_384, description: 'Value of the track’s settings, in pixels.' }),
  ),
  height: Absent(
    Type.Integer({ minimum: 1, maximum: 16_384, description: 'Value of the track’s settings, in pixels.' }),
  ),
  frameRate: Absent(
    Type.Number({ minimum: 0, maximum: 1_000, description: 'Frame rate of the track’s settings, per second.' }),
  ),
  capabilities: Absent(
    Type.Integer({ minimum: 0, maximum: 100, description: 'How many entries getCapabilities() of the track has.' }),
  ),
});
export type EnvelopeCamera = Static<typeof EnvelopeCamera>;

export const EnvelopeFrames = Type.Object(
  {
    topology: StringEnum(topologies, {
      description:
        'Layout of the landmarks: 23, 68, 468 or 478 points a frame; docs/reference/envelope.md lists the 23.',
    }),
    model,
    width: Type.Integer({
      minimum: 16,
      maximum: 4_095,
      description: 'Size of the frames that the model saw, in pixels.',
    }),
    height: Type.Integer({
      minimum: 16,
      maximum: 4_095,
      description: 'Size of the frames that the model saw, in pixels.',
    }),
    atMs: Type.Array(timeMs('Capture time of the frame.'), { minItems: 1, maxItems: frameCountMax }),
    points: base64(
      landmarkCharactersMax,
      'Base64 of all frames in order, 4 bytes per point. Each point is x, then y, as signed 16-bit little-endian integers in eighths of a pixel. y points down; nothing is mirrored.',
    ),
    hashes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{8,16}$' }), {
        maxItems: frameCountMax,
        description: 'Hash of each frame’s pixels, one a frame.',
      }),
    ),
    faces: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
        maxItems: frameCountMax,
        description: 'Faces seen in each frame, one number a frame.',
      }),
    ),
    missed: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Frames without a face.' })),
  },
  { description: 'Landmarks of one face over time.' },
);
export type EnvelopeFrames = Static<typeof EnvelopeFrames>;

export const EnvelopeChallenge = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the revealed challenge.' }),
  startedAtMs: timeMs('When the challenge was shown.'),
  endedAtMs: timeMs('When the widget went on from it.'),
  firstFrame: Type.Integer({ minimum: 0, maximum: frameCountMax - 1, description: 'Index of its first frame.' }),
  lastFrame: Type.Integer({ minimum: 0, maximum: frameCountMax - 1, description: 'Index of its last frame.' }),
});
export type EnvelopeChallenge = Static<typeof EnvelopeChallenge>;

/** Statistics of the pictures over the capture. Each is weak evidence; none of them passes a respondent. */
export const EnvelopeFeatures = Type.Object({
  deepfake: Absent(unit('Raw output of a deepfake detector, 1 for synthetic.')),
  moire: Absent(unit('Share of spectral energy in periodic patterns, as a display’s grid leaves.')),
  screenEdges: Absent(unit('Likeness of a device’s or a picture’s frame around the face.')),
  glare: Absent(unit('Share of the face lit by flat, colourless highlights, as glass leaves.')),
  flicker: Absent(unit('Strength of a periodic change of brightness at a display’s rate.')),
  sharpness: Absent(unit('Detail in the face, 0 blurred.')),
  brightness: Absent(unit('Mean luminance of the face.')),
  contrast: Absent(unit('Spread of luminance in the face.')),
  noise: Absent(unit('Standard deviation between still frames over full scale, which is the sensor’s noise.')),
  noiseRepeat: Absent(
    unit('Greatest correlation of the noise of two frames: nearly 0 for a sensor, 1 for one picture.'),
  ),
});
export type EnvelopeFeatures = Static<typeof EnvelopeFeatures>;

export const EnvelopeEmbedding = Type.Object(
  {
    model,
    dimension: Type.Integer({ minimum: embeddingDimensionMin, maximum: embeddingDimensionMax }),
    values: base64(
      Math.ceil((embeddingDimensionMax * 2) / 3) * 4,
      'Base64 of `dimension` signed 16-bit little-endian integers: the components of the vector at unit length, times 32,767.',
    ),
    norm: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'Length of the vector as the model gave it.',
      }),
    ),
  },
  { description: 'The face as one vector of numbers.' },
);
export type EnvelopeEmbedding = Static<typeof EnvelopeEmbedding>;

export const Demographics = Type.Object({
  ageEstimate: Type.Number({ minimum: 0, maximum: 150, description: 'Years.' }),
  ageRange: Type.Object({
    min: Type.Number({ minimum: 0, maximum: 150 }),
    max: Type.Number({ minimum: 0, maximum: 150 }),
  }),
  gender: StringEnum(['male', 'female', 'unknown'] as const),
  genderConfidence: unit('Confidence of the model.'),
  fitzpatrickType: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
  skinLuminance: Type.Optional(unit('Luminance of the skin, normalized to 0-1.')),
});
export type Demographics = Static<typeof Demographics>;

export const EnvelopeConsent = Type.Object({
  biometric: Type.Boolean({
    description: 'Whether the respondent agreed to the camera check; false if they declined.',
  }),
  at: Type.Optional(Timestamp),
});
export type EnvelopeConsent = Static<typeof EnvelopeConsent>;

/** Why there is no capture: one of the widget’s own, or the name of a DOM exception. */
export const CameraFailureReason = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
  description:
    'Reason for a missing capture: no_face_capture, unknown_capability, mediapipe_load_failed, or the name of a DOM exception.',
});

export const Envelope = Type.Object(
  {
    v: Type.Literal(1, { description: 'Version of this body.' }),
    sdk: Type.String({ minLength: 1, maxLength: 32, description: 'Version of the bundle.' }),
    sessionId: Type.String({ minLength: 1, maxLength: callerIdLengthMax, description: 'Id of the session.' }),
    nonce: Type.String({ minLength: 1, maxLength: 128, description: 'challengeConfig.nonce of the session.' }),
    locale: Absent(Type.String({ maxLength: 35 })),
    consent: Absent(EnvelopeConsent),
    device: Type.Optional(EnvelopeDevice),
    behavior: beh,
    camera: Absent(EnvelopeCamera),
    frames: Absent(EnvelopeFrames),
    challenges: Type.Optional(
      Type.Array(EnvelopeChallenge, { maxItems: 16, description: 'In the order in which they were shown.' }),
    ),
    features: Absent(EnvelopeFeatures),
    embedding: Absent(EnvelopeEmbedding),
    evidenceFrames: Absent(
      Type.Array(EvidenceFrame, {
        maxItems: evidenceFramesMax,
        description:
          'Pictures that the service requested; checked at once and never kept. Ignored unless the project samples.',
      }),
    ),
    demographics: Absent(Demographics),
    glassesDetected: Absent(Type.Boolean()),
    cameraFailureReason: Absent(CameraFailureReason),
    canEscalate: Type.Optional(
      Type.Boolean({
        description:
          'The page can go on to the camera. If the passive signals do not pass, the session stays open, once, and the answer asks for a camera check.',
      }),
    ),
    timings: Type.Optional(
      Type.Object({
        consentMs: Absent(timeMs('When consent was given.')),
        cameraMs: Absent(timeMs('When the camera delivered its first frame.')),
        modelsMs: Absent(timeMs('How long loading the models took.')),
        totalMs: Absent(timeMs('When the envelope was closed.')),
      }),
    ),
  },
  { additionalProperties: true, description: 'Verification envelope: what the browser measured, never a score.' },
);
export type Envelope = Static<typeof Envelope>;

/** The device and the behaviour as a message of the probe, which the rules of scoring weigh and compare. */
export const probeBodyOf = ({ sdk, sessionId, nonce, device, behavior }: Envelope): ProbeBody => ({
  ...({ v: 1, sdk, projectKey: '', sessionId, nonce, seq: 0, phase: 'update', at: 0, up: 0 } as const),
  ...device,
  ...(behavior === undefined ? {} : { beh: behavior }),
});

/** The checks that a schema cannot express, as the issues of a 422: lengths that must agree with each other. Empty if all agree. */
export function findEnvelopeIssues({
  frames,
  embedding,
  challenges,
  evidenceFrames,
  demographics,
}: Envelope): readonly EnvelopeIssue[] {
  const issues: EnvelopeIssue[] = [];
  const expect = (holds: boolean, path: string, message: string): void => {
    if (!holds) issues.push({ path, message });
  };
  const count = frames?.atMs.length ?? 0;
  if (frames != null) {
    const bytes = count * topologyPoints[frames.topology] * pointBytes;
    expect(
      bytesOf(frames.points) === bytes,
      '/frames/points',
      `must hold ${bytes} bytes: 4 for each point of each frame.`,
    );
    for (const name of ['hashes', 'faces'] as const) {
      const list = frames[name];
      expect(
        list === undefined || list.length === count,
        `/frames/${name}`,
        `must have one entry for each of ${count} frames.`,
      );
    }
  }
  if (embedding != null) {
    const bytes = embedding.dimension * 2;
    expect(bytesOf(embedding.values) === bytes, '/embedding/values', `must hold ${bytes} bytes: 2 for each dimension.`);
  }
  for (const [index, { firstFrame, lastFrame }] of (challenges ?? []).entries()) {
    const fits = firstFrame <= lastFrame && lastFrame < Math.max(count, 1);
    expect(fits, `/challenges/${index}`, 'must name frames that were sent, the first not after the last.');
  }
  for (const [index, { width, height, grey }] of (evidenceFrames ?? []).entries())
    expect(
      bytesOf(grey) === width * height,
      `/evidenceFrames/${index}/grey`,
      `must hold ${width * height} bytes: 1 for each pixel.`,
    );
  if (demographics != null) {
    const { min, max } = demographics.ageRange;
    expect(min <= max, '/demographics/ageRange', 'must have a min that is not above its max.');
  }
  return issues;
}

export interface EnvelopeIssue {
  /** JSON pointer into the body. */
  readonly path: string;
  readonly message: string;
}

/** Bytes that a base64 text stands for; -1 where its length is none that base64 has. */
function bytesOf(text: string): number {
  if (text.length % 4 !== 0) return -1;
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  return (text.length / 4) * 3 - padding;
}

/** Whether the capture may be used: never without consent, nor in the invisible mode of a project that does not escalate. */
export function judgeCameraUse(
  { consent, frames, embedding }: Envelope,
  { widgetMode, escalateOnSuspicion }: CameraPolicy,
): CameraUse {
  if (frames == null && embedding == null) return 'absent';
  if (consent?.biometric !== true) return 'consent_missing';
  return widgetMode === 'invisible' && !escalateOnSuspicion ? 'camera_not_asked' : 'usable';
}

export interface CameraPolicy {
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  readonly escalateOnSuspicion: boolean;
}

export type CameraUse = 'usable' | 'absent' | 'consent_missing' | 'camera_not_asked';
