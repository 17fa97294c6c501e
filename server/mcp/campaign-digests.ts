import type { ResponseBody } from '#shared/api.ts';
import type { CampaignEcdf, OptimizerPair } from '#shared/schemas/coco-analysis.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';
import { getClaimedWinner } from './comparison-digests.ts';
import { makeSection, round, type Digest, type Value } from './digest.ts';
import { createSentenceMarker, markOptional, markText, textBytes } from './marked-text.ts';

const progressLimit = 'Counts of solved trials do not show that optimizers differ.';

function describeCampaign(item: CampaignItem): Record<string, Value> {
  return {
    campaignId: markText(item.campaignId, textBytes.id),
    name: markText(item.name),
    suite: markText(item.suite),
    status: markText(item.status),
    trials: item.trials,
    expectedTrials: item.expectedTrials,
    solvedTrials: item.reachedTargets,
    optimizers: item.optimizerCount,
  };
}

/** Returns the digest of a page of campaigns. */
export function digestCampaigns({
  items,
  page,
  size,
  total,
}: ResponseBody<'listCampaigns'>): Digest {
  return {
    facts: { total },
    notes: [],
    limits: [progressLimit],
    sections: [makeSection('campaigns', items, describeCampaign)],
    page: { rowsBefore: page * size, total },
  };
}

/** Returns the digest of a campaign: the campaign, and its progress per optimizer and dimension. */
export function digestCampaign(campaign: ResponseBody<'getCampaign'>): Digest {
  return {
    facts: {
      campaign: {
        ...describeCampaign(campaign),
        campaignNotes: markOptional(campaign.notes, textBytes.message),
      },
    },
    notes: [],
    limits: [progressLimit],
    sections: [
      makeSection('progress', campaign.completeness, ({ optimizerId, ...counts }) => ({
        optimizer: markText(optimizerId),
        ...counts,
      })),
    ],
  };
}

/**
 * Returns the digest of the tests of optimizers: first the pairs per dimension, then the pairs per dimension and
 * function.
 */
export function digestOptimizerTests({
  dimensions,
  functions,
  target,
  interim,
  notes,
}: ResponseBody<'compareOptimizers'>): Digest {
  const pairs = dimensions.flatMap(({ dimension, pairs: dimensionPairs }) =>
    dimensionPairs.map((pair) => ({ dimension, pair })),
  );
  const pairsOfFunctions = functions.flatMap(({ dimension, functionId, pairs: functionPairs }) =>
    functionPairs.map((pair) => ({ dimension, functionId, pair })),
  );
  const mark = createSentenceMarker(
    [...pairs, ...pairsOfFunctions].flatMap(({ pair }) => [
      pair.a,
      pair.b,
      pair.labelA,
      pair.labelB,
    ]),
  );
  return {
    facts: { testedTarget: target },
    notes: notes.map(({ message }) => mark(message)),
    limits: [
      'Optimizers differ only where a pair names one in "claimedBetter". Areas, ERTs and ratios do not show a difference.',
      ...(interim
        ? ['A campaign is still running: the tests claim no difference, for any p-value.']
        : []),
      'No significant difference is not evidence of equivalence.',
      'Claims hold for these functions, dimensions, instances and budgets only.',
    ],
    sections: [
      makeSection('pairsByDimension', pairs, ({ dimension, pair }) => ({
        dimension,
        ...describePair(pair),
      })),
      makeSection('pairsByFunction', pairsOfFunctions, ({ pair, ...cell }) => ({
        ...cell,
        ...describePair(pair),
      })),
    ],
  };
}

function describePair(pair: OptimizerPair): Record<string, Value> {
  return {
    a: markText(pair.a, textBytes.short),
    b: markText(pair.b, textBytes.short),
    instances: pair.instances,
    budget: pair.budget,
    adjustedP: round(pair.adjustedPValue),
    claimedBetter: getClaimedWinner(pair),
  };
}

/** Returns the digest of the ECDFs of a campaign: the area under each curve, per dimension. */
export function digestEcdf({ panels, optimizers, dropped, notes }: CampaignEcdf): Digest {
  const mark = createSentenceMarker([
    ...optimizers,
    ...panels.flatMap(({ curves }) => curves.map(({ label }) => label)),
  ]);
  const curves = panels.flatMap(({ dimension, budget, curves: panelCurves }) =>
    panelCurves.map((curve) => ({ dimension, budget, curve })),
  );
  return {
    facts: { omittedCells: dropped.reduce((sum, { instances }) => sum + instances, 0) },
    notes: notes.map(({ message }) => mark(message)),
    limits: [],
    sections: [
      makeSection('ecdfAreas', curves, ({ dimension, budget, curve }) => ({
        dimension,
        optimizer: markText(curve.optimizer),
        area: round(curve.area),
        // An unknown dimension is 0. The budget is then in evaluations.
        [dimension === 0 ? 'evaluations' : 'evaluationsPerDimension']: round(budget),
        cells: curve.cells,
        solvedPairs: curve.solvedPairs,
        pairs: curve.pairs,
      })),
    ],
  };
}

/**
 * Returns the digest of the expected runtimes of a campaign: first the geometric mean of the ratios per dimension and
 * optimizer, then each ERT.
 */
export function digestErts({
  rows,
  summary,
  optimizers,
  references,
  suite,
  name,
  referenceKind,
  notes,
}: ResponseBody<'listErts'>): Digest {
  const mark = createSentenceMarker([
    ...optimizers,
    ...references,
    ...rows.map(({ label }) => label),
    suite,
    name,
  ]);
  return {
    facts: { referenceKind },
    notes: notes.map(({ message }) => mark(message)),
    limits: [],
    sections: [
      makeSection('ertRatios', summary, (row) => ({
        dimension: row.dimension,
        optimizer: markText(row.optimizerId),
        solvedFunctions: row.solvedFunctions,
        functions: row.functions,
        comparedFunctions: row.comparedFunctions,
        geometricMeanRatio: round(row.geometricMeanRatio),
      })),
      makeSection('erts', rows, (row) => ({
        dimension: row.dimension,
        functionId: row.functionId,
        target: row.targetValue,
        optimizer: markText(row.optimizerId, textBytes.short),
        solved: row.solvedTrials,
        trials: row.trials,
        ert: row.ert ?? (row.trials === 0 ? null : 'infinite: no trial reached the target'),
        ratio: round(row.ratio),
      })),
    ],
  };
}
