import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { shortId } from '#renderer/components/names.ts';

type Named = Pick<RunsOverlay['runs'][number], 'runId' | 'experimentId' | 'algorithmType' | 'seed'>;
type Parameters = readonly Pick<
  RunsOverlay['parameters']['differing'][number],
  'path' | 'isIncidental' | 'values'
>[];

/** Most parameters in a name. */
const mostParameters = 2;

/**
 * Names of runs, all different: algorithm and seed ("umda, seed 1003"); where runs of several experiments would have
 * one name, the values of parameters that tell those apart ("umda, populationSize 50, seed 1003"); else the short id.
 * `differing` has one value a run, in their order.
 */
export function runNames(runs: readonly Named[], differing: Parameters): string[] {
  const told = tellingParameters(runs, differing);
  const names = runs.map(({ algorithmType, seed }, index) => {
    const values = told.map(({ path, values: own }) => `${leafOf(path)} ${own[index] ?? 'none'}`);
    return [algorithmType, ...values, ...(seed === null ? [] : [`seed ${seed}`])].join(', ');
  });
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name)
      ? name
      : `${name}, ${distinctId(runs, runs[index]?.runId ?? '')}`,
  );
}

/** The parameters, as few as may be, that with the algorithm tell the experiments of the runs apart. */
function tellingParameters(runs: readonly Named[], differing: Parameters): Parameters {
  const experiments = new Set(runs.map(({ experimentId }) => experimentId)).size;
  const kinds = (told: Parameters): number =>
    new Set(
      runs.map(({ algorithmType }, index) =>
        JSON.stringify([algorithmType, ...told.map(({ values }) => values[index] ?? null)]),
      ),
    ).size;
  let told: Parameters = [];
  for (const one of differing) {
    if (kinds(told) >= experiments || told.length >= mostParameters) break;
    const isShort = one.values.every((value) => (value ?? '').length <= 24);
    const more = [...told, one];
    if (!one.isIncidental && isShort && kinds(more) > kinds(told)) told = more;
  }
  return told;
}

function leafOf(path: string): string {
  return path.split('.').at(-1) ?? path;
}

function distinctId(runs: readonly Named[], runId: string): string {
  const short = shortId(runId);
  return runs.filter((run) => shortId(run.runId) === short).length > 1 ? runId : short;
}

/** Most experiments whose runs can have a colour of their own, and most dashes of a colour. */
const mostLooks = 8;

/**
 * Places of runs in the palette: runs of one experiment share a colour and differ by dashes, where there are several
 * experiments and looks enough for that; else one place after the other.
 */
export function runPlaces(runs: readonly Pick<Named, 'experimentId'>[]): number[] {
  const experiments = [...new Set(runs.map(({ experimentId }) => experimentId))];
  const seen = new Map<string, number>();
  const places = runs.map(({ experimentId }) => {
    const before = seen.get(experimentId) ?? 0;
    seen.set(experimentId, before + 1);
    return experiments.indexOf(experimentId) + mostLooks * before;
  });
  const isEnough =
    experiments.length <= mostLooks && [...seen.values()].every((count) => count <= mostLooks);
  return experiments.length > 1 && isEnough ? places : runs.map((_, index) => index);
}
