import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { getShortId } from '#shared/words.ts';

/** An experiment with runs on the page: its runs share its parameters. */
export interface ComparedExperiment {
  id: string;
  /** Unique label. */
  label: string;
  /** Index of its first run. */
  run: number;
  isReference: boolean;
}

/** Returns the experiments of the runs, in the order of their first occurrence. */
export function getComparedExperiments({
  runs,
  reference,
}: Pick<RunsOverlay, 'runs' | 'reference'>): ComparedExperiment[] {
  const own = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const names = Array.from(own, ([, [first]]) => first?.runName ?? first?.algorithmType ?? '');
  return Array.from(own, ([id, inside]) => {
    const name = inside[0]?.runName ?? inside[0]?.algorithmType ?? '';
    const isAlone = names.filter((other) => other === name).length === 1;
    return {
      id,
      label: isAlone ? name : `${name}, ${getShortId(id)}`,
      run: runs.findIndex(({ experimentId }) => experimentId === id),
      isReference: inside.some(({ runId }) => runId === reference),
    };
  });
}

/**
 * A parameter with its value in each experiment; `isAsReference` is null without a reference, and for the reference
 * itself.
 */
export interface DifferingRow {
  path: string;
  values: readonly { text: string | null; isAsReference: boolean | null }[];
}

/** Returns the parameters that affect the experiments, without those that only name or store. */
export function makeDifferingRows(
  { parameters }: Pick<RunsOverlay, 'parameters'>,
  experiments: readonly ComparedExperiment[],
): DifferingRow[] {
  const reference = experiments.find(({ isReference }) => isReference);
  return parameters.differing
    .filter(({ isIncidental }) => !isIncidental)
    .map(({ path, values }) => ({
      path,
      values: experiments.map(({ run, isReference }) => {
        const text = values[run] ?? null;
        const isCompared = reference !== undefined && !isReference;
        return { text, isAsReference: isCompared ? text === values[reference.run] : null };
      }),
    }));
}

/** A collapsed parameter: identical or incidental. */
export interface FoldedRow {
  path: string;
  value: string;
}

/** Returns the identical parameters, and those that only name or store, with all their values. */
export function makeFoldedRows(
  { parameters }: Pick<RunsOverlay, 'parameters'>,
  experiments: readonly ComparedExperiment[],
): FoldedRow[] {
  const incidental = parameters.differing.filter(({ isIncidental }) => isIncidental);
  return [
    ...parameters.equal.map(({ path, value }) => ({ path, value: value ?? '–' })),
    ...incidental.map(({ path, values }) => ({
      path,
      value: experiments.map(({ run }) => values[run] ?? '–').join(' · '),
    })),
  ];
}
