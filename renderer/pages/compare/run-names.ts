import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { getPlacesOfEmphasised } from '#renderer/charts/emphasis.ts';
import type { RunLook } from '#renderer/charts/figures/run-overlay.ts';
import { getShortId } from '#shared/words.ts';

type NamedRun = Pick<
  RunsOverlay['runs'][number],
  'runId' | 'experimentId' | 'algorithmType' | 'seed'
> &
  Partial<Pick<RunsOverlay['runs'][number], 'displayName'>>;
type Parameters = readonly Pick<
  RunsOverlay['parameters']['differing'][number],
  'path' | 'isIncidental' | 'values'
>[];

/** Maximum number of parameters in a name. */
const mostParameters = 2;

/**
 * Returns unique names of runs: the user's name of a run; else algorithm and seed ("umda, seed 1003"); where runs
 * of several experiments would have the same name, also the parameters that distinguish them ("umda, populationSize 50,
 * seed 1003"); else the short id. `differing` has one value per run, in their order.
 */
export function makeRunNames(runs: readonly NamedRun[], differing: Parameters): string[] {
  const parameters = getDistinguishingParameters(runs, differing);
  const names = runs.map(({ algorithmType, seed, displayName }, index) => {
    if (displayName) return displayName;
    const values = parameters.map(
      ({ path, values: own }) => `${getLeaf(path)} ${own[index] ?? 'none'}`,
    );
    return [algorithmType, ...values, ...(seed === null ? [] : [`seed ${seed}`])].join(', ');
  });
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name)
      ? name
      : `${name}, ${getDistinctId(runs, runs[index]?.runId ?? '')}`,
  );
}

/** Returns as few parameters as possible that, together with the algorithm, distinguish the experiments of the runs. */
function getDistinguishingParameters(runs: readonly NamedRun[], differing: Parameters): Parameters {
  const experiments = new Set(runs.map(({ experimentId }) => experimentId)).size;
  const kinds = (parameters: Parameters): number =>
    new Set(
      runs.map(({ algorithmType }, index) =>
        JSON.stringify([algorithmType, ...parameters.map(({ values }) => values[index] ?? null)]),
      ),
    ).size;
  let best: Parameters = [];
  for (const one of differing) {
    if (kinds(best) >= experiments || best.length >= mostParameters) break;
    const isShort = one.values.every((value) => (value ?? '').length <= 24);
    const more = [...best, one];
    if (!one.isIncidental && isShort && kinds(more) > kinds(best)) best = more;
  }
  return best;
}

function getLeaf(path: string): string {
  return path.split('.').at(-1) ?? path;
}

function getDistinctId(runs: readonly NamedRun[], runId: string): string {
  const short = getShortId(runId);
  return runs.filter((run) => getShortId(run.runId) === short).length > 1 ? runId : short;
}

/** Maximum number of experiments with their own colour, and of dash styles per colour. */
const mostLooks = 8;

/**
 * Returns the palette indices of runs: runs of one experiment share a colour and differ by dash style, where there are
 * several experiments and enough looks; else consecutive indices.
 */
export function getRunPlaces(runs: readonly Pick<NamedRun, 'experimentId'>[]): number[] {
  const experiments = [...new Set(runs.map(({ experimentId }) => experimentId))];
  const counts = new Map<string, number>();
  const places = runs.map(({ experimentId }) => {
    const before = counts.get(experimentId) ?? 0;
    counts.set(experimentId, before + 1);
    return experiments.indexOf(experimentId) + mostLooks * before;
  });
  const isEnough =
    experiments.length <= mostLooks && [...counts.values()].every((count) => count <= mostLooks);
  return experiments.length > 1 && isEnough ? places : runs.map((_, index) => index);
}

/**
 * Returns the look of each run by its id: its name, and its place in the palette. With an `emphasis`, only runs with
 * these names have a colour.
 */
export function makeRunLooks(
  runs: readonly Pick<NamedRun, 'runId' | 'experimentId'>[],
  names: readonly string[],
  emphasis: readonly string[] | null,
): ReadonlyMap<string, RunLook> {
  const colored = emphasis && getPlacesOfEmphasised(names, emphasis);
  const places = getRunPlaces(runs);
  return new Map(
    runs.map(({ runId }, index) => {
      const name = names[index] ?? runId;
      return [
        runId,
        { name, paletteIndex: (colored ? colored.get(name) : places[index]) ?? index },
      ];
    }),
  );
}

/**
 * Returns the names of runs, the reference first, then by result: those that reached the target first, then by best
 * fitness. A missing value is the worst. Directions are those of each run.
 */
export function getNamesByResult(
  runs: readonly Pick<
    RunsOverlay['runs'][number],
    'runId' | 'best' | 'direction' | 'evaluationsToTarget'
  >[],
  names: readonly string[],
  reference: string | null,
): string[] {
  const costs = runs.map(({ runId, best, direction, evaluationsToTarget }) => [
    runId === reference ? 0 : 1,
    evaluationsToTarget ?? Infinity,
    best === null ? Infinity : direction === 'min' ? best : -best,
  ]);
  const compare = (one: number, other: number): number => {
    const [a = [], b = []] = [costs[one], costs[other]];
    const place = a.findIndex((cost, index) => cost !== b[index]);
    return place < 0 ? 0 : (a[place] ?? 0) < (b[place] ?? 0) ? -1 : 1;
  };
  return runs
    .map((_, index) => index)
    .sort(compare)
    .map((index) => names[index] ?? '');
}
