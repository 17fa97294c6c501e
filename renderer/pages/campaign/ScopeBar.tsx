import { For, type JSX } from 'solid-js';
import { ChoiceFilter } from '#renderer/components/explorer/ChoiceFilter.tsx';
import type { CampaignPlan } from './campaign-set.ts';
import type { Scope } from './scope.ts';
import '#renderer/components/explorer/explorer.css';

interface ScopeBarProps {
  scope: Scope;
  plan: CampaignPlan;
  children?: JSX.Element;
}

/** The choice of optimizers, functions and dimensions; what else a view asks stands behind it. */
export function ScopeBar(props: ScopeBarProps): JSX.Element {
  const choices = () =>
    [
      { name: 'optimizer', label: 'Optimizer', options: props.plan.optimizers },
      { name: 'functionId', label: 'Function', options: props.plan.functions },
      { name: 'dimension', label: 'Dimension', options: props.plan.dimensions },
    ] as const;
  return (
    <div class="filters" role="search" aria-label="What to show">
      <For each={choices()}>
        {({ name, label, options }) => (
          <ChoiceFilter
            label={label}
            options={options.map((value) => ({ value: String(value) }))}
            chosen={props.scope.values()[name]}
            onChange={(chosen) => props.scope.choose({ [name]: chosen })}
          />
        )}
      </For>
      {props.children}
    </div>
  );
}
