import { objectOf, parseObject } from './json.ts';

/** What the `diagnostics_json` of one iteration says of the model. */
export interface DiagnosticsOfIteration {
  iteration: number;
  /** Vectors and lists by name, as they are stored: those that are drawn over the iterations, and relations. */
  insights: Readonly<Partial<Record<InsightKey, unknown>>>;
}

/** The rest, such as item × position, grows with the square of the problem and is read for one iteration at a time. */
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

/** Reads the diagnostics of an iteration; what is missing or of another shape is left out. */
export function parseDiagnostics(iteration: number, text: string | null): DiagnosticsOfIteration {
  const stored = objectOf(objectOf(parseObject(text)['latentTelemetry'])['insights']);
  const present = keys.filter((key) => Object.hasOwn(stored, key));
  return { iteration, insights: Object.fromEntries(present.map((key) => [key, stored[key]])) };
}
