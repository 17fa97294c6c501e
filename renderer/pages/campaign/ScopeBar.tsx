import { For, Show, type JSX } from 'solid-js';
import type { CellChoice } from '#shared/schemas/coco-analysis.ts';
import { cellChoices } from '#shared/words.ts';
import { ChoiceFilter } from '#renderer/features/explorer/ChoiceFilter.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import type { CampaignPlan } from './campaign-set.ts';
import { scopeNames, type Scope, type ScopeName } from './scope.ts';

const labels = { optimizer: 'Optimizer', functionId: 'Function', dimension: 'Dimension' } as const;

const cellLabels: Readonly<Record<CellChoice, string>> = {
  shared: 'shared by all',
  all: 'all',
  unsolved: 'missing = unsolved',
};

interface ScopeBarProps {
  scope: Scope;
  plan: CampaignPlan;
  /** Whether the view compares optimizers on cells that can be chosen. */
  hasCells?: boolean;
  /** Content after a choice. */
  after?: Partial<Record<ScopeName, JSX.Element>>;
  children?: JSX.Element;
}

/** The choice of optimizers, functions, dimensions and cells, then the other choices of a view. */
export function ScopeBar(props: ScopeBarProps): JSX.Element {
  const getName = useAlgorithmNames(() => props.plan.optimizers);
  const values = (name: ScopeName): readonly unknown[] =>
    ({
      optimizer: props.plan.optimizers,
      functionId: props.plan.functions,
      dimension: props.plan.dimensions,
    })[name];
  return (
    <div class="filter-bar" role="search" aria-label="Filter trials">
      <For each={scopeNames}>
        {(name) => (
          <>
            <ChoiceFilter
              label={labels[name]}
              options={values(name).map((value) => ({
                value: String(value),
                label: name === 'optimizer' ? getName()(String(value)) : String(value),
              }))}
              selection={props.scope.values()[name]}
              onChange={(selection) => props.scope.choose({ [name]: selection })}
            />
            {props.after?.[name]}
          </>
        )}
      </For>
      <Show when={props.hasCells}>
        <Select
          label="Cells"
          term="cell"
          value={props.scope.cells()}
          options={cellChoices.map((value) => ({ value, label: cellLabels[value] }))}
          onChange={props.scope.chooseCells}
        />
      </Show>
      {props.children}
    </div>
  );
}
