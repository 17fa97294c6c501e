import { describeCount, formatCount, formatFitness } from '#shared/number-format.ts';
import type { ComparedRun, RunsOverlay } from '#shared/schemas/analysis-runs.ts';

type NameOf = (runId: string) => string;

/** Returns the summary of the page: the compared runs, the best ones, and the parameters that differ. */
export function makeLeadSentences(overlay: RunsOverlay, getName: NameOf): string[] {
  const { runs } = overlay;
  return [
    makeSubjectSentence(runs),
    ...makeResultSentences(runs, getName),
    makeDifferingSentence(overlay),
  ];
}

function makeSubjectSentence(runs: readonly ComparedRun[]): string {
  const getDistinct = <Value>(value: (run: ComparedRun) => Value): Value[] => [
    ...new Set(runs.map(value)),
  ];
  const instances = getDistinct(({ instance }) => instance.label);
  const directions = getDistinct(({ direction }) => direction);
  const targets = getDistinct(({ targetFitness }) => targetFitness);
  const where =
    instances.length === 1 ? `on ${instances[0]}` : `on ${instances.length} problem instances`;
  const better =
    directions.length > 1 ? '' : `; ${directions[0] === 'min' ? 'lower' : 'higher'} is better`;
  const [target] = targets;
  const aim =
    targets.length === 1 && target !== null ? `, the target is ${formatFitness(target)}` : '';
  const experiments = getDistinct(({ experimentId }) => experimentId).length;
  return `${describeCount(runs.length, 'run')} of ${describeCount(experiments, 'experiment')} ${where}${better}${aim}.`;
}

/** For runs on one instance, returns who reached the target first, or else whose best fitness is best. */
function makeResultSentences(runs: readonly ComparedRun[], getName: NameOf): string[] {
  const solved = runs.filter((run) => run.solved === true);
  if (new Set(runs.map(({ instance }) => instance.id)).size > 1) return [];
  const runsWithTarget = runs.filter((run) => run.solved !== null);
  if (runsWithTarget.length === 0) return makeBestSentence(runs, getName);
  if (solved.length === 0) {
    return ['No run has reached its target.', ...makeBestSentence(runs, getName)];
  }
  const hasOneTarget = new Set(runsWithTarget.map(({ targetFitness }) => targetFitness)).size === 1;
  const fastest = getLeast(solved, ({ evaluationsToTarget }) => evaluationsToTarget);
  const first =
    fastest.value === null
      ? ''
      : `, the first after ${formatCount(fastest.value)} evaluations: ${listNames(fastest.runs, getName)}`;
  const reached =
    runsWithTarget.length === runs.length
      ? `${runs.length} reached ${hasOneTarget ? 'the' : 'their'} target`
      : `${describeCount(runsWithTarget.length, 'run')} with a target reached ${hasOneTarget ? 'it' : 'theirs'}`;
  return [`${solved.length} of ${reached}${first}.`];
}

function makeBestSentence(runs: readonly ComparedRun[], getName: NameOf): string[] {
  if (new Set(runs.map(({ direction }) => direction)).size > 1) return [];
  const sign = runs[0]?.direction === 'max' ? -1 : 1;
  const { runs: best, value } = getLeast(runs, (run) =>
    run.best === null ? null : sign * run.best,
  );
  if (value === null) return [];
  return [
    `The best fitness is ${formatFitness(sign * value)}, reached by ${best.length > 2 ? `${best.length} runs` : listNames(best, getName)}.`,
  ];
}

function getLeast(
  runs: readonly ComparedRun[],
  getValue: (run: ComparedRun) => number | null,
): { runs: ComparedRun[]; value: number | null } {
  const values = runs.flatMap((run) => getValue(run) ?? []);
  if (values.length === 0) return { runs: [], value: null };
  const value = Math.min(...values);
  return { runs: runs.filter((run) => getValue(run) === value), value };
}

function listNames(runs: readonly ComparedRun[], getName: NameOf): string {
  if (runs.length > 2) return `${runs.length} runs at once`;
  return runs.map(({ runId }) => getName(runId)).join(' and ');
}

/** Maximum number of parameters named in a sentence. */
const mostNamed = 3;

function makeDifferingSentence({ parameters, runs }: RunsOverlay): string {
  const paths = parameters.differing
    .filter(({ isIncidental }) => !isIncidental)
    .map(({ path }) => path);
  if (paths.length === 0) {
    const seeds = new Set(runs.map(({ seed }) => seed)).size;
    return `No parameters differ${seeds > 1 ? '; only the seeds do' : ''}.`;
  }
  const named = paths.slice(0, mostNamed).join(', ');
  const more = paths.length - mostNamed;
  return `${describeCount(paths.length, 'parameter differs', 'parameters differ')}: ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}
