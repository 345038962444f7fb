/**
 * The calibration that one score is fused with: defaults, then the project’s knobs, then those of the source. Knob by knob; of the weights of
 * countries, country by country.
 */
import { calibrationDefaults, type Calibration, type LiteConfig } from '../contract/calibration.js';

export function resolveCalibration(liteConfig: LiteConfig | undefined, sourceId: string | undefined): Calibration {
  if (liteConfig === undefined) return calibrationDefaults;
  const { perSource, ...project } = liteConfig;
  const source =
    sourceId !== undefined && perSource !== undefined && Object.hasOwn(perSource, sourceId)
      ? perSource[sourceId]
      : undefined;
  const geoRiskWeights = { ...project.geoRiskWeights, ...source?.geoRiskWeights };
  return { ...calibrationDefaults, ...project, ...source, geoRiskWeights };
}
