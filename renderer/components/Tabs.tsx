import { Tabs as KobalteTabs } from '@kobalte/core/tabs';
import { For, type JSX } from 'solid-js';

export interface Tab {
  id: string;
  label: string;
  content: () => JSX.Element;
}

interface TabsProps {
  /** Names the set for screen readers. */
  label: string;
  value: string;
  onChange: (id: string) => void;
  tabs: readonly Tab[];
}

/** Views of one thing; only the chosen one is built. Arrow keys move between the tabs. */
export function Tabs(props: TabsProps): JSX.Element {
  return (
    <KobalteTabs value={props.value} onChange={(id) => props.onChange(id)} class="tabs">
      <KobalteTabs.List class="tab-list" aria-label={props.label}>
        <For each={props.tabs}>
          {(tab) => (
            <KobalteTabs.Trigger value={tab.id} class="tab">
              {tab.label}
            </KobalteTabs.Trigger>
          )}
        </For>
      </KobalteTabs.List>
      <For each={props.tabs}>
        {(tab) => (
          <KobalteTabs.Content value={tab.id} class="tab-content">
            {tab.content()}
          </KobalteTabs.Content>
        )}
      </For>
    </KobalteTabs>
  );
}
