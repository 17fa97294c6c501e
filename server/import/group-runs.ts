import type { Direction } from '#server/domain/objective.ts';
import type { JoinedRun } from './join.ts';
import type { NoteBook } from './notes.ts';
import { type ImportedRun, numberRepetitions, type RunGroup } from './run-group.ts';
import { cocoSuite, functionNameIn, iohprofilerSuite, isBbobLike } from './suites.ts';
import { traceOfFiles } from './run-trace.ts';

/**
 * The runs of loggers by algorithm, function and dimension, each with its trace. Data of COCO and of
 * IOHprofiler stay apart. `direction` is taken where the data do not state one; without it that is noted, and
 * more is better unless the suite is one of BBOB.
 */
export function groupRuns(
  joined: readonly JoinedRun[],
  notes: NoteBook,
  direction?: Direction,
): RunGroup[] {
  const located = joined.map((run) => ({ run, place: placeOf(run) }));
  const groups = Map.groupBy(located, ({ place }) => JSON.stringify(place));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first
      ? [
          groupOf(
            first.place,
            members.map(({ run }) => run),
            notes,
            direction,
          ),
        ]
      : [];
  });
}

interface Place {
  isCoco: boolean;
  algorithm: string;
  suite: string;
  functionId: string;
  functionName: string | null;
  dimension: number;
}

function placeOf({ scenario, format }: JoinedRun): Place {
  const { algorithm, functionId, dimension } = scenario;
  const isCoco = format !== 'iohprofiler';
  const suite = isCoco
    ? cocoSuite(scenario.suite, functionId, format === 'coco-indicator')
    : iohprofilerSuite(scenario.suite, functionId, scenario.functionName);
  const functionName = functionNameIn(suite, functionId) ?? scenario.functionName;
  return { isCoco, algorithm, suite, functionId, functionName, dimension };
}

function groupOf(
  { isCoco, ...place }: Place,
  joined: readonly JoinedRun[],
  notes: NoteBook,
  asked: Direction | undefined,
): RunGroup {
  const direction = directionOf(isCoco, place, joined, notes, asked);
  const runs = numberRepetitions(joined.map((run) => runOf(run, direction)));
  if (!isCoco && direction === 'min' && isBbobLike(place.suite)) noteRounding(joined, runs, notes);
  return {
    ...place,
    format: joined[0]?.format ?? 'iohprofiler',
    attributes: commonAttributes(joined),
    problemAttributes: {},
    direction,
    precision: isBbobLike(place.suite) ? (precisionOf(joined) ?? 1e-8) : null,
    runs,
  };
}

function directionOf(
  isCoco: boolean,
  { suite, functionId }: Pick<Place, 'suite' | 'functionId'>,
  joined: readonly JoinedRun[],
  notes: NoteBook,
  asked: Direction | undefined,
): Direction {
  if (isCoco) return 'min';
  const stated = joined.find(({ scenario }) => scenario.direction !== null)?.scenario.direction;
  if (stated) return stated;
  if (isBbobLike(suite)) return 'min';
  if (asked) return asked;
  const file = joined[0]?.scenario.file;
  notes.add('DIRECTION_ASSUMED', { file, detail: `f${functionId}: assumed maximisation` });
  return 'max';
}

function precisionOf(joined: readonly JoinedRun[]): number | null {
  return joined.find(({ scenario }) => scenario.precision !== null)?.scenario.precision ?? null;
}

/** What all indexes say alike: batches of one experiment may differ in the rest. */
function commonAttributes(joined: readonly JoinedRun[]): RunGroup['attributes'] {
  const all = new Set(joined.map(({ scenario }) => scenario.attributes));
  const [first = {}, ...others] = all;
  const common = Object.entries(first).filter(([name, value]) =>
    others.every((attributes) => attributes[name] === value),
  );
  return Object.fromEntries(common);
}

function runOf(run: JoinedRun, direction: Direction): Omit<ImportedRun, 'repetition'> {
  const instance = run.instance ?? 0;
  const exact = run.blocks.flatMap((block) => [...(block.exact ?? [])]);
  return {
    instance,
    seed: instance,
    trace: traceOfFiles(run.blocks, direction, run.listedEvaluations),
    exact: exact.length > 0 ? new Map(exact) : null,
    isFinalised: run.isFinalised,
    modifiedAt: run.modifiedAt,
  };
}

/** Its loggers print 6 or 10 decimals, so that a precision below is printed as 0. */
function noteRounding(
  joined: readonly JoinedRun[],
  runs: readonly ImportedRun[],
  notes: NoteBook,
): void {
  const count = runs.filter(({ trace }) => trace.best.at(-1) === 0).length;
  if (count > 0) notes.add('RESOLUTION', { file: joined[0]?.scenario.file, count });
}
