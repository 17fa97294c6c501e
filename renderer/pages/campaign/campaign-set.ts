import { createMemo, type Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type {
  CampaignErts,
  CellChoice,
  EcdfCurve,
  RatioSummary,
} from '#shared/schemas/coco-analysis.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import { placesOfEmphasised } from '#renderer/charts/emphasis.ts';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';
import type { ScopeValues } from './scope.ts';

/** The campaigns of a page: one, or several of one suite side by side. */
export interface CampaignSet {
  /** The page's own. */
  own: Accessor<CampaignDetail>;
  /** All of them, the page's own first. */
  campaigns: Accessor<readonly CampaignDetail[]>;
  /** Arguments of all requests about them, besides those of a scope. */
  request: Accessor<{ params: { campaignId: string }; campaign: readonly string[] }>;
  /** Whether trials may still be added. */
  isRunning: Accessor<boolean>;
  /** Prefix of the names of exported files. */
  subject: Accessor<string>;
}

/** Creates the set of a campaign and of others to compare. */
export function createCampaignSet(
  own: Accessor<CampaignDetail>,
  others: Accessor<readonly CampaignDetail[]>,
): CampaignSet {
  const campaigns = createMemo(() => [own(), ...others()]);
  // A running campaign changes with each trial; the arguments must change only with the campaigns.
  const ids = createMemo(() => campaigns().map(({ campaignId }) => campaignId), [], {
    equals: (one, other) => one.join('\n') === other.join('\n'),
  });
  const request = createMemo(() => {
    const [campaignId = '', ...campaign] = ids();
    return { params: { campaignId }, campaign };
  });
  const isLive = createMemo(() => campaigns().some(isRunning));
  const subject = (): string => request().params.campaignId.slice(0, 24);
  return { own, campaigns, request, isRunning: isLive, subject };
}

/** Fetches the expected runtimes of a set, for all targets of its trials or for a part of it. */
export function useErts(
  { request, isRunning: runs }: CampaignSet,
  scope: Accessor<
    Partial<ScopeValues> & { targets?: readonly string[]; cells?: CellChoice }
  > = () => ({}),
): QueryState<Answer<'listErts'>> {
  return useEndpoint('listErts', () => ({
    params: request().params,
    query: { campaign: request().campaign, ...scope() },
    isRunning: runs(),
  }));
}

/** The choices among the trials of a set. */
export type CampaignPlan = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/**
 * Returns the palette index of each optimizer: its position among all, so that a selection changes no colour. With an
 * `emphasis`, only the optimizers in it have a colour.
 */
export function paletteOf(
  optimizers: readonly string[],
  emphasis: readonly string[] | null,
): (optimizer: string) => number {
  const places = emphasis
    ? placesOfEmphasised(optimizers, emphasis)
    : new Map(optimizers.map((name, place) => [name, place]));
  return (name) => places.get(name) ?? 0;
}

/** Creates {@link paletteOf} for the charts of a page: of more optimizers than colours a few are emphasised, `best` first. */
export function createPalette(
  optimizers: Accessor<readonly string[]>,
  best: Accessor<readonly string[]>,
): Accessor<(optimizer: string) => number> {
  const emphasis = createEmphasis(optimizers, best);
  return createMemo(() => paletteOf(optimizers(), emphasis()));
}

/** Returns the optimizers of some curves, the largest area first. */
export function optimizersByArea(
  curves: readonly Pick<EcdfCurve, 'optimizer' | 'area'>[],
): string[] {
  return curves.toSorted((one, other) => other.area - one.area).map(({ optimizer }) => optimizer);
}

/** Returns the optimizers of a summary, those that solved most first; of equal ones the smallest ERT ratio first. */
export function optimizersByResult(
  summary: readonly Pick<RatioSummary, 'optimizerId' | 'solvedFunctions' | 'geometricMeanRatio'>[],
): string[] {
  const results = Array.from(
    Map.groupBy(summary, ({ optimizerId }) => optimizerId),
    ([name, rows]) => ({
      name,
      solved: rows.reduce((sum, row) => sum + row.solvedFunctions, 0),
      // The logarithms of ratios add up; a missing one is the worst.
      cost: rows.reduce((sum, row) => sum + Math.log(row.geometricMeanRatio ?? Infinity), 0),
    }),
  );
  return results
    .sort((one, other) => other.solved - one.solved || byNumber(one.cost, other.cost))
    .map(({ name }) => name);
}

/** Compares two numbers that may both be infinite. */
function byNumber(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
