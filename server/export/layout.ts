import { cocoFormat } from '#server/formats/coco.ts';
import { iohprofilerFormat } from '#server/formats/iohprofiler.ts';
import { findUnusedPath, toFileName } from '#shared/file-name.ts';
import type { LoggedFunction, LoggerFormatter } from '#server/formats/logged-run.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import { createProblemNumberGetter, type SelectedRun } from './selection.ts';

/** The formats of loggers that an export can write. */
export type ArchiveFormat = 'ioh' | 'coco';

/** Rules of a format: its name, the functions that write it, and the runs that it cannot express. */
interface LoggerRules {
  name: string;
  formatter: LoggerFormatter;
  /** Reasons why the format cannot express runs. The first one that affects a run decides. */
  obstacles: readonly Obstacle[];
}

interface Obstacle {
  /** Returns whether the format cannot express a run for this reason. */
  isAffected: (run: SelectedRun) => boolean;
  /** Reason at the end of the sentence "Evoscope cannot export … runs: ", without a full stop. */
  reason: string;
}

const severalObjectives: Obstacle = {
  isAffected: ({ hasSeveralObjectives, suite }) =>
    hasSeveralObjectives || suite?.startsWith('bbob-biobj') === true,
  reason: 'the problem has several objectives, and the format stores the values of one',
};

const noDimension: Obstacle = {
  isAffected: ({ dimension }) => dimension === null,
  reason: 'the dimension is unknown, and the format requires it',
};

/** Obstacle of a run without iterations whose row has no best fitness or no positive number of evaluations. */
const noValues: Obstacle = {
  isAffected: ({ newestIteration, bestFitness, evaluations }) =>
    newestIteration === null && (bestFitness === null || !((evaluations ?? 0) > 0)),
  reason: 'there is no trace',
};

const failedTrial: Obstacle = {
  isAffected: ({ hasFailedTrial }) => hasFailedTrial,
  reason:
    'the trial has failed; ERTs of campaigns exclude such trials, ECDFs and tests count them as unsolved',
};

const commonObstacles = [severalObjectives, noDimension, failedTrial, noValues];

/** The rules of each format. */
export const loggers: Readonly<Record<ArchiveFormat, LoggerRules>> = {
  ioh: { name: 'IOHprofiler', formatter: iohprofilerFormat, obstacles: commonObstacles },
  coco: {
    name: 'COCO',
    formatter: cocoFormat,
    obstacles: [
      {
        isAffected: ({ direction }) => direction === 'max',
        reason: 'the fitness is maximised, and COCO data describe minimisation',
      },
      {
        isAffected: ({ suite }) => !/^bbob[\w-]*$/.test(suite ?? ''),
        reason:
          'the problem belongs to no BBOB suite, and COCO data store differences to known optima',
      },
      {
        isAffected: ({ functionId }) => functionId === null,
        reason: 'the number of the function is unknown, and the format requires it',
      },
      ...commonObstacles,
    ],
  },
};

/** The runs that a format can express, and the numbers of other runs by reason. */
export interface ExpressibleRuns {
  runs: SelectedRun[];
  omissions: { reason: string; count: number }[];
}

/** Separates the runs that a format can express from the others. */
export function findExpressibleRuns(
  runs: readonly SelectedRun[],
  obstacles: readonly Obstacle[],
): ExpressibleRuns {
  const getReason = (run: SelectedRun) =>
    obstacles.find(({ isAffected }) => isAffected(run))?.reason;
  const runsByReason = Map.groupBy(runs, getReason);
  const omissions = [...runsByReason].flatMap(([reason, omittedRuns]) =>
    reason === undefined ? [] : [{ reason, count: omittedRuns.length }],
  );
  return { runs: runsByReason.get(undefined) ?? [], omissions };
}

/** Obstacles of tables, which can express all runs. */
export const tableObstacles: readonly Obstacle[] = [];

/** The runs of an algorithm on a function in a dimension. */
export interface Scenario {
  dimension: number;
  /** Path of the data files, without the extension. */
  dataPath: string;
  modifiedAt: Date;
  runs: SelectedRun[];
}

/** The files of an algorithm on a function: an index, and data files for each dimension. */
export interface FunctionFiles {
  folder: string;
  loggedFunction: LoggedFunction;
  indexPath: string;
  modifiedAt: Date;
  scenarios: Scenario[];
}

const defaultPrecision = 1e-8;

/**
 * Returns the files of the runs. Their paths are safe on every system, and unique, also on systems that ignore case.
 */
