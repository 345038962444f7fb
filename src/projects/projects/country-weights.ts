/** Weights by country, as a project sends them: codes in either case, stored in upper case, each country once. */
import type { LiteConfig } from '../../contract/calibration.js';
import { pointerSegment, type Issue } from '../../errors.js';

type Weights = LiteConfig['geoRiskWeights'] | null;
type Knobs = { readonly geoRiskWeights?: Weights };
/** A patch may hold null wherever it goes back to the default. */
type Patched = (Knobs & { readonly perSource?: Readonly<Record<string, Knobs | null>> | null }) | null;

export interface ReadCountries<T> {
  readonly liteConfig: T;
  readonly issues: readonly Issue[];
}

/** The same knobs with their countries in upper case, and an issue for each country that is named twice. */
export function readCountries<T extends Patched | undefined>(liteConfig: T): ReadCountries<T> {
  const issues: Issue[] = [];
  const readKnobs = <K extends Knobs>(knobs: K, path: string): K => {
    if (knobs.geoRiskWeights == null) return knobs;
    return { ...knobs, geoRiskWeights: upperCased(knobs.geoRiskWeights, `${path}/geoRiskWeights`, issues) };
  };
  if (liteConfig == null) return { liteConfig, issues };
  const path = '/config/liteConfig';
  const own = readKnobs(liteConfig, path);
  if (own.perSource == null) return { liteConfig: own, issues };
  const perSource = Object.fromEntries(
    Object.entries(own.perSource).map(([source, knobs]) => [
      source,
      knobs === null ? null : readKnobs(knobs, `${path}/perSource/${pointerSegment(source)}`),
    ]),
  );
  return { liteConfig: { ...own, perSource }, issues };
}

function upperCased(
  weights: Readonly<Record<string, number>>,
  path: string,
  issues: Issue[],
): Readonly<Record<string, number>> {
  const upper: Record<string, number> = {};
  for (const [code, weight] of Object.entries(weights)) {
    const country = code.toUpperCase();
    if (Object.hasOwn(upper, country))
      issues.push({
        path: `${path}/${code}`,
        message: `names the same country (${country}) as another key. Remove one.`,
      });
    upper[country] = weight;
  }
  return upper;
}
