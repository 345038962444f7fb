/**
 * Two envelopes that pass, for the API document. They go into a fresh session with its sessionId and nonce and the ids of its challenges.
 * The capture shows a head that test/helpers computes; a test computes it again.
 */
import type { Envelope } from './envelope.js';
import { personBehavior, personDevice } from './person-example.js';
import type { ChallengeType } from './verdict.js';

/**
 * The challenges that the biometric example answers, which sessions of test and demo keys ask for. A live session asks for others, so that
 * the example fails there, as it should.
 */
export const exampleChallenges = ['blink', 'turn_left', 'smile'] as const satisfies readonly ChallengeType[];

const measured = {
  v: 1,
  sdk: '1.0.0',
  sessionId: 'sess_of_yours',
  nonce: 'nonce of the session',
  locale: 'de-DE',
  device: personDevice,
  behavior: personBehavior,
} as const satisfies Partial<Envelope>;

/** A person at a computer without a camera. */
export const deviceOnlyExample = { ...measured, cameraFailureReason: 'NotFoundError' } as const;

/**
 * The calls for its challenges, each to be made so long after the first one: what the example shows took this time, and a session takes no
 * capture that is faster than its challenges.
 */
export const exampleCalls = [
  { afterMs: 0, body: { index: 0, commitment: null, frameCount: 0 } },
  { afterMs: 1300, body: { index: 1, commitment: 'QPd7RvWfvpgozOYtg6nLSlE2UCrebxyZ36yWnp-VT1k', frameCount: 15 } },
  { afterMs: 2700, body: { index: 2, commitment: 'p6axeuPLKzDmLaHpZLMpI3_fRttdKnBLXVaLWzsJ-0E', frameCount: 32 } },
  { afterMs: 4400, body: { index: 3, commitment: 'CO5S7vgYSIrrV9Z7oyDUuUvQLyzLws4rl9K2RJ2Yr-Y', frameCount: 52 } },
] as const;

