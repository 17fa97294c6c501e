import { createMemo, mapArray, Show, untrack, type Accessor, type JSX } from 'solid-js';
import type { CampaignEcdf } from '#shared/schemas/coco-analysis.ts';
import { createArgumentsOfData } from '#renderer/api/arguments-of-data.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import type { LineFigure } from '#renderer/charts/figure.ts';
import { makeTargetEcdfFigure } from '#renderer/charts/figures/target-ecdf.ts';
import { createPalette, type CampaignSet } from './campaign-set.ts';
import { getOptimizersByArea } from './optimizer-palette.ts';
import { getPooledDimension, makePooledNotes } from './ecdf-entry.ts';
import { describePart, getCurves, useEcdf, type EcdfChoice } from './ecdf-part.ts';
import { getFunctionGroups, type Part } from './function-groups.ts';

interface EcdfGridProps {
  set: CampaignSet;
  choice: EcdfChoice;
  /** The response to split. */
  response: Accessor<CampaignEcdf>;
}

const chartPixels = 220;

/** A runtime ECDF for each group of functions of the suite, over all chosen dimensions. */
export function EcdfGrid(props: EcdfGridProps): JSX.Element {
  const { set, choice } = untrack(() => ({ set: props.set, choice: props.choice }));
  const suite = (): string => set.own().suite;
  const parts = createMemo(() =>
    getFunctionGroups(suite(), props.response().functions, choice.scope.values().functionId),
  );
  const byId = createMemo(() => new Map(parts().map((part) => [part.id, part])));
  const palette = createPalette(
    () => props.response().optimizers,
    () => getOptimizersByArea(getCurves(props.response())),
  );
  // All areas use the same budget, so that they are comparable.
  const together = {
    ...choice,
    budget: () => choice.budget() ?? props.response().budget ?? undefined,
  };
  // A chart survives updates of the response: parts are identified by their ids.
  const entries = mapArray(
    () => parts().map(({ id }) => id),
    (id) => createPart(set, together, () => byId().get(id), palette),
  );
  return (
    <Show
      when={parts().length > 0}
      fallback={
        <p class="muted">
          The suite {suite()} has no function groups. Choose one chart per dimension.
        </p>
      }
    >
      <ChartGrid entries={entries()} subject={set.subject()} />
    </Show>
  );
}

function createPart(
  set: CampaignSet,
  choice: EcdfChoice,
  part: Accessor<Part | undefined>,
  palette: Accessor<(optimizer: string) => number>,
): ChartEntry {
  const scope = createMemo(() => {
    const { optimizer, functionId, dimension } = choice.scope.values();
    const own = part();
    return {
      optimizer,
      functionId: own?.functionId.length ? own.functionId : functionId,
      dimension,
    };
  });
  const ecdf = useEcdf(set, choice, scope);
  const shownScope = createArgumentsOfData(() => ecdf.data, scope);
  const figure = (): LineFigure => {
    const response = ecdf.data ?? { curves: [], largestBudget: null, panels: [] };
    const areas = new Map(response.curves.map(({ optimizer, area }) => [optimizer, area]));
    const drawn = makeTargetEcdfFigure(
      { ...response, dimension: getPooledDimension(response) },
      palette(),
      (name) => areas.get(name)?.toFixed(3),
    );
    return ecdf.data ? drawn : { ...drawn, empty: ecdf.error?.detail ?? 'Computing…' };
  };
  const { id, title } = untrack(part) ?? { id: '', title: '' };
  return {
    id,
    title,
    describe: () =>
      `Runtime ECDF with dimensions pooled, and the area under each curve: ${describePart(shownScope())}`,
    figure,
    notes: () => (ecdf.data ? makePooledNotes(ecdf.data) : []),
    scales: { x: 'log' },
    heightPixels: () => chartPixels,
  };
}
