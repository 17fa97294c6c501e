import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { shortId } from '#renderer/components/names.ts';

/** An experiment with runs on the page: parameters are its own, and equal for its runs. */
export interface ComparedExperiment {
  id: string;
  /** All different. */
  label: string;
  /** Place of its first run. */
  run: number;
  isReference: boolean;
}

/** The experiments of the runs, in the order in which they first occur. */
export function comparedExperiments({
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
      label: isAlone ? name : `${name}, ${shortId(id)}`,
      run: runs.findIndex(({ experimentId }) => experimentId === id),
      isReference: inside.some(({ runId }) => runId === reference),
    };
  });
}

/** A parameter with its value in each experiment; `isAsReference` is null without one, and of the reference itself. */
export interface DifferingRow {
  path: string;
  values: readonly { text: string | null; isAsReference: boolean | null }[];
}

/** The parameters that tell what the experiments do, those that only name or store left out. */
export function differingRows(
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

/** A parameter that does not tell the runs apart. */
export interface FoldedRow {
  path: string;
  value: string;
}

/** The equal parameters, and those that only name or store, with all their values. */
export function foldedRows(
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
