/** Calibration of server-side scoring: `config.liteConfig`. A project stores what it set; scoring uses the resolved form. */
import { Type, type Static } from 'typebox';
import { StringEnum } from './common.js';
import { CountryCode } from './country.js';

export const dispositiveSignals = ['confirmed_clawback', 'device_farm'] as const;

const edge = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });

export const recalibrationPointsMax = 12;
const unit = Type.Number({ minimum: 0, maximum: 1 });

/** Points of a rising curve: a probability of the model, and what the project’s labels say of it, with a range. */
export const Recalibration = Type.Array(Type.Array(unit, { minItems: 4, maxItems: 4 }), {
  minItems: 2,
  maxItems: recalibrationPointsMax,
  description:
    'Curve from the model’s probability to the project’s own: points [probability, value, low, high], rising, linear in between. Take it from GET /lite/calibration. It moves `probability` alone. null: the model’s.',
});
export type Recalibration = Static<typeof Recalibration>;

const knobs = {
  reviewLow: edge('Scores below it are allowed, and a score of 0 always. At most blockThreshold. Default 40.'),
  blockThreshold: edge('Scores at or above it are blocked, and a score of 0 never. Default 75.'),
  noProbeRiskScore: edge('Score that a missing probe alone leads to; capped below the block band. Default 0.'),
  stepUpEnabled: Type.Boolean({ description: 'Enables the recommendation step_up. Default false.' }),
  stepUpThreshold: edge('Scores from here to below blockThreshold get step_up, if stepUpEnabled is true. Default 40.'),
  stepUpIntensityThreshold: edge('Step-up is light below it, heavy from it on. Default 60.'),
  geoRiskWeights: Type.Record(CountryCode('Country of the address.'), Type.Number({ minimum: 0.5, maximum: 2 }), {
    description:
      'Multiplier on the network axis per country of the address, by ISO 3166-1 alpha-2 code. Weights per source are merged with these, country by country.',
    additionalProperties: false,
    maxProperties: 250,
  }),
  dispositiveSignals: Type.Array(StringEnum(dispositiveSignals), {
    uniqueItems: true,
    description: 'Signals that may block without a second axis agreeing. Default none.',
  }),
  newUserPosture: StringEnum(['neutral', 'review_lean'] as const, {
    description:
      'review_lean nudges respondents without native history towards review, never to a block. Default neutral.',
  }),
  verifiedAgentPolicy: StringEnum(['score_normally', 'allow', 'review'] as const, {
    description:
      'Recommendation for verified agents. allow never overrides a dispositive signal; review never lowers a block. Default score_normally.',
  }),
  recalibration: Type.Optional(Recalibration),
};

/** All knobs set: what the fusion works with. */
export const Calibration = Type.Object(knobs, { additionalProperties: false });
export type Calibration = Static<typeof Calibration>;

/** Any of the knobs. */
export const LiteKnobs = Type.Partial(Type.Object(knobs, { additionalProperties: false }), {
  additionalProperties: false,
});
type LiteKnobs = Static<typeof LiteKnobs>;

const perSource = Type.Optional(
  Type.Record(Type.String({ minLength: 1, maxLength: 256 }), LiteKnobs, {
    description: 'Overrides by sourceId, field by field.',
    maxProperties: 1_000,
  }),
);

/** Knobs that recorded sessions are judged with for comparison. */
export const LiteShadow = Type.Object(
  {
    ...LiteKnobs.properties,
    perSource,
    modelVersion: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{16}$',
        description: 'Model version to compare; one that this installation carries. Default: the present one.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Knobs to try on live traffic, on top of the others. They change no verdict; GET /lite/shadow compares. null: no comparison.',
  },
);

/** A project stores any of the knobs, and any of them again per source and in the shadow. */
export const LiteConfig = Type.Object(
  { ...LiteKnobs.properties, perSource, shadow: Type.Optional(LiteShadow) },
  { additionalProperties: false },
);
export type LiteConfig = Static<typeof LiteConfig>;

export const calibrationDefaults: Calibration = {
  reviewLow: 40,
  blockThreshold: 75,
  noProbeRiskScore: 0,
  stepUpEnabled: false,
  stepUpThreshold: 40,
  stepUpIntensityThreshold: 60,
  geoRiskWeights: {},
  dispositiveSignals: [],
  newUserPosture: 'neutral',
  verifiedAgentPolicy: 'score_normally',
};

/** The calibration of one score: defaults, then the project’s knobs, then those of the source; country weights merge. */
export function resolveCalibration(liteConfig: LiteConfig | undefined, sourceId: string | undefined): Calibration {
  if (liteConfig === undefined) return calibrationDefaults;
  const { perSource, shadow: _shadow, ...project } = liteConfig;
  const source =
    sourceId !== undefined && perSource !== undefined && Object.hasOwn(perSource, sourceId)
      ? perSource[sourceId]
      : undefined;
  const geoRiskWeights = { ...project.geoRiskWeights, ...source?.geoRiskWeights };
  return { ...calibrationDefaults, ...project, ...source, geoRiskWeights };
}

/** The knobs as they would be if those of the shadow were set. */
export function applyShadow({ shadow, ...live }: LiteConfig): LiteConfig {
  if (shadow === undefined) return live;
  const { modelVersion: _version, perSource = {}, ...knobs } = shadow;
  const names = Object.keys({ ...live.perSource, ...perSource });
  return {
    ...mergeKnobs(live, knobs),
    perSource: Object.fromEntries(
      names.map((name) => [name, mergeKnobs(live.perSource?.[name] ?? {}, perSource[name] ?? {})]),
    ),
  };
}

const mergeKnobs = (knobs: LiteKnobs, over: LiteKnobs): LiteKnobs => ({
  ...knobs,
  ...over,
  geoRiskWeights: { ...knobs.geoRiskWeights, ...over.geoRiskWeights },
});

/** The highest integer score below the block band; 0 where the band begins at 0. */
export function ceilingOf(blockThreshold: number): number {
  return Math.max(0, Math.ceil(blockThreshold) - 1);
}

/** Every knob as it is in force, for the project and for each source that has knobs of its own. */
export function fillCalibration(liteConfig: LiteConfig): LiteConfig {
  const { perSource = {} } = liteConfig;
  return {
    ...resolveCalibration(liteConfig, undefined),
    perSource: Object.fromEntries(
      Object.keys(perSource).map((sourceId) => [sourceId, resolveCalibration(liteConfig, sourceId)]),
    ),
  };
}
