/** The numbers of the verdict that no detector owns. Expert values; docs/explanation/verdicts.md gives their reasons. */
export const verdictTables = {
  /** Shares in the overall score. If a score is null, its share goes to the others in proportion. */
  overall: { liveness: 0.4, uniqueness: 0.3, authenticity: 0.3 },

  liveness: {
    /** With challenges: answers, cubed so that one missing answer of up to four is a fail; movement. */
    challenged: { answers: 0.7, motion: 0.3 },
    /** Without: nothing that a good recording would not have too, so never near certainty. */
    unchallenged: { motion: 0.8, endurance: 0.1, ceiling: 0.8 },
    answersPower: 3,
    motion: { depth: 0.5, noise: 0.25, blink: 0.25 },
    /** The value of depth without a measurement. */
    unknown: 0.5,
    enduranceMs: 2_000,
    /** Fewer usable frames show nothing. */
    framesMin: 8,
    /** Fewer frames a second show no gesture whole, so nothing follows from them. */
    rateMin: 2,
    tooShortCeiling: 0.1,
  },

  authenticity: {
    /** A capture without any fault; one whose camera hides its name. */
    camera: 0.97,
    cameraUnnamed: 0.93,
    /** Share that a device sure to be driven takes away. */
    deviceLoss: 0.5,
    /** Without a camera: what a measured device, one that was used, and one that a hand used are worth; and one not measured. */
    device: { measured: 0.76, used: 0.855, hand: 0.95, unmeasured: 0.4 },
  },

  /** Calibrated likeness of two faces at the gallery’s threshold, and how steeply it falls below. 1 less the first is the Balanced gate. */
  uniqueness: { atThreshold: 0.15, steepness: 4 },

  quality: {
    low: 0.4,
    frames: [6, 24],
    rate: [2, 7],
    facePixels: [24, 64],
    sharpness: [0.05, 0.35],
    contrast: [0.02, 0.1],
    /** Brightness that is too dark, dark, bright and too bright. */
    brightness: [0.08, 0.2, 0.85, 0.97],
    device: { groups: 0.5, behavior: 0.5 },
  },

  fraud: {
    /** A sure signal of each severity adds this. */
    severity: { low: 0.1, medium: 0.45, high: 0.9 },
    /** A grave signal fails from this confidence on, a medium one makes a session borderline. */
    failConfidence: 0.6,
    borderlineConfidence: 0.5,
    /** Risk of device and behaviour from which a session is borderline: where scoring begins to review. */
    deviceBorderline: 0.4,
  },

  tries: {
    /** How sure each change of device, country or camera makes that tries of a chain differ. */
    step: 0.3,
    /** How sure another country makes that they are not one person’s, by the number of other devices: none, one, more. */
    scattered: [0, 0.4, 0.9],
  },

  faceReuse: {
    /** How sure it is that one picture stands for many respondents, by how many others passed with the face: none, one, two, more. */
    confidences: [0, 0.3, 0.4, 0.9],
  },

  session: {
    /** Clocks of two instances, and of page and service, differ by this much, ms; and the most that a measured round trip adds. */
    clockSlackMs: 300,
    roundTripMsMax: 400,
    /** Share of a capture’s marks seen elsewhere that makes it a replay. */
    replayShare: 0.5,
    /** The same of its marks of motion that one other session sent, and how many these are at least. */
    motionShare: 0.15,
    motionMarksMin: 10,
    severalFacesShare: 0.2,
  },
} as const;
