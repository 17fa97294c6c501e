import { createMemo, type Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type { CampaignErts, CellChoice } from '#shared/schemas/coco-analysis.ts';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import type { ScopeValues } from './scope.ts';

/** The campaigns that a page is about: one, or several of one suite beside each other. */
export interface CampaignSet {
  /** The page's own. */
  own: Accessor<CampaignDetail>;
  /** All of them, the page's own first. */
  campaigns: Accessor<readonly CampaignDetail[]>;
  /** The arguments that the figures of all of them are asked for with, beside those of a scope. */
  asked: Accessor<{ params: { campaignId: string }; campaign: readonly string[] }>;
  /** Whether trials may still be added. */
  isRunning: Accessor<boolean>;
  /** Begins the names of exported files. */
  subject: Accessor<string>;
}

/** The set of a campaign and of others beside it. */
export function createCampaignSet(
  own: Accessor<CampaignDetail>,
  others: Accessor<readonly CampaignDetail[]>,
): CampaignSet {
  const campaigns = createMemo(() => [own(), ...others()]);
  // A running campaign changes with each trial; what is asked for must change only with the campaigns.
  const ids = createMemo(() => campaigns().map(({ campaignId }) => campaignId), [], {
    equals: (one, other) => one.join('\n') === other.join('\n'),
  });
  const asked = createMemo(() => {
    const [campaignId = '', ...campaign] = ids();
    return { params: { campaignId }, campaign };
  });
  const isLive = createMemo(() => campaigns().some(isRunning));
  const subject = (): string => asked().params.campaignId.slice(0, 24);
  return { own, campaigns, asked, isRunning: isLive, subject };
}

/** The expected runtimes of a set, of all that its trials were run for, or of a part of it. */
export function useErts(
  { asked, isRunning: live }: CampaignSet,
  scope: Accessor<
    Partial<ScopeValues> & { targets?: readonly string[]; cells?: CellChoice }
  > = () => ({}),
): QueryState<Answer<'listErts'>> {
  return useEndpoint('listErts', () => ({
    params: asked().params,
    query: { campaign: asked().campaign, ...scope() },
    live: live(),
  }));
}

/** What the trials of a set can be chosen by. */
export type CampaignPlan = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/** The places of optimizers in the palette: those in which they stand among all, so that a choice changes no colour. */
export function paletteOf(optimizers: readonly string[]): (optimizer: string) => number {
  const places = new Map(optimizers.map((name, place) => [name, place]));
  return (name) => places.get(name) ?? 0;
}
