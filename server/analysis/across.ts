import type { RunRecord } from '#server/repositories/analysis.ts';
import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { parseConfig } from '#server/rules/config.ts';
import { knownOptimum } from '#server/rules/known-optimum.ts';
import { functionKeyOf } from '#server/rules/problem-instance.ts';
import { traceOf } from '#server/stats/trace.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { Across, AcrossQuery } from '#shared/schemas/analysis-across.ts';
import { isRunning } from '#shared/words.ts';
import { differencesAmong } from './across-differences.ts';
import { acrossNotes } from './across-notes.ts';
import { testPairs } from './across-pairs.ts';
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
      inside,
      ...instanceResults(measure, place.id, groups, inside, place.objective.direction),
    }))
    .filter(isComparable);
  const control = findControl(groups, query.control);
  const runs = results.flatMap(({ place }) => place.runs);
  const scored = results.map(({ place, results: inside }) => ({
    label: place.label,
    block: blockOf(place),
    optimum: optimumOf(place),
    values: inside.map(({ value }) => value),
  }));
  return {
    measure,
    groupBy,
    missing: query.missing,
    blocks: query.blocks,
    control: control === null ? null : (groups[control] ?? null),
    groups: groups.map((group) => ({ group, label: names.get(group) ?? group })),
    instances: results.map(({ place, inside, ...result }) => ({
      ...place,
      ...place.objective,
      isShared: isShared(result),
      lacking: groups.filter((_, index) => result.results[index]?.value === null),
      block: blockOf(place),
      differences: differencesAmong(inside),
    })),
    ...acrossTable(groups, results, control, query.missing),
    pairTests: testPairs(groups, scored, query, runs.some(isRunning)),
    notes: acrossNotes({
      places,
      targeted,
      results,
      groups,
      names,
      judged,
      missing: query.missing,
    }),
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

/** The function of an instance; instances without a configuration are blocks of their own. */
function blockOf({ id, problemType, experiments }: Place): string {
  const [experiment] = experiments.values();
  const { parameters } = experiment?.instance ?? {};
  return parameters?.size ? `${problemType} ${functionKeyOf({ parameters })}` : id;
}

function optimumOf({ problemType, experiments, objective }: Place): number | null {
  const [experiment] = experiments.values();
  const config = parseConfig(experiment?.configJson ?? '');
  return knownOptimum(problemType, config, objective.direction);
}

/** Place of the control among the groups, in any case; null where none is asked for. */
function findControl(groups: readonly string[], control: string | undefined): number | null {
  if (control === undefined) return null;
  const place = groups.findIndex((group) => group.toLowerCase() === control.toLowerCase());
  if (place >= 0) return place;
  throw new ProblemError('NOT_FOUND', `There is no group "${shortened(control)}" to compare with`);
}
