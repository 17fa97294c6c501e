import { Tabs as KobalteTabs } from '@kobalte/core/tabs';
import { For, type JSX } from 'solid-js';

export interface Tab<Id extends string = string> {
  id: Id;
  label: string;
  content: () => JSX.Element;
}

interface TabsProps<Id extends string> {
  /** Names the set for screen readers. */
  label: string;
  value: Id;
  onChange: (id: Id) => void;
  tabs: readonly Tab<Id>[];
}

/** Views of one thing; only the chosen one is built. Arrow keys move between the tabs. */
export function Tabs<Id extends string>(props: TabsProps<Id>): JSX.Element {
  return (
    <KobalteTabs value={props.value} onChange={(id) => props.onChange(id as Id)} class="tabs">
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
