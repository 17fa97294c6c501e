import { createMemo, For, mapArray, untrack, type Accessor, type JSX } from 'solid-js';
import { describeCount, formatCount, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { CampaignEcdf, EcdfCurve, EcdfPanel } from '#shared/schemas/coco-analysis.ts';
import type { ChartEntry, Handle } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import {
  getAreaUpTo,
  getBudgetRange,
  getBudgetUnit,
  getShareAt,
  makeTargetEcdfFigure,
} from '#renderer/charts/figures/target-ecdf.ts';
import { createHeldValue, type HeldValue } from '#renderer/charts/held-value.ts';
import { getPaletteColor } from '#renderer/charts/palette.ts';
import { createRestHeight } from '#renderer/charts/window-height.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { getMessages, Notes } from '#renderer/ui/Notes.tsx';
import { HeadsWithTerms } from '#renderer/ui/TermCard.tsx';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { createPalette, type CampaignSet } from './campaign-set.ts';
import { getOptimizersByArea } from './optimizer-palette.ts';
import { formatDimension, makeViewEntry } from './ecdf-entry.ts';
import { getCurves, describePart, type EcdfChoice } from './ecdf-part.ts';
import type { ScopeValues } from './scope.ts';

/** The curves of one chart, and the budget up to which their areas are computed. */
type Panel = Pick<EcdfPanel, 'curves' | 'budgetSetBy'> & {
  /** Undefined for several dimensions. */
  dimension?: number | undefined;
  budget: number | null;
};

interface EcdfPanelsProps {
  set: CampaignSet;
  choice: EcdfChoice;
  response: Accessor<CampaignEcdf>;
}

const panelPixels = 230;

/** One chart per dimension with the same budget handle, then all areas in one table. */
export function EcdfPanels(props: EcdfPanelsProps): JSX.Element {
  const { set, choice, response } = untrack(() => ({ ...props }));
  const budget = createHeldBudget(choice);
  const getName = useAlgorithmNames(() => response().optimizers);
  const palette = createPalette(
    () => response().optimizers,
    () => getOptimizersByArea(getCurves(response())),
  );
  const byDimension = createMemo(
    () => new Map(response().panels.map((panel) => [panel.dimension, panel])),
  );
  // A chart survives updates of the response: panels are identified by their dimension.
  const entries = mapArray(
    () => response().panels.map(({ dimension }) => dimension),
    (dimension): ChartEntry => {
      const panel = createMemo<Panel>(
        () => byDimension().get(dimension) ?? { curves: [], budget: null, budgetSetBy: null },
      );
      return {
        id: `d${dimension}`,
        title: `ECDF, ${formatDimension(dimension).toLowerCase()}`,
        describe: () =>
          [
            describeLimit(panel(), budget.current(), getName()),
            ...describeAbsent(byDimension().get(dimension), getName()),
          ].join('. '),
        figure: () => getFigure(response(), panel(), palette()),
        scales: { x: 'log' },
        heightPixels: () => panelPixels,
        handle: makeHandle({ response, budget, panel }),
      };
    },
  );
  return (
    <>
      <ChartGrid entries={entries()} subject={set.subject()} />
      <PanelAreas
        response={response()}
        limit={budget.current()}
        getPalette={palette()}
        getName={getName()}
      />
      <Notes notes={getMessages(response().notes)} />
    </>
  );
}

interface EcdfViewProps extends EcdfPanelsProps {
  title: string;
  /** Note on this chart, before the notes of the response. */
  note?: string;
  panel: Accessor<Panel>;
  /** The scope of the response. */
  scope: Accessor<ScopeValues>;
}

/** Height around the chart, and minimum height of the chart. */
const [chromePixels, leastPixels] = [470, 340];

/** One large chart with its budget handle, next to the values up to it. */
export function EcdfView(props: EcdfViewProps): JSX.Element {
  const { choice, response, panel, set, scope } = untrack(() => ({ ...props }));
  const budget = createHeldBudget(choice);
  const getName = useAlgorithmNames(() => response().optimizers);
  const height = createRestHeight(chromePixels, leastPixels);
  const palette = createPalette(
    () => response().optimizers,
    () => getOptimizersByArea(getCurves(response())),
  );
  const entry = makeViewEntry(props, {
    describe: () =>
      `Share of (cell, target) pairs solved within a budget: ${describePart(scope())}, ` +
      `${describeCount(response().targets.length, 'target')}; × marks the median budget of unsuccessful trials`,
    figure: () => getFigure(response(), panel(), palette()),
    notes: () => getMessages(response().notes),
    heightPixels: height,
    handle: makeHandle({ response, budget, panel }),
  });
  return (
    <div class="ecdf-view">
      <ChartGrid entries={[entry]} subject={set.subject()} />
      <CurveAreas
        panel={panel()}
        limit={budget.current()}
        getPalette={palette()}
        getName={getName()}
      />
    </div>
  );
}

function getFigure(
  { largestBudget }: CampaignEcdf,
  { curves, dimension }: Panel,
  palette: (optimizer: string) => number,
) {
  const cells = new Map(
    curves.map((curve) => [curve.optimizer, describeCount(curve.cells, 'cell')]),
  );
  return makeTargetEcdfFigure({ curves, largestBudget, dimension }, palette, (name) =>
    cells.get(name),
  );
}

interface HandleOptions {
  response: Accessor<CampaignEcdf>;
  budget: HeldValue;
  panel: Accessor<Panel>;
}

/** The budget of the handles: rounded to 4 digits, in the URL once it is committed. */
function createHeldBudget({ budget, setBudget }: EcdfChoice): HeldValue {
  return createHeldValue(budget, (value) => {
    const next = value === undefined ? undefined : Number(value.toPrecision(4));
    if (next !== budget()) setBudget(next);
  });
}

/** The budget handle of a chart: initially at the common budget, then at the same budget in all charts. */
function makeHandle({ response, budget, panel }: HandleOptions): Handle {
  const largest = (): number => response().largestBudget ?? 1;
  return {
    label: 'Budget',
    value: budget,
    defaultValue: () => panel().budget ?? undefined,
    range: () => [getBudgetRange({ ...response(), curves: panel().curves })[0], largest()],
    text: (x) => formatBudget(x, panel()),
  };
}

/** Returns "Areas up to 250 evaluations / dimension, the smallest budget (RealCodeGA)". */
function describeLimit(
  panel: Panel,
  selection: number | undefined,
  getName: (optimizer: string) => string,
): string {
  const reason = getLimitReason(panel, selection, getName);
  const limit = `Areas up to ${formatBudget(selection ?? panel.budget, panel)}`;
  return reason === null ? limit : `${limit}, ${reason}`;
}

function formatBudget(budget: number | null, { dimension }: Panel): string {
  return `${formatRuntime(budget)} ${getBudgetUnit(dimension)}`;
}

/**
 * Returns the optimizer whose budget limits the areas, in words; null with a chosen limit, and unless only one
 * optimizer has the smallest budget.
 */
function getLimitReason(
  { budgetSetBy }: Panel,
  selection: number | undefined,
  getName: (optimizer: string) => string,
): string | null {
  return selection !== undefined || budgetSetBy === null
    ? null
    : `the smallest budget (${getName(budgetSetBy)})`;
}

function describeAbsent(
  panel: EcdfPanel | undefined,
  getName: (optimizer: string) => string,
): string[] {
  const absent = panel?.absent ?? [];
  return absent.length === 0 ? [] : [`No trials of ${absent.map(getName).join(', ')}`];
}

/** Returns the area under a curve up to a budget: exact where the service computed it, else under the drawn steps. */
function getArea(curve: EcdfCurve, budget: number | null, limit: number): number {
  const isComputed = budget !== null && Math.abs(budget / limit - 1) < 1e-3;
  return isComputed ? curve.area : getAreaUpTo(curve.points, limit);
}

function OptimizerName(props: {
  name: string;
  getPalette: (name: string) => number;
  getName: (name: string) => string;
}): JSX.Element {
  return (
    <span class="swatch-name">
      <span class="swatch" style={{ background: getPaletteColor(props.getPalette(props.name)) }} />
      <span class="clip" title={props.name}>
        {props.getName(props.name)}
      </span>
    </span>
  );
}

const areaMeaning =
  'Area: share of pairs solved, averaged over the logarithm of the budget from 1 to the limit. Drag a handle, or move it with the arrow keys';

interface CurveAreasProps {
  panel: Panel;
  /** Evaluations / dimension; default: the panel's own budget. */
  limit: number | undefined;
  getPalette: (optimizer: string) => number;
  getName: (optimizer: string) => string;
}

/** Results of each optimizer up to the handle: the area under its curve and the share solved. */
function CurveAreas(props: CurveAreasProps): JSX.Element {
  const limit = (): number => props.limit ?? props.panel.budget ?? 1;
  const describeReason = (): string => {
    const reason = getLimitReason(props.panel, props.limit, props.getName);
    return reason === null ? '' : `This is ${reason}. `;
  };
  return (
    <Card
      title={`Up to ${formatBudget(limit(), props.panel)}`}
      description={[describeReason(), areaMeaning].join('')}
      flush
    >
      <div class="table-scroll">
        <table class="table ecdf-areas">
          <thead>
            <tr>
              <HeadsWithTerms texts={['Optimizer', 'Area', 'Solved', 'Cells', 'Trials']} />
            </tr>
          </thead>
          <tbody>
            <For each={props.panel.curves}>
              {(curve) => (
                <tr>
                  <td>
                    <OptimizerName
                      name={curve.optimizer}
                      getPalette={props.getPalette}
                      getName={props.getName}
                    />
                  </td>
                  <td>{getArea(curve, props.panel.budget, limit()).toFixed(3)}</td>
                  <td>{formatShare(getShareAt(curve.points, limit()))}</td>
                  <td>{formatCount(curve.cells)}</td>
                  <td>{formatCount(curve.trials)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface PanelAreasProps {
  response: CampaignEcdf;
  /** Evaluations / dimension; default: each panel's own budget. */
  limit: number | undefined;
  getPalette: (optimizer: string) => number;
  getName: (optimizer: string) => string;
}

/** The areas of all optimizers in all dimensions; "–" for an optimizer without trials in a dimension. */
function PanelAreas(props: PanelAreasProps): JSX.Element {
  const names = createMemo(() => {
    const visibleOptimizers = new Set(
      props.response.panels.flatMap(({ curves }) => curves.map(({ optimizer }) => optimizer)),
    );
    return props.response.optimizers.filter((name) => visibleOptimizers.has(name));
  });
  const formatArea = (panel: EcdfPanel, name: string): string => {
    const curve = panel.curves.find(({ optimizer }) => optimizer === name);
    return curve ? getArea(curve, panel.budget, props.limit ?? panel.budget).toFixed(3) : '–';
  };
  return (
    <Card title="Area by dimension" description={areaMeaning} flush>
      <div class="table-scroll">
        <table class="table ecdf-areas">
          <thead>
            <tr>
              <HeadsWithTerms
                texts={[
                  'Optimizer',
                  ...props.response.panels.map(({ dimension }) => formatDimension(dimension)),
                ]}
              />
            </tr>
          </thead>
          <tbody>
            <For each={names()}>
              {(name) => (
                <tr>
                  <td>
                    <OptimizerName
                      name={name}
                      getPalette={props.getPalette}
                      getName={props.getName}
                    />
                  </td>
                  <For each={props.response.panels}>
                    {(panel) => <td>{formatArea(panel, name)}</td>}
                  </For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Card>
  );
}
