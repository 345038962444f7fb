/**
 * Two envelopes that pass: what the API’s document shows of `POST /public/verify`. Each goes into a fresh session once its sessionId and nonce are
 * put in, and in the biometric one the ids of the session’s challenges in place of these. The capture shows a head that does not exist, computed by
 * test/helpers; a test computes it again.
 */
import type { Envelope } from './envelope.js';
import type { ChallengeType } from './verdict.js';

/** What the biometric example answers, in this order; it fails where a session asks for anything else, as it should, and
 * passes where the project’s challengeEnabled is false, so that a session asks for nothing. */
export const exampleChallenges = ['blink', 'turn_left'] as const satisfies readonly ChallengeType[];

const measured = {
  v: 1,
  sdk: '1.0.0',
  sessionId: 'sess_of_yours',
  nonce: 'nonce of the session',
  locale: 'de-DE',
  device: {
    auto: { webdriver: false, globals: [], debugStack: false, debugGetter: false },
    lies: [],
    ua: {
      ua: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
      brands: ['Chromium;149', 'Google Chrome;149'],
      mobile: false,
      platform: 'Windows',
      platformVersion: '15.0.0',
      model: '',
      arch: 'x86',
    },
    hw: { cores: 8, memory: 8, touch: 0, platform: 'Win32' },
    scr: {
      w: 1920,
      h: 1080,
      availW: 1920,
      availH: 1040,
      outerW: 1920,
      outerH: 1040,
      innerW: 1903,
      innerH: 940,
      dpr: 1,
      depth: 24,
    },
    loc: { zone: 'Europe/Berlin', offset: -120, language: 'de-DE', languages: ['de-DE', 'de', 'en'] },
    gfx: {
      vendor: 'Google Inc. (Intel)',
      renderer: 'ANGLE (Intel, Intel(R) UHD Graphics 630, D3D11)',
      canvas: 'a1b2c3d4',
      stable: true,
      audio: 124.043,
    },
    env: { fonts: 'f0f1f2f3', plugins: 5, pdf: true, cookies: true, storage: true },
    page: { framed: false, hidden: false, hiddenMs: 0, blurs: 1 },
  },
  behavior: {
    ms: 84000,
    moves: 420,
    interval: [400, 18.2, 12.5, 6.9, 290],
    speed: [400, 0.8, 0.7, 0.01, 6],
    turn: [400, 0.3, 0.4, 0, 3.1],
    straight: 0.91,
    coalesced: [420, 2.3, 1.1, 1, 5],
    resolution: 0.1,
    fractional: 0,
    clicks: 9,
    clickDwell: [9, 78, 21, 44, 120],
    clickSettle: [9, 144, 60, 31, 260],
    clickCentre: [9, 0.34, 0.2, 0.05, 0.8],
    clickBare: 0,
    pressureZero: 0,
    keys: 40,
    keyDwell: [40, 92, 25, 40, 170],
    keyFlight: [39, 120, 90, -30, 700],
    keyNoCode: 0,
    inputNoKey: 0,
    wheels: 20,
    wheelLies: 0,
    scrolls: 40,
    touches: 0,
    touchForce: null,
    touchRadius: null,
    pastes: 0,
    pasteChars: 0,
    untrusted: 0,
    motion: null,
  },
} as const satisfies Partial<Envelope>;

/** A person at a computer without a camera. */
export const deviceOnlyExample = { ...measured, cameraFailureReason: 'NotFoundError' } as const;

