import { createHash } from 'node:crypto';
import { formatFitness } from '#shared/number-format.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';

/**
 * Returns the selected problem instance with its objective in words: "onemax, length 40 (maximised, target 40)". The
 * problem type replaces the instance if the comparison selects none.
 */
export function describeInstance(comparison: ProblemComparison): string {
  const label = comparison.instances.find((instance) => instance.selected)?.label;
  return `${label ?? comparison.problemType} (${describeObjective(comparison)})`;
}

/** Returns the objective in words: "minimised, target 0.001 from the configuration". */
export function describeObjective(
  comparison: Pick<ProblemComparison, 'objectiveDirection' | 'targetFitness' | 'targetSource'>,
): string {
  const direction = comparison.objectiveDirection === 'min' ? 'minimised' : 'maximised';
  if (comparison.targetFitness === null) return `${direction}, no target`;
  const source = comparison.targetSource === 'config' ? ' from the configuration' : '';
  return `${direction}, target ${formatFitness(comparison.targetFitness)}${source}`;
}

/** Returns the slug of the problem type and of the id of the selected instance, if there is one, for a label. */
export function makeInstanceSlug({ problemType, instances }: ProblemComparison): string {
  const selectedInstance = instances.find((instance) => instance.selected);
  return makeUniqueSlug(selectedInstance ? `${problemType}-${selectedInstance.id}` : problemType);
}

/**
 * Returns the slug of a text; see {@link toSlug}. If the slug differs from the text, returns the first 31 characters of
 * the slug, a hyphen and the first eight hexadecimal digits of the SHA-256 of the text, to distinguish different texts.
 */
export function makeUniqueSlug(text: string): string {
  const shortSlug = toSlug(text);
  return shortSlug === text
    ? text
    : `${shortSlug.slice(0, 31)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/**
 * Returns the text in at most 40 lower-case ASCII letters, digits and hyphens, for labels and file names; "table" if
 * nothing remains.
 */
export function toSlug(text: string): string {
  const plainText = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plainText.replaceAll(/^-+|-+$/g, '').slice(0, 40) || 'table';
}

/** Returns the file name of a LaTeX fragment: the slug of kind and name, and `.tex` (see {@link toSlug}). */
export function makeLatexFileName(
  kind: 'experiment' | 'problem' | 'campaign',
  name: string,
): string {
  return `${toSlug(`${kind}-${name}`)}.tex`;
}
