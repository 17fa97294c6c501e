import { createMemo, Match, Show, Switch, untrack, type Accessor, type JSX } from 'solid-js';
import type { CampaignEcdf } from '#shared/schemas/coco-analysis.ts';
import { createArgumentsOfData } from '#renderer/api/arguments-of-data.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { getMessages, Notes } from '#renderer/ui/Notes.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { createLastValue } from '#renderer/state/last-value.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { TargetsField } from '#renderer/features/analysis/TargetsField.tsx';
import type { CampaignSet } from './campaign-set.ts';
import { DroppedCells } from './DroppedCells.tsx';
import { getEcdfRequest, createEcdfChoice, describePart, useEcdf } from './ecdf-part.ts';
import { formatDimension, getPooledDimension, makePooledNotes } from './ecdf-entry.ts';
import { EcdfGrid } from './EcdfGrid.tsx';
import { EcdfPanels, EcdfView } from './EcdfPanels.tsx';
import type { ScopeValues } from './scope.ts';
import { ScopeBar } from './ScopeBar.tsx';
import { createStepper } from './stepper.ts';
import { StepButtons } from './StepButtons.tsx';

/** How the curves are split into charts; pooling dimensions is a separate choice. */
const gridKinds = ['dimension', 'group', 'none'] as const;
const gridLabels: Readonly<Record<(typeof gridKinds)[number], string>> = {
  dimension: 'one per dimension',
  group: 'one per function group',
  none: 'dimensions pooled',
};

/**
 * Runtime ECDF over targets: one chart per dimension, editable targets, a budget handle, and steps through functions
 * and dimensions.
 */
export function EcdfTab(props: { set: CampaignSet }): JSX.Element {
  const set = untrack(() => props.set);
  const choice = createEcdfChoice();
  const ecdf = useEcdf(set, choice, choice.scope.values);
  const [grid, setGrid] = createUrlSignal('grid', asChoice(gridKinds, 'dimension'));
  useTableExhibits(
    'getEcdf',
    [{ table: 'areas-by-dimension', id: 'areas', title: 'Areas under the curves' }],
    () => getEcdfRequest(set, choice, choice.scope.values()),
    () =>
      `Share of pairs solved, averaged over the logarithm of the budget: ${describePart(choice.scope.values())}.`,
  );
  const scope = createArgumentsOfData(() => ecdf.data, choice.scope.values);
  const stepper = createStepper(choice.scope, () => ecdf.data);
  return (
    <div class="card-stack">
      <Show when={ecdf.data}>
        {(response) => (
          <ScopeBar
            scope={choice.scope}
            plan={response()}
            hasCells
            after={{
              functionId: <StepButtons stepper={stepper} axis="functionId" />,
              dimension: <StepButtons stepper={stepper} axis="dimension" />,
            }}
          >
            <TargetsField
              label="Targets"
              placeholder={getDefaultTargets(response())}
              value={choice.targets()}
              onCommit={choice.setTargets}
            />
            <Select
              label="Charts"
              value={grid()}
              options={gridKinds.map((value) => ({ value, label: gridLabels[value] }))}
              onChange={setGrid}
            />
            <Check checked={choice.hasRestarts()} onChange={choice.setRestarts}>
              Simulated restarts
            </Check>
            <Show when={hasFailed(response())}>
              <Check checked={choice.excludesFailed()} onChange={choice.setExcludesFailed}>
                Exclude failed trials
              </Check>
            </Show>
            <Show when={choice.budget() !== undefined}>
              <Button onClick={() => choice.setBudget(undefined)}>Reset budget</Button>
            </Show>
          </ScopeBar>
        )}
      </Show>
      <QueryView query={ecdf} skeleton={<Skeleton content="ECDFs" shape={{ blockPixels: 460 }} />}>
        {(response) => (
          <div class="card-stack" classList={{ 'previous-data': ecdf.isPlaceholder }}>
            <DroppedCells response={response()} scope={choice.scope} />
            <EcdfCharts kind={grid()} set={set} choice={choice} response={response} scope={scope} />
          </div>
        )}
      </QueryView>
    </div>
  );
}

interface EcdfChartsProps {
  kind: (typeof gridKinds)[number];
  set: CampaignSet;
  choice: ReturnType<typeof createEcdfChoice>;
  response: Accessor<CampaignEcdf>;
  /** The scope of the response. */
  scope: Accessor<ScopeValues>;
}

function EcdfCharts(props: EcdfChartsProps): JSX.Element {
  const { set, choice, scope } = untrack(() => props);
  const only = createMemo(() => {
    const [first, ...others] = props.response().panels;
    return others.length === 0 ? first : undefined;
  });
  const lastOnly = createLastValue(only) as Accessor<CampaignEcdf['panels'][number]>;
  const curves = createMemo(() =>
    props.kind === 'none' ? props.response().curves : props.response().panels,
  );
  return (
    <Switch fallback={<EcdfPanels set={set} choice={choice} response={props.response} />}>
      <Match when={curves().length === 0}>
        <EmptyState title="No curve to show">
          <Notes notes={getMessages(props.response().notes)} />
        </EmptyState>
      </Match>
      <Match when={props.kind === 'group'}>
        <EcdfGrid set={set} choice={choice} response={props.response} />
      </Match>
      <Match when={props.kind === 'none'}>
        <EcdfView
          title="Runtime ECDF, dimensions pooled"
          note={[
            'Dimensions are pooled, so each curve mixes problems of different size. Choose one chart per dimension to separate them.',
            ...makePooledNotes(props.response()),
          ].join(' ')}
          panel={() => ({
            ...props.response(),
            budgetSetBy: null,
            dimension: getPooledDimension(props.response()),
          })}
          set={set}
          choice={choice}
          response={props.response}
          scope={scope}
        />
      </Match>
      <Match when={only()}>
        {(_panel) => (
          <EcdfView
            title={`Runtime ECDF, ${formatDimension(lastOnly().dimension).toLowerCase()}`}
            panel={lastOnly}
            set={set}
            choice={choice}
            response={props.response}
            scope={scope}
          />
        )}
      </Match>
    </Switch>
  );
}

function hasFailed({ notes }: CampaignEcdf): boolean {
  return notes.some(({ code }) => code.startsWith('TRIALS_FAILED'));
}

function getDefaultTargets({ direction }: CampaignEcdf): string {
  return direction === 'min' ? '2..-8:51' : 'default: each trial’s own target';
}