export function layOutFiles(
  runs: readonly SelectedRun[],
  formatter: LoggerFormatter,
): FunctionFiles[] {
  const getNumber = createProblemNumberGetter(runs);
  const getLabel = labelAlgorithms(runs);
  const hasSeveralSuites = new Set(runs.map(({ suite }) => suite)).size > 1;
  const usedPaths = new Set<string>();
  const runsByFolder = Map.groupBy(runs, (run) =>
    JSON.stringify([getLabel(run), hasSeveralSuites && run.suite]),
  );
  return [...runsByFolder.values()].flatMap((runsInFolder) => {
    const [folderRun] = runsInFolder;
    if (!folderRun) return [];
    const suffix = hasSeveralSuites && folderRun.suite !== null ? `_${folderRun.suite}` : '';
    const folder = findUnusedPath(usedPaths, toFileName(`${getLabel(folderRun)}${suffix}`));
    const runsByFunction = Map.groupBy(runsInFolder, (run) =>
      JSON.stringify([getNumber(run), run.functionName, run.direction]),
    );
    return [...runsByFunction.values()].flatMap((functionRuns) => {
      const [firstRun] = functionRuns;
      if (!firstRun) return [];
      const loggedFunction: LoggedFunction = {
        algorithm: getLabel(firstRun),
        attributes: findCommonAttributes(functionRuns),
        suite: firstRun.suite ?? 'unknown_suite',
        functionId: getNumber(firstRun),
        functionName: firstRun.functionName,
        isMaximised: firstRun.direction === 'max',
        precision: firstRun.precision ?? defaultPrecision,
      };
      return layOutFunction(folder, loggedFunction, functionRuns, formatter);
    });
  });
}

function layOutFunction(
  folder: string,
  loggedFunction: LoggedFunction,
  runs: readonly SelectedRun[],
  formatter: LoggerFormatter,
): FunctionFiles {
  const runsByDimension = Map.groupBy(runs, ({ dimension }) => dimension ?? 0);
  return {
    folder,
    loggedFunction,
    indexPath: `${folder}/${formatter.getIndexPath(loggedFunction)}`,
    modifiedAt: findNewestStart(runs),
    scenarios: [...runsByDimension].map(([dimension, dimensionRuns]) => ({
      dimension,
      dataPath: `${folder}/${formatter.getDataPath(loggedFunction, dimension)}`,
      modifiedAt: findNewestStart(dimensionRuns),
      runs: dimensionRuns,
    })),
  };
}

/**
 * Returns a function that returns the label of a run's algorithm: its name. If the algorithm has several configurations
 * on one function and dimension, each label ends with the start of the id of the run's configuration. Otherwise readers
 * would pool the configurations.
 */
function labelAlgorithms(runs: readonly SelectedRun[]): (run: SelectedRun) => string {
  const configurations = new Map<string, Set<string>>();
  for (const run of runs) {
    const { algorithm, functionId, functionName, functionKey, dimension, configurationId } = run;
    const key = JSON.stringify([algorithm, functionId, functionName, functionKey, dimension]);
    configurations.set(key, (configurations.get(key) ?? new Set()).add(configurationId));
  }
  const ambiguousAlgorithms = new Set(
    [...configurations].flatMap(([key, ids]) =>
      ids.size > 1 ? [(JSON.parse(key) as [string])[0]] : [],
    ),
  );
  return ({ algorithm, configurationId }) =>
    ambiguousAlgorithms.has(algorithm) ? `${algorithm}-${configurationId.slice(0, 8)}` : algorithm;
}

function findCommonAttributes(runs: readonly SelectedRun[]): SelectedRun['attributes'] {
  const [firstAttributes, ...otherAttributes] = new Set(runs.map(({ attributes }) => attributes));
  const commonAttributes = Object.entries(firstAttributes ?? {}).filter(([name, value]) =>
    otherAttributes.every((attributes) => attributes[name] === value),
  );
  return Object.fromEntries(commonAttributes);
}

/**
 * Returns the latest start of the runs, but at least 1980, also without a valid start. An imported run starts at the
 * time of its data file.
 */
function findNewestStart(runs: readonly SelectedRun[]): Date {
  const millis = runs.map(({ startTime }) => toMillis(startTime)).filter(Number.isFinite);
  return new Date(millis.reduce((a, b) => Math.max(a, b), Date.UTC(1980, 0)));
}

/**
 * Returns a sentence for each difference between the export and the runs, with the number of affected runs. Omits
 * differences that affect no run.
 */
export function describeDifferences(format: ArchiveFormat, runs: readonly SelectedRun[]): string[] {
  const count = (isAffected: (run: SelectedRun) => boolean) => runs.filter(isAffected).length;
  const facts: [number, string][] = [
    [count(isRunning), 'Runs that were RUNNING, and contain the evaluations up to the export'],
    [
      count(({ status }) => !['COMPLETED', 'RUNNING'].includes(status)),
      format === 'coco'
        ? 'Runs that have not completed, so the index has no final value of them'
        : 'Runs that have not completed, which the format does not state',
    ],
    [
      count(({ newestIteration }) => newestIteration === null),
      'Runs without a trace, which contain only their final value at their last evaluation',
    ],
    [
      count(({ evaluations }) => (evaluations ?? 0) > Number.MAX_SAFE_INTEGER),
      'Runs with 2^53 evaluations or more, which the export rounds to 53 bits',
    ],
    [
      count(({ instance }) => instance > 65_535),
      'Runs of an instance above 65,535, which IOHinspector does not read',
    ],
    [
      count(({ instance }) => instance === 0),
      'Runs of an unknown instance, which have the instance 0',
    ],
    [
      count(({ suite }) => suite === 'bbob-constrained'),
      'Runs whose evaluations include those of constraints',
    ],
  ];
  return facts.flatMap(([n, text]) => (n > 0 ? [`${text}: ${n}.`] : []));
}
