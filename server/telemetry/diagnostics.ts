import { toObject, parseObject } from './json.ts';

/** Model data in the `diagnostics_json` of one iteration. */
export interface IterationDiagnostics {
  iteration: number;
  /** The stored values by name, not validated. */
  insights: Readonly<Partial<Record<InsightKey, unknown>>>;
}

/**
 * Names of the data that requests read for many iterations. Omits data that grow with the square of the problem size,
 * such as item × position: pages read such data for one iteration at a time.
 */
const insightKeys = [
  'entropyPerBit',
  'probabilities',
  'positionEntropyPerItem',
  'sigmaVector',
  'meanVector',
  'eigenvalues',
  'dependencyEdges',
  'dependencyClusters',
  'topAdjacencyEdges',
] as const;

/** Name of model data. */
export type InsightKey = (typeof insightKeys)[number];

/**
 * Returns the model data in the `diagnostics_json` of an iteration: the values of the present keys, not validated. The
 * data are empty for null, for malformed JSON and for JSON without `latentTelemetry.insights`.
 */
export function parseDiagnostics(iteration: number, text: string | null): IterationDiagnostics {
  const insights = toObject(toObject(parseObject(text)['latentTelemetry'])['insights']);
  const presentKeys = insightKeys.filter((key) => Object.hasOwn(insights, key));
  return {
    iteration,
    insights: Object.fromEntries(presentKeys.map((key) => [key, insights[key]])),
  };
}
