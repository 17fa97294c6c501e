import { toObject, parseObject } from './json.ts';

/** Model data in the `diagnostics_json` of one iteration. */
export interface IterationDiagnostics {
  iteration: number;
  /** Stored vectors and lists by name: vectors for the heat maps, and relations. */
  insights: Readonly<Partial<Record<InsightKey, unknown>>>;
}

/**
 * Names of the data that requests read for many iterations. Other data, such as item × position, grow with the square
 * of the problem size. Requests read them for one iteration at a time.
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

/** Reads the diagnostics of an iteration: the values of the present keys, not validated; none for malformed JSON. */
export function parseDiagnostics(iteration: number, text: string | null): IterationDiagnostics {
  const insights = toObject(toObject(parseObject(text)['latentTelemetry'])['insights']);
  const presentKeys = insightKeys.filter((key) => Object.hasOwn(insights, key));
  return {
    iteration,
    insights: Object.fromEntries(presentKeys.map((key) => [key, insights[key]])),
  };
}