/** A person before a camera who blinks, turns to their left and smiles. */
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
      2572.3, 2655.2, 2737.1, 2819.2, 2904.9, 2986.4, 3068.2, 3150.6, 3232.2, 3315.4, 3397.3, 3479.8, 3562.7, 3644.9,
      3731.3, 3814, 3899.8, 3984.5, 4069.3, 4152.6, 4235.8, 4317.5,
    ],
    points:
      'XAh8BqUIWgYACVUGVgl+BgEJowaiCJ8GxgqCBh8LVwZ5C1gGxQt8BnsLngYiC6QGEAoyBhEK/geJCTQInwozCBgJNAkFCzAJDgryCA4KAwkVCjQLage0BsIMrwZWCH8GnQhdBvgIVgZOCX8G+wilBpwInwbDCn4GGgtUBnULVAbAC3oGdAuZBhgLogYHCi8GBwr5B38JOAiXCjEIEgkzCf8KLwkJCu8ICgoACREKLQtlB7QGtwytBk0IewaVCFwG7whUBkkJewbwCKAGlgidBrIKfAYHC1IGZgtUBrMLdgZoC5sGCwufBvsJMAb9CfQHeAkyCI0KLggJCTAJ9gouCfsJ7Aj8CQIJBwopC1kHtQauDKUGRQh7BokIWgbqCFQGPwl9Bu0IogaRCKAGqAp5Bv0KTgZbC1EGowt0BlkLlwb/Cp4G8QkuBvMJ8gdpCS0IgAotCAcJKQn1CiEJ+AnlCPoJ9Aj/CS0LUQe6BqMMrAY5CH0GfQhdBtwIWAYwCYAG4QilBn8InwahCnkG9wpPBlgLUQaeC3MGVQuXBvkKnAbpCSgG7AnqB2oJKQh8CicI+AgvCeQKKQnrCesI7Qn5CPcJJwtEB7YGmAyoBjgIeQZ+CFkG2ghRBi8JewbdCKAGgQibBpwKewbwCk8GTwtRBpcLcwZQC5UG8wqbBuAJKgbiCesHWwkqCHIKJgj2CDAJ4QonCeoJ5wjqCfYI9QkiC0cHtgaXDKUGMgiBBncIXwbTCFgGJgmCBtEIpgZ4CKIGmAp1BukKSAZKC04GkAtwBkgLkgbsCpkG2QkqBtsJ7QdUCSsIagomCOsIKwnZCiUJ4QnkCOEJ9AjqCSULPQe6Bo0MqQYqCIEGbgh4Bs0IdAYjCYEG0QiLBnIIjAaUCnkG6AptBkQLawaMC3IGRguABucKgAbYCS0G2QnvB1YJKghnCigI6ggsCdcKJwncCegI2wn5COQJIws6B70GhgyqBikIewZwCGwGywhnBiIJfAbPCIgGcQiLBpIKeQbkCmIGQwtlBo4LcQZBC4MG5QqGBtgJLQbcCfAHVQkuCGgKLAjvCCwJ2wooCeMJ7AjkCfkI6AkhCzkHugaJDKYGLQh4BnMIWwbSCFgGJQl4Bs8ImQZ1CJgGkgpzBugKUQZEC08GjQtuBkILiwbsCpIG1QkuBtkJ8gdSCSwIZAosCOwILwnXCioJ3QnrCN4J+QjqCSULNQe8BocMpwYnCIMGbQhfBssIWgYgCYIGywilBm4IpAaUCnoG6wpPBkQLTwaOC3QGRwuYBusKnQbVCS4G1gnxB04JLghlCi0I6wguCdcKKgndCeoI4An9COoJKAs2B7oGigyrBisIewZuCFcGzQhTBiQJfwbOCKMGdAifBp0Kewb0ClEGTQtVBpULdQZOC5sG8AqeBtwJKgbhCe8HVwksCGwKKAjxCDMJ2wowCeYJ8QjpCf4I8QkmCzwHtwaPDKkGLgh9BnUIWgbTCFUGKAl9BtQIpQZ4CKAGnQp8BvIKVgZPC1YGkwt8BksLngbyCqEG4gkoBugJ8AdcCS8IcgorCPUINAnjCjAJ6wnxCO0JAQnxCSkLOQezBpIMqQY5CIMGgAhcBuAIWgY1CYAG4QinBoIIoAasCn4G/gpYBlsLWQajC3sGXQudBv4KpAbnCTQG8An+B18JPAh5CjYI8wgxCeQKLAntCe8I7gn+CPMJKgs7B7MGlQymBjwIfwaJCFwG5AhYBjoJhAblCKYGiAikBq0KfAYEC1MGXQtTBqYLdQZeC5oGAgueBvcJMQb7CfoHbQk0CIYKMggBCTkJ7Ao3CfgJ9Aj4CQcJ+gkxC0MHsQacDK0GSAh7Bo8IWQbvCFYGRQl/BvAIowaRCJ8GtgqABgwLVgZoC1oGsAt8BmcLoAYIC6IG+gktBgAK+wdyCTcIjAo2CAIJMwn0CjIJ/Qn0CP8JAwn6CTcLPwexBp8MsQZFCHYGkAhSBu4IUAZHCXwG7gidBo4ImAa9CnkGFQtRBnALVQa7C3YGbguYBhELnwYDCisGBQr6B3cJNAiQCjcIEAkyCf4KLwkJCvEIBwoECQUKNQtKB7AGqwywBksIdQaYCFUG9ghPBksJewb1CKAGmQiYBsIKfAYbC1EGeAtWBr0LeQZ3C50GGQujBggKMAYLCvwHewk5CJQKPAgLCTYJAgs0CQkK9wgMCgYJBAo0C0gHpQasDKwGVghwBqAISwYACUoGVQl2Bv4IlgajCJQGzQp0BiULTwaDC1IGygt2BoALmQYiC5wGEAokBhEK9wd/CS8ImQowCBYJOQkKCzsJFQr6CBMKCgkICj0LSweqBrEMsAZVCHcGnwhXBgAJUgZXCX4GBQmhBqMInAbRCnoGJwtPBoMLVgbJC3MGggueBiULogYVCigGGQr7B4YJNQieCjYIFAk3CQYLNwkRCvYIDQoFCRQKOAtVB6IGvAyrBlYIcwaiCFEGAQlRBlsJdwYACZwGogiVBtIKcQYrC0oGigtQBtILdQaGC5cGJwuZBh0KJwYgCvoHigk1CKQKNggXCSoJDQstCRoK6wgXCvsIEAo8C1QHpQa8DK8GVQhuBqMISgYACUkGWAl1BgQJlwamCJQGzgpzBicLTAaFC1AGzwtyBoELlQYqC5gGFwofBhwK8QeHCSgIoQouCA0JMQkFCzYJDQrxCA4KAQkJCjULUAebBrwMqAZZCGcGoghFBgIJQwZaCW0GAQmVBqEIjQbSCnIGKQtHBocLTgbQC3EGhguSBisLlAYXCiEGFwr0B4IJLAieCjAIEAkuCQkLMgkQCvIIDwr/CAgKOwtSB54GuQyuBmgIZAa1CEAGFAlABmoJZwYQCY8GswiJBuIKcQY3C0UGkwtMBt8LcQaUC5IGOguWBiwKIAYyCvAHmwksCLYKLAgaCSgJEAsrCRwK6AgfCvUIGwo1C1kHmwbDDKsG1AhhBigJOgaKCTkG3glmBosJiQYnCYUGUAtyBqgLRwb+C04GOwx1BvoLlwalC5kGtgoiBuEK7gcsCikIQQsqCKcJLwmTCywJuwruCLgKAAmaCjALfQeVBtQMrwZMCWAGpgk/BgcKPwZYCmoGAwqMBqEJhAa1C3gGCAxPBlgMWAaKDHwGVAybBgcMngY3CyUGhQvvB7YKKgi/CyoIJQovCfgLJglBC+gIQAv5CAoLJAusB4sG1wysBp4JYQb6CUIGXwpBBqgKbQZXCo8G9gmIBvgLfwZJDFkGkwxeBrsMgQaODKMGSAykBpELJgb1C/AHGQsqCBUMKgh6Ci4JPQwfCZ8L6AifC/gIWwsgC9gHjwbYDLQG3QlgBjkKQwaZCkMG3wpvBpQKkgY2CooGHwx6BnAMVAaxDFgG2Qx8BqwMmwZoDJ0GzgsvBkAM8AdaCywITQwsCLYKMwlgDCEJ1AvqCNUL+QiJCx4L7wePBskMtQbwCWkGTQpHBq8KSQb1CncGqQqcBksKjwYuDHgGegxVBrkMXAbdDH4GtwyeBnQMogbbCzAGWQzzB3QLMAhcDCkIzAonCXEMGQnqC98I6wv0CKQLHwsFCJUGxQy7BuMJZAZACkMGoQpFBuQKbwadCpMGOgqNBiEMggZwDFoGtAxgBtUMggavDKMGbQymBtQLLQZGDO8HYgssCE4MKQjJCjQJbgwkCeQL6gjjC/oIlAsWC/gHjgbDDLUGqwlqBgkKTAZpCkkGsgp5BmYKmgYFCpIG+guABkwMWwaQDGMGuQyFBowMpQZGDKkGnQszBgoM9wcrCzEIIAwrCI4KNQlDDCgJqgvwCKsL/ghuCx0L4QeaBscMtAZaCXIGtwlWBhYKVQZkCn0GFQqgBrIJnAa5C4EGCwxYBlkMXwaGDH8GUgyiBgkMowZKCzAGoQv4B9AKMQjQCy0IMAo5CfsLLglMC/UITAsFCRkLKQuwB6YGvQy3Bu8IegZECVkGpglXBvgJgQakCaYGQQmeBl0LiAa2C10GBwxhBkIMhQYDDKUGrgupBtMKOQYJCwEIUwo8CGELPAjHCTwJpgs0Cd0K+gjbCgkJtgovC34HqQa2DLYGfgiABskIYQYqCVkGfgmGBioJrAbJCKYG7QqEBkkLXAagC2AG5guFBpsLpQZFC60GRwo6Bl8KBAjACT0I1Qo+CEcJPAkzCzcJSQr6CEcKCQk/CjYLVweyBqsMtQYpCIkGcQhnBssIZAYgCY4GygixBm8IrAabCoYG7wpeBk4LYQaYC4EGTAumBvAKrgbZCUMG1AkMCE4JRAhiCkMI5whCCdUKQQnZCQYJ3AkRCdsJOAs/B7gGlAy0Bi0IjQZ0CGoG0QhoBigJjwbWCLQGeQisBpQKkQbrCmcGSgtpBpELjAZHC64G6gqzBtgJRAbUCQ4ITwlHCGQKRwjtCEcJ2QpHCeAJBgniCRcJ4gk8C0QHvQaWDLUGOAiSBnoIcAbbCG4GLwmYBtsIuQaCCLgGpAqWBvgKbgZYC2wGoQuTBlcLtwb6CrsG5AlJBuAJFAhaCU8IbwpPCPEITQncCksJ5AkQCeIJHgnqCUMLRwfFBp4MvwY+CJsGhgh4BuEIdQY5CZsG5AjDBooIvwanCpcG+wptBlsLcQaiC5QGWgu3Bv0KugboCU0G5gkZCFwJVAhzClEI+whKCeoKSAnsCQsJ7wkcCfIJSAtNB8cGogzABkEImAaJCHEG5ghwBjoJmQbmCL4GiQi6BqYKmwb/CnIGWQtzBqULlwZbC7kG/wq/Bu8JTwbvCRsIZglTCIAKUgj/CFYJ7ApRCfMJFwnzCSUJ/QlMC1cHygasDMUGUQicBpkIeAb0CHgGTgmfBvcIxQaaCLwGugqiBg4LdQZsC3UGtgucBm0LugYQC8IG/AlTBvoJHAhyCVQIigpSCAwJUAn2Ck4JAAoRCfwJHQkFCk4LXgfNBrEMwwZWCJoGngh7Bv0IdwZUCaAG/AjFBp8IvgbHCp0GGwt2BnoLeAbCC5cGfAu/Bh4LwgYJClIGDAocCH0JVQiZClQIEAlRCQQLTwkLChQJBwojCQwKSgteB8oGtgzEBmAInwanCH8GAwl6BlcJpAYECcsGqAjFBsoKngYcC3QGewt3BsILmgZ7C7sGHwvCBhEKTwYUChgIiQlSCJ8KUAgQCT8JJws8CRgKEQkXCiMJGgpMC2kHzQbADMMGaAiYBrEIeAYNCXQGZQmcBg0JxAaxCL4G0wqZBioLbQaJC3AG0QuTBooLtAYqC7wGHApUBhsKIAiQCVsIpgpZCAQJMwk6Cy4JHgoRCR4KIQkhCkwLcgfNBswMwQZxCI8GughtBhcJawZuCZIGGAm2Br0ItAbfCpEGNAtqBpULbAbbC40GkguyBjQLtwYjCksGKAoYCJsJUAiyCk4IAgkuCU4LKgkoChMJJQokCSsKQgt6B8UG0wy8BnAIlAa5CHEGGQltBm8JlQYZCbsGugi2BucKjwY8C2YGlwtoBuMLiwaXC64GOQu3Bi4KQgYzCg8IpQlKCLwKRgj5CB4JWwsaCS0KCgktChwJLgpJC3kHyAbVDMIGgQiGBscIZwYlCV8GfAmHBiUJrAbJCKcG5QqLBj0LYwaYC2QG4QuGBpkLqQY7C64GMQo8BjMKBAimCUYIvgpDCAIJFAlrCxEJOAoECTgKEwkyCkgLewfFBtUMwQZ8CH4GwwhaBiMJVwZ5CYIGIAmoBsYIogbtCoUGRQtZBqALXQbpC34GoQuiBkMLpwYzCjwGOwoGCKwJQwjCCj8IAgkLCWMLCQkzCvwIMgoJCTQKOAt8B7YG2gywBnoIgQbBCF8GIwldBngJhAYmCaoGxQijBuwKfwZCC1QGnAtaBuoLegagC54GQQukBjQKMgY7CvwHqgk6CMQKOQgHCQ0JXAsLCTIK9wgyCgMJNwo2C38HtQbbDLUGeQh5BsMIVgYdCVIGcwl6Bh0JogbCCJ0G7Qp4BkELUQafC1IG6Qt2Bp8LmAY9C5sGLwoqBjQK8QelCS8IvQouCBEJDAlNCwsJMArtCDIK/gg3Ci0LgQevBtwMrwZwCHUGuQhQBhgJUgZwCXkGGQmbBrsIlwbnCnMGPQtMBpkLTAbiC3AGmQuSBj4LlwYuCiUGMgrrB6IJKAi6CioIHQkSCUALFAkxCuQIMQr0CC4KJwt4B6gG0AypBnIIaga4CEcGFwlCBnAJbgYbCZEGvAiLBtwKbAYzC0IGkQtHBtYLaAaMC4sGNAuNBiMKIAYpCugHmAkjCLEKJAgfCRgJJQsWCSMK3wgiCu8ILQolC3oHqwbUDKUGZghkBrEIQQYLCT0GZwloBg8JjQayCIgG2QpuBjALQAaMC0UG1AtmBooLigYwC48GHwoXBiEK2geWCRwIrQobCCcJHwkUCyAJJArbCB8K7ggfChoLbQeeBscMogY=',
  },
  challenges: [
    { id: 'challenge-1', startedAtMs: 300, endedAtMs: 1300, firstFrame: 3, lastFrame: 14 },
    { id: 'challenge-2', startedAtMs: 1700, endedAtMs: 2700, firstFrame: 20, lastFrame: 31 },
    { id: 'challenge-3', startedAtMs: 3100, endedAtMs: 4100, firstFrame: 37, lastFrame: 48 },
  ],
  features: {
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
  timings: { totalMs: 4400 },
} satisfies Envelope;
