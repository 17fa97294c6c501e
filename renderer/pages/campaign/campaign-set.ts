import { createMemo, type Accessor } from 'solid-js';
import type { ResponseBody } from '#shared/api.ts';
import type { CampaignErts, CellChoice } from '#shared/schemas/coco-analysis.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import { useEndpoint, type QueryOptions, type QueryState } from '#renderer/api/queries.ts';
import { paletteSize } from '#renderer/charts/palette.ts';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { getPalette } from './optimizer-palette.ts';
import type { ScopeValues } from './scope.ts';

/** The campaigns of a page: one, or several of one suite side by side. */
export interface CampaignSet {
  /** The page's own. */
  own: Accessor<CampaignDetail>;
  /** All of them, the page's own first. */
  campaigns: Accessor<readonly CampaignDetail[]>;
  /** Arguments of all requests about them, besides those of a scope. */
  request: Accessor<{ params: { campaignId: string }; campaign: readonly string[] }>;
  /** When the responses about them are fetched again; see {@link getTrialFreshness}. */
  freshness: Accessor<TrialFreshness>;
  /** Prefix of the names of exported files. */
  subject: Accessor<string>;
}

/** The options of a query that decide when it is fetched again. */
type TrialFreshness = Pick<QueryOptions, 'isRunning' | 'changesWith'>;

/**
 * Returns when a response about the trials of campaigns is fetched again: after each change while one is running;
 * otherwise when an import or a deletion changes their counts.
 */
export function getTrialFreshness(campaigns: readonly CampaignDetail[]): TrialFreshness {
  if (campaigns.some(isRunning)) return { isRunning: true };
  const counts = campaigns.map(({ trials, reachedTargets, optimizerCount }) =>
    [trials, reachedTargets, optimizerCount].join(),
  );
  return { isRunning: false, changesWith: counts.join(' ') };
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
  const freshness = createMemo(() => getTrialFreshness(campaigns()));
  const subject = (): string => request().params.campaignId.slice(0, 24);
  return { own, campaigns, request, freshness, subject };
}

/** Fetches the expected runtimes of a set, for all targets of its trials or for a part of it. */
export function useErts(
  { request, freshness }: CampaignSet,
  scope: Accessor<
    Partial<ScopeValues> & { targets?: readonly string[]; cells?: CellChoice }
  > = () => ({}),
): QueryState<ResponseBody<'listErts'>> {
  return useEndpoint('listErts', () => ({
    params: request().params,
    query: { campaign: request().campaign, ...scope() },
    ...freshness(),
  }));
}

/** The choices among the trials of a set. */
export type CampaignPlan = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/**
 * Creates {@link getPalette} for charts that show the optimizers in `visibleOptimizers`, the best first. Of more of
 * them than colours a few are emphasised; fewer get different colours, however many optimizers there are.
 */
export function createPalette(
  optimizers: Accessor<readonly string[]>,
  visibleOptimizers: Accessor<readonly string[]>,
): Accessor<(optimizer: string) => number> {
  const getName = useAlgorithmNames(optimizers);
  // The URL contains displayed names, because legends emphasise series by their names.
  const names = createMemo(() => visibleOptimizers().map(getName()));
  const emphasis = createEmphasis(names, names);
  const paletteOfNames = createMemo(() => {
    const all = optimizers().map(getName());
    return getPalette(all, emphasis() ?? (all.length > paletteSize ? names() : null));
  });
  return () => (optimizer) => paletteOfNames()(getName()(optimizer));
}
