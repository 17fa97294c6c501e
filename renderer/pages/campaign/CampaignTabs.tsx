import type { JSX } from 'solid-js';
import { Tabs } from '#renderer/components/Tabs.tsx';
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

/** What there is to see of a campaign. */
export function CampaignTabs(props: { set: CampaignSet }): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(tabIds, 'overview'));
  const tab = (id: TabId, label: string, content: () => JSX.Element) => ({ id, label, content });
  const tabs = [
    tab('overview', 'Overview', () => <OverviewTab set={props.set} />),
    tab('erts', 'Expected runtimes', () => <ErtsTab set={props.set} />),
    tab('ecdf', 'Runtime ECDF', () => <EcdfTab set={props.set} />),
    tab('trials', 'Trials', () => <TrialsTab campaign={props.set.own()} />),
    tab('optimizers', 'Optimizers', () => <OptimizersTab campaign={props.set.own()} />),
  ];
  return (
    <Tabs label="What is known of the campaign" value={shownTab()} onChange={showTab} tabs={tabs} />
  );
}
