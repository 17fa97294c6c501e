import { objectOf, parseObject } from './json.ts';

/** The model data in the `diagnostics_json` of one iteration. */
export interface DiagnosticsOfIteration {
  iteration: number;
  /** Vectors and lists by name, as they are stored: those that are drawn over the iterations, and relations. */
  insights: Readonly<Partial<Record<InsightKey, unknown>>>;
}

/**
 * Other data, such as item × position, grow with the square of the problem size and are read for one iteration at a
 * time.
 */
const keys = [
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

export type InsightKey = (typeof keys)[number];

/** Reads the diagnostics of an iteration; omits missing and invalid data. */
export function parseDiagnostics(iteration: number, text: string | null): DiagnosticsOfIteration {
  const stored = objectOf(objectOf(parseObject(text)['latentTelemetry'])['insights']);
  const present = keys.filter((key) => Object.hasOwn(stored, key));
  return { iteration, insights: Object.fromEntries(present.map((key) => [key, stored[key]])) };
}
