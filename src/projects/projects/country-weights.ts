/** Weights by country, as a project sends them: codes in either case, stored in upper case, each country once. */
import type { LiteConfig } from '../../contract/calibration.js';
import { pointerSegment, type Issue } from '../../errors.js';

type Weights = LiteConfig['geoRiskWeights'] | null;
type Knobs = { readonly geoRiskWeights?: Weights };
/** A patch may hold null wherever it goes back to the default. */
type PatchedKnobs = Knobs & { readonly perSource?: Readonly<Record<string, Knobs | null>> | null };
type Patched = (PatchedKnobs & { readonly shadow?: PatchedKnobs | null }) | null;

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
  const readSources = <K extends PatchedKnobs>(knobs: K, path: string): K => {
    const own = readKnobs(knobs, path);
    if (own.perSource == null) return own;
    const perSource = Object.fromEntries(
      Object.entries(own.perSource).map(([source, given]) => [
        source,
        given === null ? null : readKnobs(given, `${path}/perSource/${pointerSegment(source)}`),
      ]),
    );
    return { ...own, perSource };
  };
  const path = '/config/liteConfig';
  const own = readSources(liteConfig, path);
  const shadow = own.shadow == null ? own.shadow : readSources(own.shadow, `${path}/shadow`);
  return { liteConfig: shadow === undefined ? own : { ...own, shadow }, issues };
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
