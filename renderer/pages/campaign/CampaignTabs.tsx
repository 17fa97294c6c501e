import { createMemo, type JSX } from 'solid-js';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { getCampaignName } from '#renderer/names.ts';
import { makeTab, Tabs } from '#renderer/ui/Tabs.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { CampaignSet } from './campaign-set.ts';
import { EcdfTab } from './EcdfTab.tsx';
import { ErtsTab } from './ErtsTab.tsx';
import { OptimizersTab } from './OptimizersTab.tsx';
import { OverviewTab } from './OverviewTab.tsx';
import { TrialsTab } from './TrialsTab.tsx';

const tabIds = ['overview', 'erts', 'ecdf', 'trials', 'optimizers'] as const;
type TabId = (typeof tabIds)[number];

interface CampaignTabsProps {
  set: CampaignSet;
  /** Whether the set is a single campaign, whose trials and optimizers have tabs. */
  isAlone: boolean;
}

/** The tabs of one campaign; of several, the tabs that compare them. */
export function CampaignTabs(props: CampaignTabsProps): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(tabIds, 'overview'));
  const common = [
    makeTab('overview', 'Overview', () => <OverviewTab set={props.set} />),
    makeTab('erts', 'Expected runtimes', () => <ErtsTab set={props.set} />),
    makeTab('ecdf', 'Runtime ECDF', () => <EcdfTab set={props.set} />),
  ];
  const own = [
    makeTab('trials', 'Trials', () => <TrialsTab campaign={props.set.own()} />),
    makeTab('optimizers', 'Optimizers', () => <OptimizersTab campaign={props.set.own()} />),
  ];
  const tabs = createMemo(() => (props.isAlone ? [...common, ...own] : common));
  const value = (): TabId => tabs().find(({ id }) => id === shownTab())?.id ?? 'overview';
  const figureSubject = createMemo(() =>
    props.set
      .campaigns()
      .map((campaign) => `${getCampaignName(campaign)} (${campaign.suite})`)
      .join('; '),
  );
  return (
    <FigureSubject.Provider value={figureSubject}>
      <Tabs label="Campaign" value={value()} onChange={showTab} tabs={tabs()} />
    </FigureSubject.Provider>
  );
}
