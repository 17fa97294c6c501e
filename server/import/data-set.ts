import { bestOf } from '#server/domain/trace.ts';
import { createExperimentRecord, type ExperimentRecord } from '../recording/experiment-record.ts';
import { configOf } from './experiment-config.ts';
import { campaignIdOf, campaignKey, functionNumbers, runIdBeginning, runIdOf } from './identity.ts';
import type { ImportNote } from './notes.ts';
import type { ImportedRun, RunGroup } from './run-group.ts';

/** What a source holds, put together and named: what is compared with the database and written. */
export interface DataSet {
  name: string;
  /** The path, or the name of the file that was sent. */
  path: string;
  bytes: number;
  sha256: string;
  campaigns: Campaign[];
  notes: ImportNote[];
}

/** The experiments of one suite. */
export interface Campaign {
  /** Null where the data belong to no suite: then there are experiments only. */
  campaignId: string | null;
  suite: string | null;
  experiments: Experiment[];
}

/** The runs of an algorithm on a function in a dimension. */
export interface Experiment {
  record: ExperimentRecord;
  group: RunGroup;
  functionNumber: number;
  /** The value from which on a trial has reached its target: the precision, else the best value known. */
  target: number;
  /** What the ids of all runs of the algorithm begin with. */
  runIdBeginning: string;
  runs: (ImportedRun & { runId: string; experimentId: string })[];
}

/** Algorithms that say nothing by their name: examples of loggers call themselves so. */
const emptyNames = /^(alg|rs|algorithm_name|algorithm|unknown|_|)$/i;

/**
 * The groups with the ids of their campaigns, experiments and runs in a data set of this name; `budget` is what each run was
 * granted where the data do not state it.
 */
export function campaignsOf(
  dataSet: string,
  groups: readonly RunGroup[],
  budget?: number,
): Campaign[] {
  const named = withTellingNames(dataSet, groups);
  const bySuite = Map.groupBy(named, (group) => JSON.stringify(campaignKey(group)));
  return [...bySuite.values()].flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const numberOf = functionNumbers(members);
    const best = bestKnown(members, numberOf);
    return {
      campaignId: first.suite === null ? null : campaignIdOf(dataSet, first),
      suite: first.suite,
      experiments: members.map((group) =>
        experimentOf(dataSet, group, { functionNumber: numberOf(group), best, budget }),
      ),
    };
  });
}

/** A single algorithm whose name says nothing is called as the data set. */
function withTellingNames(dataSet: string, groups: readonly RunGroup[]): readonly RunGroup[] {
  const names = new Set(groups.map(({ algorithm }) => algorithm));
  const [only = ''] = names;
  if (names.size !== 1 || !emptyNames.test(only)) return groups;
  return groups.map((group) => ({ ...group, algorithm: dataSet }));
}

function experimentOf(
  dataSet: string,
  group: RunGroup,
  {
    functionNumber,
    best,
    budget,
  }: { functionNumber: number; best: ReadonlyMap<string, number>; budget: number | undefined },
): Experiment {
  const beginning = runIdBeginning(dataSet, group);
  const record = createExperimentRecord(configOf(dataSet, group, functionNumber, budget));
  const { experimentId } = record;
  const place = { functionNumber, dimension: group.dimension };
  return {
    record,
    group,
    functionNumber,
    target: group.precision ?? best.get(placeKey(group, functionNumber)) ?? 0,
    runIdBeginning: beginning,
    runs: group.runs.map((run) => ({
      ...run,
      runId: runIdOf(beginning, place, run),
      experimentId,
    })),
  };
}

/** The best value that any algorithm of the data set has on each function in each dimension, by {@link placeKey}. */
function bestKnown(
  groups: readonly RunGroup[],
  numberOf: (group: RunGroup) => number,
): Map<string, number> {
  const best = new Map<string, number>();
  for (const group of groups) {
    const key = placeKey(group, numberOf(group));
    for (const { trace } of group.runs) {
      const value = trace.best.at(-1) ?? 0;
      best.set(key, bestOf([best.get(key) ?? value, value], group.direction) ?? value);
    }
  }
  return best;
}

function placeKey({ dimension }: RunGroup, functionNumber: number): string {
  return `${functionNumber} ${dimension}`;
}
