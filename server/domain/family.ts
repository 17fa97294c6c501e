import type { RunDetail } from '#shared/schemas/run.ts';

type Family = RunDetail['representationFamily'];

const typeFamilies = new Map<string, Family>([
  ['bitstring', 'binary'],
  ['grammar-bitstring', 'grammar'],
  ['permutation-vector', 'permutation'],
  ['real-vector', 'real'],
]);

const families: readonly Family[] = ['binary', 'permutation', 'real', 'grammar'];

/**
 * The family of a run, which decides what its insights show: by the representation type; for a type that the
 * runner does not ship, what its telemetry says (the text that begins with `"representationFamily"`), which is
 * read only then; else `unknown`. The telemetry of a grammar run says binary, since its genome is.
 */
export async function familyOf(
  representationType: string,
  readTelemetry: () => Promise<string | null>,
): Promise<Family> {
  const known = familyOfType(representationType);
  if (known) return known;
  const said = /^"representationFamily"\s*:\s*"(\w+)"/.exec((await readTelemetry()) ?? '')?.[1];
  return families.find((family) => family === said) ?? 'unknown';
}

/** Returns the family of a representation type that the runner ships; undefined for any other. */
export function familyOfType(representationType: string): Family | undefined {
  return typeFamilies.get(representationType.trim().toLowerCase());
}
