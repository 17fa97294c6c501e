import { budgetCrossOf, targetSteps, type TargetHits } from '#server/stats/target-ecdf.ts';
import { firstHits } from '#server/stats/trace.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import { severalTargets, type SeveralTargets } from '#shared/schemas/analysis.ts';
import { ensureText, type KeptText } from './kept-answer.ts';
import type { AnalysisMemory } from './memory.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { budgetOf, levelsOf, outcomeAt } from './outcomes.ts';

/** Runs that make a curve. */
interface NamedRuns {
  name: string;
  runs: readonly AnalysedRun[];
}

/** The ECDFs over several targets as the members of an object, without its braces, kept for all who ask for them. */
export function keepTargetEcdfs(
  memory: AnalysisMemory,
  subject: unknown,
  { objective, targets }: { objective: Objective; targets: readonly number[] },
  groupsOf: () => Promise<readonly NamedRuns[]>,
): Promise<KeptText> {
  const { direction, targetFitness } = objective;
  const facts = [direction, targets, targets.length === 0 && targetFitness, subject];
  const endpoint = { ...endpoints.compareProblem, answer: severalTargets };
  return ensureText(memory, ['targets', facts], async () =>
    writeAnswer(endpoint, targetEcdfs(await groupsOf(), objective, targets)).slice(1, -1),
  );
}

/**
 * Share of the (run, target) pairs of each group that are reached within a number of evaluations; those never reached stay in
 * the denominator. Without targets those of the accuracy levels of all runs together, each once. An evaluation is counted
 * as by {@link outcomeAt}; the cross is the median budget of the runs that missed a target, without those that used no
 * evaluations, which have no place on the axis.
 */
export function targetEcdfs(
  groups: readonly NamedRuns[],
  objective: Objective,
  asked: readonly number[],
): SeveralTargets {
  const all = groups.flatMap(({ runs }) => runs);
  const targets = asked.length > 0 ? asked : [...new Set(levelsOf(all, objective))];
  const ordered = targets.toSorted((a, b) => b - a);
  return {
    targets: ordered,
    targetsSource: asked.length > 0 ? 'query' : 'levels',
    ecdfTargets: groups.map(({ name, runs }) => {
      const hits = runs.map((run) => hitsOf(run, ordered, objective));
      const spent = hits.filter(({ budget }) => budget > 0);
      return { name, ...targetSteps(hits), crossAt: budgetCrossOf(spent) };
    }),
  };
}

function hitsOf(run: AnalysedRun, targets: readonly number[], objective: Objective): TargetHits {
  const hits = firstHits(run.trace, targets);
  for (const [index, target] of targets.entries()) {
    // Its final best fitness may have reached what no iteration did.
    if (hits[index] === Infinity)
      hits[index] = outcomeAt(run, target, objective).evaluationsToTarget ?? Infinity;
  }
  return { dimension: 1, hits, budget: budgetOf(run) };
}
