import type { RunRecord } from '#server/repositories/analysis.ts';
import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { traceOf } from '#server/stats/trace.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { Across, AcrossQuery } from '#shared/schemas/analysis-across.ts';
import { acrossNotes } from './across-notes.ts';
import { instanceResults } from './across-results.ts';
import { acrossTable, isComparable, isShared } from './across-table.ts';
import { objectiveAt, placesToCompare, type Place } from './across-places.ts';
import { describeExperiment } from './comparison.ts';
import { groupRuns, type JudgedGroup } from './groups.ts';
import { ensureText, KeptAnswer, keyOfRuns } from './kept-answer.ts';
import { loadExperiments, loadTraces, type AnalysisContext } from './load.ts';
import type { AnalysedRun } from './model.ts';
import { nothingAsked } from './objective.ts';
import { levelsOf, outcomesOf, outcomesOfLevels } from './outcomes.ts';
import { ofAlgorithms } from './scope.ts';

/**
 * Groups × problem instances, each instance by its own direction and target: the table of a paper, with what
 * Demšar (2006) tests over it. An instance without a target has no ERT and no success rate, and is left out of
 * those. Throws NOT_FOUND for an instance or a control that is not there.
 */
export async function compareAcross(
  context: AnalysisContext,
  query: AcrossQuery,
): Promise<KeptAnswer> {
  const { database, memory } = context;
  const kept = ofAlgorithms(await loadExperiments(database), query.algorithm);
  const ids = kept.map(({ experimentId }) => experimentId);
  const runs = await analysis.listRunsOf(database, ids);
  const chosen = placesToCompare(kept, runs, query);
  const places = await Promise.all(
    chosen.map(async (place) => ({
      ...place,
      objective: await objectiveAt(database, nothingAsked, place),
    })),
  );
  const facts = places.map(({ experiments: inside, objective, id, label, runs: those }) => [
    id,
    label,
    objective,
    [...inside.values()].map(describeExperiment),
    keyOfRuns(those),
  ]);
  const text = await ensureText(memory, ['across', query, facts], async () =>
    writeAnswer(endpoints.compareAcross, await tabulate(context, places, query)),
  );
  return new KeptAnswer([text]);
}

/** The whole answer; one instance after the other, so that only the traces of one are in hand. */
async function tabulate(
  context: AnalysisContext,
  places: readonly Place[],
  query: AcrossQuery,
): Promise<Across> {
  const { measure, groupBy } = query;
  const needsTarget = measure === 'ert' || measure === 'success';
  const targeted = places.filter(
    ({ objective }) => !needsTarget || objective.targetFitness !== null,
  );
  const judged: { place: Place; groups: JudgedGroup[] }[] = [];
  for (const place of targeted) {
    judged.push({ place, groups: await judge(context, place, query) });
  }
  const names = new Map(
    judged.flatMap(({ groups }) => groups.map(({ name, label }) => [name, label] as const)),
  );
  const groups = [...names.keys()].sort();
  const results = judged
    .map(({ place, groups: inside }) => ({
      place,
      ...instanceResults(measure, place.id, groups, inside, place.objective.direction),
    }))
    .filter(isComparable);
  const control = findControl(groups, query.control);
  return {
    measure,
    groupBy,
    control: control === null ? null : (groups[control] ?? null),
    groups: groups.map((group) => ({ group, label: names.get(group) ?? group })),
    instances: results.map(({ place, ...result }) => ({
      ...place,
      ...place.objective,
      isShared: isShared(result),
    })),
    ...acrossTable(groups, results, control),
    notes: acrossNotes({ places, targeted, results, groups, names, judged }),
  };
}

/** The groups on an instance; medians and means need no traces. */
async function judge(
  context: AnalysisContext,
  { runs, experiments, objective }: Place,
  { measure, groupBy }: AcrossQuery,
): Promise<JudgedGroup[]> {
  const isTraced = measure !== 'median' && measure !== 'mean';
  const analysed = isTraced
    ? await loadTraces(context, runs, objective.direction)
    : runs.map(withoutTrace);
  const levels = measure === 'anytime' ? levelsOf(analysed, objective) : [];
  return groupRuns({ runs: analysed, experiments }, groupBy).map((group) => ({
    ...group,
    outcomes: isTraced ? outcomesOf(group.runs, objective) : [],
    levels: outcomesOfLevels(group.runs, levels, objective),
  }));
}

const noTrace = traceOf(new Float64Array(), 'min');

function withoutTrace(run: RunRecord): AnalysedRun {
  return { ...run, trace: noTrace };
}

/** Place of the control among the groups, in any case; null where none is asked for. */
function findControl(groups: readonly string[], control: string | undefined): number | null {
  if (control === undefined) return null;
  const place = groups.findIndex((group) => group.toLowerCase() === control.toLowerCase());
  if (place >= 0) return place;
  throw new ProblemError('NOT_FOUND', `There is no group "${shortened(control)}" to compare with`);
}
