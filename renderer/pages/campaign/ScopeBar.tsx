import { For, type JSX } from 'solid-js';
import { ChoiceFilter } from '#renderer/components/explorer/ChoiceFilter.tsx';
import type { CampaignPlan } from './campaign-set.ts';
import { scopeNames, type Scope, type ScopeName } from './scope.ts';
import '#renderer/components/explorer/explorer.css';

const labels = { optimizer: 'Optimizer', functionId: 'Function', dimension: 'Dimension' } as const;

interface ScopeBarProps {
  scope: Scope;
  plan: CampaignPlan;
  /** What stands behind a choice. */
  after?: Partial<Record<ScopeName, JSX.Element>>;
  children?: JSX.Element;
}

/** The choice of optimizers, functions and dimensions; what else a view asks stands behind it. */
export function ScopeBar(props: ScopeBarProps): JSX.Element {
  const values = (name: ScopeName): readonly unknown[] =>
    ({
      optimizer: props.plan.optimizers,
      functionId: props.plan.functions,
      dimension: props.plan.dimensions,
    })[name];
  return (
    <div class="filters" role="search" aria-label="What to show">
      <For each={scopeNames}>
        {(name) => (
          <>
            <ChoiceFilter
              label={labels[name]}
              options={values(name).map((value) => ({ value: String(value) }))}
              chosen={props.scope.values()[name]}
              onChange={(chosen) => props.scope.choose({ [name]: chosen })}
            />
            {props.after?.[name]}
          </>
        )}
      </For>
      {props.children}
    </div>
  );
}
