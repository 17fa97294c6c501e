import { type Accessor, type JSX } from 'solid-js';
import type { CampaignDetail } from '#shared/schemas/coco.ts';
import { Tabs } from '#renderer/components/Tabs.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { OptimizersTab } from './OptimizersTab.tsx';
import { TrialsTab } from './TrialsTab.tsx';

const tabIds = ['trials', 'optimizers'] as const;

/** What there is to see of a campaign. */
export function CampaignTabs(props: { campaign: Accessor<CampaignDetail> }): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(tabIds, 'trials'));
  const tab = (id: (typeof tabIds)[number], label: string, content: () => JSX.Element) => ({
    id,
    label,
    content,
  });
  const tabs = [
    tab('trials', 'Trials', () => <TrialsTab campaign={props.campaign()} />),
    tab('optimizers', 'Optimizers', () => <OptimizersTab campaign={props.campaign()} />),
  ];
  return (
    <Tabs label="What is known of the campaign" value={shownTab()} onChange={showTab} tabs={tabs} />
  );
}
