import { createMemo, createSignal, Show, untrack, type Accessor, type JSX } from 'solid-js';
import { countOf, formatRuntime } from '#shared/number-format.ts';
import type { CampaignEcdf } from '#shared/schemas/coco-analysis.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { budgetRange, targetEcdfFigure } from '#renderer/charts/figures/target-ecdf.ts';
import { createRestHeight } from '#renderer/charts/window-height.ts';
import { Check } from '#renderer/components/Check.tsx';
import { messagesOf } from '#renderer/components/Notes.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { paletteOf, type CampaignSet } from './campaign-set.ts';
import { askedEcdf, createEcdfChoice, partWords, useEcdf, type EcdfChoice } from './ecdf-part.ts';
import { EcdfAreas } from './EcdfAreas.tsx';
import { EcdfGrid, gridKinds, gridLabels } from './EcdfGrid.tsx';
import { ScopeBar } from './ScopeBar.tsx';
import { createStepper } from './stepper.ts';
import { StepButtons } from './StepButtons.tsx';
import { TargetsField } from '#renderer/pages/analysis/TargetsField.tsx';
import '#renderer/pages/analysis/analysis.css';

/** Runtime ECDF over targets: targets typed in place, a budget cut that is dragged, functions and dimensions stepped through. */
export function EcdfTab(props: { set: CampaignSet }): JSX.Element {
  const set = untrack(() => props.set);
  const choice = createEcdfChoice();
  const ecdf = useEcdf(set, choice, choice.scope.values);
  useTableExhibits(
    'getEcdf',
    [{ table: 'areas', title: 'Areas under the curves' }],
    () => askedEcdf(set, choice, choice.scope.values()),
    () =>
      `Share of pairs solved, averaged over the logarithm of the budget: ${partWords(choice.scope.values())}.`,
  );
  const stepper = createStepper(choice.scope, () => ecdf.data);
  const [grid, setGrid] = createUrlSignal('grid', asChoice(gridKinds, 'none'));
  return (
    <div class="analysis">
      <Show when={ecdf.data}>
        {(answer) => (
          <ScopeBar
            scope={choice.scope}
            plan={answer()}
            after={{
              functionId: <StepButtons stepper={stepper} axis="functionId" />,
              dimension: <StepButtons stepper={stepper} axis="dimension" />,
            }}
          >
            <TargetsField
              label="Targets"
              placeholder={usualTargets(answer())}
              value={choice.targets()}
              onCommit={choice.setTargets}
            />
            <Select
              label="Grid"
              value={grid()}
              options={gridKinds.map((value) => ({ value, label: gridLabels[value] }))}
              onChange={setGrid}
            />
            <Check checked={choice.restarts()} onChange={choice.setRestarts}>
              Simulated restarts
            </Check>
          </ScopeBar>
        )}
      </Show>
      <QueryView query={ecdf} skeleton={<Skeleton shape={{ blockPixels: 460 }} />}>
        {(answer) => (
          <>
            <EcdfView answer={answer} choice={choice} subject={set.subject()} />
            <Show when={grid() !== 'none'}>
              <EcdfGrid kind={grid()} set={set} choice={choice} answer={answer} />
            </Show>
          </>
        )}
      </QueryView>
    </div>
  );
}

function usualTargets({ direction }: CampaignEcdf): string {
  return direction === 'min' ? '2..-8:51' : 'those of the trials';
}

interface EcdfViewProps {
  answer: Accessor<CampaignEcdf>;
  choice: EcdfChoice;
  subject: string;
}

/** What stands around the chart, and the least height that it has. */
const [chromePixels, leastPixels] = [470, 340];

/** The chart with its cut, and beside it what was reached up to there. */
function EcdfView(props: EcdfViewProps): JSX.Element {
  const { budget, setBudget, scope } = untrack(() => props.choice);
  const [dragged, setDragged] = createSignal<number>();
  const height = createRestHeight(chromePixels, leastPixels);
  const largest = (): number | undefined => props.answer().largestBudget ?? undefined;
  const cut = createMemo(() => dragged() ?? budget() ?? largest());
  const palette = createMemo(() => paletteOf(props.answer().optimizers));
  const settle = (x: number): void => {
    const isWhole = x >= (largest() ?? Infinity) * 0.999;
    setBudget(isWhole ? undefined : Number(x.toPrecision(4)));
    setDragged(undefined);
  };
  const entry: ChartEntry = {
    id: 'ecdf',
    title: 'Runtime ECDF',
    describe: () =>
      `Share of (trial, target) pairs solved within a budget: ${partWords(scope.values())}, ` +
      `${countOf(props.answer().targets.length, 'target')}; × median budget of the trials that missed one`,
    figure: () => targetEcdfFigure(props.answer(), palette()),
    scales: { x: 'log' },
    notes: () => messagesOf(props.answer().notes),
    heightPixels: height,
    cut: {
      label: 'Budget cut',
      at: cut,
      range: () => [budgetRange(props.answer())[0], largest() ?? 1],
      text: (x) => `${formatRuntime(x)} evaluations / dimension`,
      onMove: setDragged,
      onDone: settle,
    },
  };
  return (
    <div class="ecdf-view">
      <ChartGrid entries={[entry]} subject={props.subject} />
      <EcdfAreas answer={props.answer()} cut={cut()} paletteOf={palette()} />
    </div>
  );
}
