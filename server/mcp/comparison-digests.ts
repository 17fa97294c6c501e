import { describeMarks, describePairClaims } from '#shared/across-words.ts';
import type { ResponseBody } from '#shared/api.ts';
import { getGroupMetrics } from '#shared/group-metrics.ts';
import { formatCount } from '#shared/number-format.ts';
import type { GuardedSamples } from '#shared/schemas/analysis-guard.ts';
import type { Interval, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import type { NoteCode } from '#shared/schemas/analysis-note.ts';
import { measures } from '#shared/words.ts';
import { makeSection, round, type Digest, type Section, type Value } from './digest.ts';
import {
  createSentenceMarker,
  markListedNames,
  markText,
  textBytes,
  type MarkSentence,
} from './marked-text.ts';

/** Statements on conclusions that no test of two groups supports. */
const testLimits = [
  'No significant difference is not evidence of equivalence.',
  'p-values are not sizes of differences, and not probabilities that a group is better.',
];

/** Returns sentences on the conditions of the tests. These conditions limit every claim. */
function getGuardLimits(
  { isInterim, isExploratory, heading }: GuardedSamples,
  mark: MarkSentence,
): string[] {
  return [
    ...(isInterim
      ? ['Runs are still RUNNING: the tests claim no difference, for any p-value.']
      : []),
    ...(isExploratory
      ? ['The comparison is exploratory: it suggests questions for new runs, and confirms nothing.']
      : []),
    ...(heading === '' ? [] : [`Conditions of all claims: ${mark(heading)}`]),
  ];
}

/** Returns the digest of a comparison on a problem instance: verdict, groups, pairs, and the other instances. */
export function digestComparison(comparison: ResponseBody<'compareProblem'>): Digest {
  const { problemType, guard, algorithms, verdict, instances, notes } = comparison;
  const instance = instances.find(({ selected }) => selected);
  const mark = createSentenceMarker([
    ...algorithms.flatMap(({ algorithm, label }) => [algorithm, label]),
    ...instances.map(({ label }) => label),
    problemType,
  ]);
  const untestedPairCount = guard.pairs.filter(({ isTested }) => !isTested).length;
  return {
    facts: {
      problemType: markText(problemType, textBytes.id),
      instance: instance && {
        id: markText(instance.id, textBytes.id),
        label: markText(instance.label),
      },
      direction: comparison.objectiveDirection,
      targetFitness: comparison.targetFitness,
      commonBudget: guard.commonBudget,
      budgets: mark(guard.text),
      groupCount: algorithms.length,
      pairCount: guard.pairs.length,
    },
    notes: [...guard.notes, ...notes.map(({ message }) => message)].map(mark),
    limits: [
      'Only sentences with the kind "claim" state that groups differ. Medians, means, ERT, A12 and the order of groups do not.',
      ...getGuardLimits(guard, mark),
      ...testLimits,
      'Claims hold for these configurations on this problem instance within the stated evaluations, not for other problems, dimensions or budgets.',
      ...(untestedPairCount > 0
        ? [
            `${formatCount(untestedPairCount)} of ${formatCount(guard.pairs.length)} pairs have no test.`,
          ]
        : []),
    ],
    sections: [
      makeSection('verdict', verdict, ({ kind, measure, text }) => ({
        kind,
        measure,
        text: mark(text),
      })),
      makeGroupSection(comparison),
      makePairSection(comparison, mark),
      makeSection(
        'otherInstances',
        instances.filter(({ selected }) => !selected),
        (otherInstance) => ({
          id: markText(otherInstance.id, textBytes.id),
          label: markText(otherInstance.label),
          groups: otherInstance.algorithms,
          runs: otherInstance.runs,
        }),
      ),
    ],
  };
}

function makeGroupSection({ algorithms, guard, targetFitness }: ProblemComparison): Section {
  return makeSection('groups', algorithms, (group) => {
    const metrics = getGroupMetrics(group, guard, targetFitness !== null);
    return {
      group: markText(group.algorithm),
      ...(group.label !== group.algorithm && { label: markText(group.label) }),
      ...(group.isBaseline && { isBaseline: true }),
      configurations: group.configurations,
      ...(metrics
        ? {
            runs: metrics.runs,
            solved: targetFitness === null ? undefined : metrics.solved,
            successRate: round(metrics.successRate),
            ert: metrics.ert === Infinity ? 'infinite: no run reached the target' : metrics.ert,
            medianBest: metrics.medianBest,
            meanBest: metrics.meanBest,
          }
        : { runs: group.totalRuns, isTested: false }),
      significantlyBetterThanAllOn: group.bestOn,
    };
  });
}

/**
 * Returns the section of the pairs, by ascending adjusted p-value. Pairs without an adjusted p-value are last. A row
 * names a better group only for a difference that the tests claim.
 */
function makePairSection({ guard, pairwise }: ProblemComparison, mark: MarkSentence): Section {
  const pairs = guard.pairs
    .map((pair, index) => ({ pair, index }))
    .sort((a, b) => (a.pair.adjustedPValue ?? 2) - (b.pair.adjustedPValue ?? 2));
  return makeSection('pairs', pairs, ({ pair, index }) => {
    const names = { a: markText(pair.a, textBytes.short), b: markText(pair.b, textBytes.short) };
    if (!pair.isTested) return { ...names, notTested: mark(pair.reason?.message ?? 'Not tested.') };
    const tests = measures.flatMap((measure) => {
      const test = pairwise[measure]?.[index];
      return test ? [[measure, test] as const] : [];
    });
    const claims = tests.filter(([, test]) => test.significant && test.better !== 'none');
    return {
      ...names,
      withinEvaluations: pair.commonBudget,
      runs: [pair.runsA, pair.runsB],
      ...(pair.unit === 'configuration' && { unit: pair.unit }),
      adjustedP: round(pair.adjustedPValue),
      ...(pair.runsNeeded && { furtherRunsPerGroup: pair.runsNeeded.further }),
      claimedBetter: Object.fromEntries(
        claims.map(([measure, test]) => [measure, markText(test.better, textBytes.short)]),
      ),
      ...Object.fromEntries(tests.map(([measure, test]) => [measure, describeTest(test)])),
    };
  });
}

function describeTest(test: MeasuredPair): Value {
  return {
    adjustedP: round(test.adjustedPValue),
    a12: round(test.effectSize),
    simultaneousCi95: roundInterval(test.simultaneousEffectInterval),
  };
}

function roundInterval(interval: Interval | null): Value {
  return interval && [round(interval.lower), round(interval.upper)];
}

/**
 * Returns the digest of the analysis of an experiment: id, problem, notes and limits, without rows. A result contains
 * only the notes and limits, together with the LaTeX of the experiment.
 */
export function digestExperiment({
  experimentId,
  problemType,
  problemInstance,
  notes,
}: ResponseBody<'analyseExperiment'>): Digest {
  const mark = createSentenceMarker([problemType, problemInstance.label, experimentId]);
  return {
    facts: {
      experimentId: markText(experimentId, textBytes.id),
      problemType: markText(problemType, textBytes.id),
      instance: markText(problemInstance.label),
    },
    notes: notes.map(({ message }) => mark(message)),
    limits: ['The values of one experiment describe its runs. They support no claim about others.'],
    sections: [],
  };
}

/** Codes of the notes that name instances that are not in the response. */
const exclusionCodes: ReadonlySet<NoteCode> = new Set<NoteCode>([
  'INSTANCES_WITHOUT_TARGET',
  'INSTANCES_NOT_COMPARED',
]);

/**
 * Returns the digest of a comparison across instances: average ranks, tests of pairs, instances, cells, and the tests
 * on each instance.
 */
export function digestAcross(across: ResponseBody<'compareAcross'>): Digest {
  const { groups, guard, instances, pairTests, friedman, notes } = across;
  const mark = createSentenceMarker([
    ...groups.flatMap(({ group, label }) => [group, label]),
    ...instances.flatMap(({ label, problemType }) => [label, problemType]),
    ...pairTests.unscaled,
  ]);
  const labels = new Map(instances.map(({ id, label }) => [id, label]));
  const problemTypes = new Set(instances.map(({ problemType }) => problemType));
  return {
    facts: {
      measure: across.measure,
      groupBy: across.groupBy,
      missing: across.missing,
      blocks: across.blocks,
      ...(problemTypes.size === 1 && {
        problemType: markText([...problemTypes].join(), textBytes.id),
      }),
      groupCount: groups.length,
      instanceCount: instances.length,
      sharedInstanceCount: instances.filter(({ isShared }) => isShared).length,
      friedman: { blocks: friedman.blocks, pValue: round(friedman.exactPValue ?? friedman.pValue) },
      scale: pairTests.scale,
    },
    notes: [
      ...guard.notes.map(mark),
      ...notes.map(({ code, message }) =>
        exclusionCodes.has(code) ? markListedNames(message) : mark(message),
      ),
    ],
    limits: [
      'Average ranks and wins do not show that groups differ. Only pairs with a group in "claimedBetter" differ.',
      describePairClaims(across),
      describeMarks(across),
      ...getGuardLimits(guard, mark),
      ...testLimits,
      'Claims hold for these instances within their common budgets, not for other problems or budgets.',
    ],
    sections: [
      makeSection('averageRanks', across.averageRanks, ({ group, averageRank }) => ({
        group: markText(group),
        averageRank: round(averageRank),
      })),
      makeSection('pairsAcrossInstances', pairTests.pairs, (pair) => ({
        a: markText(pair.a, textBytes.short),
        b: markText(pair.b, textBytes.short),
        blocks: pair.blocks,
        wins: pair.wins,
        ties: pair.ties,
        losses: pair.losses,
        adjustedP: round(pair.holmAdjustedPValue),
        smallestPossibleP: round(pair.attainablePValue),
        claimedBetter: getClaimedWinner(pair),
      })),
      makeSection('instances', instances, (instance) => ({
        id: markText(instance.id, textBytes.id),
        label: markText(instance.label),
        problemType: markText(instance.problemType),
        targetFitness: instance.targetFitness,
        commonBudget: instance.commonBudget,
        lackingGroups: instance.lacking.slice(0, 10).map((name) => markText(name, 60)),
      })),
      makeSection(
        'cells',
        across.cells,
        ({ instance, group, n, value, infinity, clearlyBest }) => ({
          instance: markText(labels.get(instance) ?? instance, textBytes.short),
          group: markText(group, textBytes.short),
          n,
          value: value ?? (infinity === null ? null : infinity > 0 ? 'infinite' : '-infinite'),
          significantlyBetterThanAll: clearlyBest,
        }),
      ),
      makeSection('pairsOnInstances', across.instanceTests, ({ instance, reason, ...test }) => ({
        instance: markText(labels.get(instance) ?? instance, textBytes.short),
        a: markText(test.a, textBytes.short),
        b: markText(test.b, textBytes.short),
        ...(reason === null
          ? { adjustedP: round(test.adjustedPValue), claimedBetter: getClaimedWinner(test) }
          : { notTested: mark(reason) }),
      })),
    ],
  };
}

/** Returns the better group or optimizer of a pair between marks; null if the test claims no difference. */
export function getClaimedWinner({
  better,
  significant,
}: {
  better: string;
  significant: boolean;
}): string | null {
  return significant && better !== 'none' ? markText(better, textBytes.short) : null;
}
