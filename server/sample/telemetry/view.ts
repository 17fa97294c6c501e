import type { JavaObject } from '#server/recording/java-json.ts';
import type { Genotype, RepresentationFamily } from '#server/sample/problems.ts';
import { at } from '#server/sample/statistics.ts';

/** A generation as telemetry looks at it. Population and elite are sorted, best first. */
export interface PopulationView {
  population: readonly Genotype[];
  elite: readonly Genotype[];
  /** Mean and deviation per coordinate, where the model has fitted some. */
  moments?: Moments | undefined;
}

export interface Moments {
  means: readonly number[];
  sigmas: readonly number[];
}

/** How much telemetry keeps and how far it looks. */
export interface TelemetryLimits {
  topK: number;
  dependencyTopK: number;
}

/** What the runner tells of the inner state of a search, as `diagnostics_json` holds it. */
export interface LatentTelemetry {
  representationFamily: RepresentationFamily;
  metrics: Record<string, number>;
  insights: JavaObject;
  drift: Record<string, number>;
  diversity: Record<string, number>;
}

/** Telemetry of one generation, and what the next one is compared with. */
export interface Observation<State> {
  telemetry: LatentTelemetry;
  state: State;
}

/** The indices of the `count` largest values, largest first; of equal values the first comes first. */
export function topIndices(values: readonly number[], count: number): number[] {
  return values
    .map((_, index) => index)
    .sort((a, b) => at(values, b) - at(values, a))
    .slice(0, count);
}
