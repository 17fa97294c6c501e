import { getBaseName } from '#server/import/source/entry.ts';
import { getDataName, removeExtension, type Scenario } from './indexes.ts';

/** Data files of pycma without objective values: all except `fit.dat`. */
const otherFiles =
  /(?:^|[^a-z])(?:axlen|axlencorr|axlenprec|stddev|sigvec|xmean|xrecentbest|x0)\.dat$/;

/** Returns whether a file belongs to pycma's logger but contains no objective values. */
export function isOtherPycmaFile(path: string): boolean {
  return otherFiles.test(getBaseName(path));
}

/** The files of pycma that together are the index of a run: its parameters, and the criteria that stopped it. */
const indexFile = /(parameters|stoppings)\.json2$/;

/** Returns whether a file is a part of the index of a run of pycma. */
export function isPycmaIndex(path: string): boolean {
  return indexFile.test(path);
}

/**
 * Returns the scenario of a run of pycma (`outcmaes/`) from one of the two files of its index, which are Python
 * literals. `parameters.json2` states dimension and population size. The scenario of `stoppings.json2`, which is `{}`
 * until the run has stopped, has the dimension 0; see {@link joinPycmaIndexes}. Null if `parameters.json2` states no
 * dimension.
 */
export function parsePycmaIndex(file: string, text: string): Scenario[] | null {
  const data = file.replace(indexFile, 'fit');
  const scenario: Scenario = {
    file,
    line: null,
    algorithm: 'CMA-ES',
    attributes: {},
    suite: null,
    functionId: 'objective',
    functionName: null,
    dimension: 0,
    direction: 'min',
    precision: null,
    data: removeExtension(data),
    dataName: getDataName(data),
    runs: [],
  };
  if (file.endsWith('stoppings.json2')) {
    const hasStopped = /^\s*\{.+\}\s*$/s.test(text);
    return [{ ...scenario, runs: hasStopped ? [makeRun(true)] : [] }];
  }
  const [, dimension] = /'N':\s*(\d{1,9})\b/.exec(text) ?? [];
  const [, size] = /'popsize':\s*(\d{1,9})\b/.exec(text) ?? [];
  if (Number(dimension ?? 0) === 0) return null;
  const attributes = size === undefined ? {} : { popsize: Number(size) };
  return [{ ...scenario, attributes, dimension: Number(dimension), runs: [makeRun(false)] }];
}

function makeRun(isFinalised: boolean): Scenario['runs'][number] {
  return { instance: 0, evaluations: 0, isFinalised };
}

/**
 * Joins the scenarios of the two index files of each run of pycma into one; omits a `stoppings.json2` without a
 * `parameters.json2`. Returns other scenarios unchanged.
 */
export function joinPycmaIndexes(scenarios: readonly Scenario[]): Scenario[] {
  const isEnd = ({ file }: Scenario) => file.endsWith('stoppings.json2');
  const endsByData = new Map(scenarios.filter(isEnd).map((end) => [end.data, end.runs]));
  return scenarios
    .filter((scenario) => !isEnd(scenario))
    .map((scenario) => {
      const runs = isPycmaIndex(scenario.file) ? endsByData.get(scenario.data) : undefined;
      return runs?.length ? { ...scenario, runs } : scenario;
    });
}
