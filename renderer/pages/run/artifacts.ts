/** A file, folder or URL that a run produced, with the runner's name for it. */
export interface Artifact {
  name: string;
  path: string;
}

/** The artifacts of a run; `remark` explains why their text cannot be read. */
export interface Artifacts {
  items: readonly Artifact[];
  remark: string | null;
}

const noItems: readonly Artifact[] = [];

/**
 * Returns the paths in a run's `artifactsJson`, in its order. Omits the results in the same object, whose names begin
 * with `best`, empty text, and everything that is not text. Null, malformed JSON and JSON of another shape give no
 * items and, except for null, a remark.
 */
export function parseArtifacts(artifactsJson: string | null): Artifacts {
  if (artifactsJson === null) return { items: noItems, remark: null };
  const value = parseJson(artifactsJson);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { items: noItems, remark: 'The stored list of artifacts is not a JSON object.' };
  }
  const items = Object.entries(value)
    .filter(([name, path]) => !name.startsWith('best') && typeof path === 'string' && path !== '')
    .map(([name, path]) => ({ name, path: String(path) }));
  return { items, remark: null };
}

/**
 * Returns whether a run's `artifactsJson` contains a best program as a tree (`bestAstJson`, an object or its JSON).
 */
export function hasStoredTree(artifactsJson: string | null): boolean {
  const artifacts = parseJson(artifactsJson ?? 'null');
  if (typeof artifacts !== 'object' || artifacts === null) return false;
  const { bestAstJson: json }: { bestAstJson?: unknown } = artifacts;
  const tree = typeof json === 'string' ? parseJson(json) : json;
  return typeof tree === 'object' && tree !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