/** A person before a camera who blinks and turns to their left. */
export const biometricExample = {
  ...measured,
  consent: { biometric: true, at: '2026-05-04T12:00:00Z' },
  camera: { label: 'Integrated Webcam', facing: 'user', width: 640, height: 480, frameRate: 30 },
  frames: {
    topology: 'key23',
    model: 'head/1',
    width: 640,
    height: 480,
    atMs: [
      80, 162.1, 246.3, 329.5, 414.3, 495.2, 578.4, 660.3, 746, 829.6, 912.1, 994.4, 1076.3, 1158.8, 1241.6, 1323.7,
      1405.6, 1488.8, 1573.8, 1655.6, 1739.7, 1824.1, 1908.5, 1991.5, 2074.4, 2159.5, 2241.2, 2321.2, 2404.7, 2487.9,
      2572.3, 2655.2, 2737.1, 2819.2, 2904.9, 2986.4, 3068.2, 3150.6, 3232.2, 3315.4, 3397.3,
    ],
    points:
      'XAh8BqUIWgYACVUGVgl+BgEJowaiCJ8GxgqCBh8LVwZ5C1gGxQt8BnsLngYiC6QGEAoyBhEK/geJCTQInwozCBgJNAkFCzAJDgryCA4KAwkVCjQLage0BsIMrwZWCH8GnQhdBvgIVgZOCX8G+wilBpwInwbDCn4GGgtUBnULVAbAC3oGdAuZBhgLogYHCi8GBwr5B38JOAiXCjEIEgkzCf8KLwkJCu8ICgoACREKLQtlB7QGtwytBk0IewaVCFwG7whUBkkJewbwCKAGlgidBrIKfAYHC1IGZgtUBrMLdgZoC5sGCwufBvsJMAb9CfQHeAkyCI0KLggJCTAJ9gouCfsJ7Aj8CQIJBwopC1kHtQauDKUGRQh7BokIWgbqCFQGPwl9Bu0IogaRCKAGqAp5Bv0KTgZbC1EGowt0BlkLlwb/Cp4G8QkuBvMJ8gdpCS0IgAotCAcJKQn1CiEJ+AnlCPoJ9Aj/CS0LUQe6BqMMrAY5CH0GfQhdBtwIWAYwCYAG4QilBn8InwahCnkG9wpPBlgLUQaeC3MGVQuXBvkKnAbpCSgG7AnqB2oJKQh8CicI+AgvCeQKKQnrCesI7Qn5CPcJJwtEB7YGmAyoBjgIeQZ+CFkG2ghRBi8JewbdCKAGgQibBpwKewbwCk8GTwtRBpcLcwZQC5UG8wqbBuAJKgbiCesHWwkqCHIKJgj2CDAJ4QonCeoJ5wjqCfYI9QkiC0cHtgaXDKUGMgiBBncIXwbTCFgGJgmCBtEIpgZ4CKIGmAp1BukKSAZKC04GkAtwBkgLkgbsCpkG2QkqBtsJ7QdUCSsIagomCOsIKwnZCiUJ4QnkCOEJ9AjqCSULPQe6Bo0MqQYqCIEGbgh4Bs0IdAYjCYEG0QiLBnIIjAaUCnkG6AptBkQLawaMC3IGRguABucKgAbYCS0G2QnvB1YJKghnCigI6ggsCdcKJwncCegI2wn5COQJIws6B70GhgyqBikIewZwCGwGywhnBiIJfAbPCIgGcQiLBpIKeQbkCmIGQwtlBo4LcQZBC4MG5QqGBtgJLQbcCfAHVQkuCGgKLAjvCCwJ2wooCeMJ7AjkCfkI6AkhCzkHugaJDKYGLQh4BnMIWwbSCFgGJQl4Bs8ImQZ1CJgGkgpzBugKUQZEC08GjQtuBkILiwbsCpIG1QkuBtkJ8gdSCSwIZAosCOwILwnXCioJ3QnrCN4J+QjqCSULNQe8BocMpwYnCIMGbQhfBssIWgYgCYIGywilBm4IpAaUCnoG6wpPBkQLTwaOC3QGRwuYBusKnQbVCS4G1gnxB04JLghlCi0I6wguCdcKKgndCeoI4An9COoJKAs2B7oGigyrBisIewZuCFcGzQhTBiQJfwbOCKMGdAifBp0Kewb0ClEGTQtVBpULdQZOC5sG8AqeBtwJKgbhCe8HVwksCGwKKAjxCDMJ2wowCeYJ8QjpCf4I8QkmCzwHtwaPDKkGLgh9BnUIWgbTCFUGKAl9BtQIpQZ4CKAGnQp8BvIKVgZPC1YGkwt8BksLngbyCqEG4gkoBugJ8AdcCS8IcgorCPUINAnjCjAJ6wnxCO0JAQnxCSkLOQezBpIMqQY5CIMGgAhcBuAIWgY1CYAG4QinBoIIoAasCn4G/gpYBlsLWQajC3sGXQudBv4KpAbnCTQG8An+B18JPAh5CjYI8wgxCeQKLAntCe8I7gn+CPMJKgs7B7MGlQymBjwIfwaJCFwG5AhYBjoJhAblCKYGiAikBq0KfAYEC1MGXQtTBqYLdQZeC5oGAgueBvcJMQb7CfoHbQk0CIYKMggBCTkJ7Ao3CfgJ9Aj4CQcJ+gkxC0MHsQacDK0GSAh7Bo8IWQbvCFYGRQl/BvAIowaRCJ8GtgqABgwLVgZoC1oGsAt8BmcLoAYIC6IG+gktBgAK+wdyCTcIjAo2CAIJMwn0CjIJ/Qn0CP8JAwn6CTcLPwexBp8MsQZFCHYGkAhSBu4IUAZHCXwG7gidBo4ImAa9CnkGFQtRBnALVQa7C3YGbguYBhELnwYDCisGBQr6B3cJNAiQCjcIEAkyCf4KLwkJCvEIBwoECQUKNQtKB7AGqwywBksIdQaYCFUG9ghPBksJewb1CKAGmQiYBsIKfAYbC1EGeAtWBr0LeQZ3C50GGQujBggKMAYLCvwHewk5CJQKPAgLCTYJAgs0CQkK9wgMCgYJBAo0C0gHpQasDKwGVghwBqAISwYACUoGVQl2Bv4IlgajCJQGzQp0BiULTwaDC1IGygt2BoALmQYiC5wGEAokBhEK9wd/CS8ImQowCBYJOQkKCzsJFQr6CBMKCgkICj0LSweqBrEMsAZVCHcGnwhXBgAJUgZXCX4GBQmhBqMInAbRCnoGJwtPBoMLVgbJC3MGggueBiULogYVCigGGQr7B4YJNQieCjYIFAk3CQYLNwkRCvYIDQoFCRQKOAtVB6IGvAyrBlYIcwaiCFEGAQlRBlsJdwYACZwGogiVBtIKcQYrC0oGigtQBtILdQaGC5cGJwuZBh0KJwYgCvoHigk1CKQKNggXCSoJDQstCRoK6wgXCvsIEAo8C1QHpQa8DK8GVQhuBqMISgYACUkGWAl1BgQJlwamCJQGzgpzBicLTAaFC1AGzwtyBoELlQYqC5gGFwofBhwK8QeHCSgIoQouCA0JMQkFCzYJDQrxCA4KAQkJCjULUAebBrwMqAZZCGcGoghFBgIJQwZaCW0GAQmVBqEIjQbSCnIGKQtHBocLTgbQC3EGhguSBisLlAYXCiEGFwr0B4IJLAieCjAIEAkuCQkLMgkQCvIIDwr/CAgKOwtSB54GuQyuBmgIZAa1CEAGFAlABmoJZwYQCY8GswiJBuIKcQY3C0UGkwtMBt8LcQaUC5IGOguWBiwKIAYyCvAHmwksCLYKLAgaCSgJEAsrCRwK6AgfCvUIGwo1C1kHmwbDDKsG1AhhBigJOgaKCTkG3glmBosJiQYnCYUGUAtyBqgLRwb+C04GOwx1BvoLlwalC5kGtgoiBuEK7gcsCikIQQsqCKcJLwmTCywJuwruCLgKAAmaCjALfQeVBtQMrwZMCWAGpgk/BgcKPwZYCmoGAwqMBqEJhAa1C3gGCAxPBlgMWAaKDHwGVAybBgcMngY3CyUGhQvvB7YKKgi/CyoIJQovCfgLJglBC+gIQAv5CAoLJAusB4sG1wysBp4JYQb6CUIGXwpBBqgKbQZXCo8G9gmIBvgLfwZJDFkGkwxeBrsMgQaODKMGSAykBpELJgb1C/AHGQsqCBUMKgh6Ci4JPQwfCZ8L6AifC/gIWwsgC9gHjwbYDLQG3QlgBjkKQwaZCkMG3wpvBpQKkgY2CooGHwx6BnAMVAaxDFgG2Qx8BqwMmwZoDJ0GzgsvBkAM8AdaCywITQwsCLYKMwlgDCEJ1AvqCNUL+QiJCx4L7wePBskMtQbwCWkGTQpHBq8KSQb1CncGqQqcBksKjwYuDHgGegxVBrkMXAbdDH4GtwyeBnQMogbbCzAGWQzzB3QLMAhcDCkIzAonCXEMGQnqC98I6wv0CKQLHwsFCJUGxQy7BuMJZAZACkMGoQpFBuQKbwadCpMGOgqNBiEMggZwDFoGtAxgBtUMggavDKMGbQymBtQLLQZGDO8HYgssCE4MKQjJCjQJbgwkCeQL6gjjC/oIlAsWC/gHjgbDDLUGqwlqBgkKTAZpCkkGsgp5BmYKmgYFCpIG+guABkwMWwaQDGMGuQyFBowMpQZGDKkGnQszBgoM9wcrCzEIIAwrCI4KNQlDDCgJqgvwCKsL/ghuCx0L4QeaBscMtAZaCXIGtwlWBhYKVQZkCn0GFQqgBrIJnAa5C4EGCwxYBlkMXwaGDH8GUgyiBgkMowZKCzAGoQv4B9AKMQjQCy0IMAo5CfsLLglMC/UITAsFCRkLKQuwB6YGvQy3Bu8IegZECVkGpglXBvgJgQakCaYGQQmeBl0LiAa2C10GBwxhBkIMhQYDDKUGrgupBtMKOQYJCwEIUwo8CGELPAjHCTwJpgs0Cd0K+gjbCgkJtgovC34HqQa2DLYGfgiABskIYQYqCVkGfgmGBioJrAbJCKYG7QqEBkkLXAagC2AG5guFBpsLpQZFC60GRwo6Bl8KBAjACT0I1Qo+CEcJPAkzCzcJSQr6CEcKCQk/CjYLVweyBqsMtQYpCIkGcQhnBssIZAYgCY4GygixBm8IrAabCoYG7wpeBk4LYQaYC4EGTAumBvAKrgbZCUMG1AkMCE4JRAhiCkMI5whCCdUKQQnZCQYJ3AkRCdsJOAs/B7gGlAy0Bi0IjQZ0CGoG0QhoBigJjwbWCLQGeQisBpQKkQbrCmcGSgtpBpELjAZHC64G6gqzBtgJRAbUCQ4ITwlHCGQKRwjtCEcJ2QpHCeAJBgniCRcJ4gk8C0QHvQaWDLUGOAiSBnoIcAbbCG4GLwmYBtsIuQaCCLgGpAqWBvgKbgZYC2wGoQuTBlcLtwb6CrsG5AlJBuAJFAhaCU8IbwpPCPEITQncCksJ5AkQCeIJHgnqCUMLRwfFBp4MvwY+CJsGhgh4BuEIdQY5CZsG5AjDBooIvwanCpcG+wptBlsLcQaiC5QGWgu3Bv0KugboCU0G5gkZCFwJVAhzClEI+whKCeoKSAnsCQsJ7wkcCfIJSAtNB8cGogzABkEImAaJCHEG5ghwBjoJmQbmCL4GiQi6BqYKmwb/CnIGWQtzBqULlwZbC7kG/wq/Bu8JTwbvCRsIZglTCIAKUgj/CFYJ7ApRCfMJFwnzCSUJ/QlMC1cHygasDMUGUQicBpkIeAb0CHgGTgmfBvcIxQaaCLwGugqiBg4LdQZsC3UGtgucBm0LugYQC8IG/AlTBvoJHAhyCVQIigpSCAwJUAn2Ck4JAAoRCfwJHQkFCk4LXgfNBrEMwwZWCJoGngh7Bv0IdwZUCaAG/AjFBp8IvgbHCp0GGwt2BnoLeAbCC5cGfAu/Bh4LwgYJClIGDAocCH0JVQiZClQIEwlUCQALUgkLChQJBwojCQwKSgteB8oGtgzEBg==',
  },
  challenges: [
    { id: 'challenge-1', startedAtMs: 300, endedAtMs: 1700, firstFrame: 3, lastFrame: 19 },
    { id: 'challenge-2', startedAtMs: 1700, endedAtMs: 3100, firstFrame: 20, lastFrame: 36 },
  ],
  features: {
    antispoof: 0.9,
    passiveLiveness: 0.85,
    moire: 0.1,
    sharpness: 0.6,
    brightness: 0.5,
    contrast: 0.2,
    noise: 0.01,
  },
  embedding: {
    model: 'head/1',
    dimension: 128,
    values:
      'FwzQBaXz2wYbA1ASBfdpC38DHg8R/M3xmvp39Gb88wLSBBkD+OuW93wLHwslAuMLkAvLD0n8FwV/9CkAb/vGB3zp9QZ76nsVTALrCXDkIwBg/58Of/Xh/ZwatwI99IP/NfYMFK0K1+qCBB3nh//9AvD7aO90+lD3u/ok/4zoCwaXAhD6igUv/UL27P92BswLXgK2AzEIOveX/oUMBgbwFDIJfAmIDuT5xfgd+MX1aw5p/P7yi/SdBkMKOQukDsr7p/VRCIcRnfVk8IL6lQen/gruHvK4/6gBnhcgEr3uav6/B2P4U/2JB6XvvxA6+0v8AvR7C4z1rPFZBsEG9wpBAA==',
  },
  demographics: { ageEstimate: 34, ageRange: { min: 29, max: 39 }, gender: 'female', genderConfidence: 0.97 },
  glassesDetected: false,
  timings: { totalMs: 3400 },
} as const;
