import type { Direction } from '#server/domain/objective.ts';
import { getFolder, getBaseName } from '#server/import/source/entry.ts';
import { findFunctionName } from '#server/import/suites.ts';
import type { Block, DataFile } from './data-file.ts';
import { getDataName, parseSmallNatural, removeExtension, type Scenario } from './indexes.ts';

/**
 * Returns a scenario without runs for each set of data files that has rows, but that no index lists yet. Loggers write
 * the index only when the first run of a function ends. The path states the function and the dimension
 * (`data_f1_Sphere/IOHprofiler_f1_DIM2.dat`). If the path does not contain the name of the function, it is the name in
 * the nearest index with this function. The direction is that in this index, otherwise the result of {@link
 * guessDirection}. Algorithm, attributes, suite and precision are those in the nearest index, otherwise unknown. If
 * this index states no suite, a file name such as `bbob-biobj_f1_DIM2.dat` states it. Omits files whose names state no
 * function or no valid dimension.
 */
export function guessScenarios(
  scenarios: readonly Scenario[],
  dataFiles: readonly DataFile[],
): Scenario[] {
  const listedPaths = new Set(scenarios.map(({ data }) => data));
  const unlistedFiles = dataFiles.filter(({ path, blocks }) => {
    const isListed = listedPaths.has(removeExtension(path));
    return !isListed && blocks.some(({ evaluations }) => evaluations.length > 0);
  });
  const filesByData = Map.groupBy(unlistedFiles, ({ path }) => removeExtension(path));
  return [...filesByData].flatMap(([data, files]) => guessScenario(data, files, scenarios) ?? []);
}

function guessScenario(
  data: string,
  files: readonly DataFile[],
  scenarios: readonly Scenario[],
): Scenario | null {
  const [file] = files;
  const block = file?.blocks.find(({ evaluations }) => evaluations.length > 0);
  const [, id, digits] = /(?:^|_)f([^_]+)_(?:DIM|d)(\d+)/i.exec(getBaseName(data)) ?? [];
  const dimension = parseSmallNatural(Number(digits));
  if (!file || !block || id === undefined || !dimension) return null;
  const functionId = /^\d+$/.test(id) ? String(Number(id)) : id;
  const [, nameInPath] = /(?:^|\/)data_f[^_/]+_([^/]+)\/$/.exec(getFolder(data)) ?? [];
  const nearestScenario = findNearestScenario(data, scenarios);
  const scenarioOfFunction = findNearestScenario(
    data,
    scenarios.filter((scenario) => scenario.functionId === functionId),
  );
  return {
    file: file.path,
    line: null,
    algorithm: nearestScenario?.algorithm ?? 'unknown',
    attributes: nearestScenario?.attributes ?? {},
    // An index may state an empty suite.
    suite: nearestScenario?.suite || (/^(bbob-[a-z]+)_f/.exec(getBaseName(data))?.[1] ?? null),
    functionId,
    functionName: nameInPath ?? scenarioOfFunction?.functionName ?? null,
    dimension,
    direction:
      scenarioOfFunction?.direction ?? guessDirection(block, functionId, nameInPath ?? null),
    precision: nearestScenario?.precision ?? null,
    data,
    dataName: getDataName(data),
    runs: [],
  };
}

/**
 * Returns the scenario whose index shares the deepest folder with the data file; the last such scenario in a tie;
 * undefined without scenarios.
 */
function findNearestScenario(data: string, scenarios: readonly Scenario[]): Scenario | undefined {
  const getSharedLength = ({ file }: Scenario) => {
    let folder = getFolder(file);
    while (!data.startsWith(folder)) folder = getFolder(folder.slice(0, -1));
    return folder.length;
  };
  return scenarios.reduce<Scenario | undefined>(
    (nearestScenario, scenario) =>
      nearestScenario === undefined || getSharedLength(scenario) >= getSharedLength(nearestScenario)
        ? scenario
        : nearestScenario,
    undefined,
  );
}

/**
 * Returns the direction from the first value of a run to the next different value, because loggers of IOHprofiler write
 * improvements. Returns null for other loggers, for a function with the id and name of a function of bbob or PBO, and
 * until two values differ.
 */
function guessDirection(
  { format, values }: Block,
  functionId: string,
  functionName: string | null,
): Direction | null {
  const isKnown = ['bbob', 'PBO'].some(
    (suite) => functionName !== null && findFunctionName(suite, functionId) === functionName,
  );
  if (format !== 'iohprofiler' || isKnown) return null;
  const [firstValue = NaN] = values;
  const otherValue = values.find((value) => value !== firstValue);
  if (otherValue === undefined) return null;
  return otherValue < firstValue ? 'min' : 'max';
}
