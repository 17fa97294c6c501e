import { Tabs as KobalteTabs } from '@kobalte/core/tabs';
import { For, type JSX } from 'solid-js';

interface Tab<Id extends string = string> {
  id: Id;
  label: string;
  content: () => JSX.Element;
}

/** Describes a tab by its label and its content. */
export function makeTab<const Id extends string>(
  id: Id,
  label: string,
  content: () => JSX.Element,
): Tab<Id> {
  return { id, label, content };
}

interface TabsProps<Id extends string> {
  /** Label of the tabs for screen readers. */
  label: string;
  value: Id;
  onChange: (id: Id) => void;
  tabs: readonly Tab<Id>[];
}

/** Views of one object; only the chosen one is rendered. Arrow keys move between the tabs. */
export function Tabs<Id extends string>(props: TabsProps<Id>): JSX.Element {
  return (
    <KobalteTabs value={props.value} onChange={(id) => props.onChange(id as Id)} class="tabs">
      <KobalteTabs.List class="tab-list" aria-label={props.label}>
        <For each={props.tabs}>
          {(one) => (
            <KobalteTabs.Trigger value={one.id} class="tab">
              {one.label}
            </KobalteTabs.Trigger>
          )}
        </For>
      </KobalteTabs.List>
      <For each={props.tabs}>
        {(one) => (
          <KobalteTabs.Content value={one.id} class="tab-content">
            {one.content()}
          </KobalteTabs.Content>
        )}
      </For>
    </KobalteTabs>
  );
}
