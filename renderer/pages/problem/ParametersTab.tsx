import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { compareNaturally } from '#shared/natural-order.ts';
import { describeCount } from '#shared/number-format.ts';
import type { InstanceParameters, VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import {
  getPointNotes,
  makeParameterPoints,
  type PointContext,
} from '#renderer/charts/figures/parameter-points.ts';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { getExperimentPath } from '#renderer/paths.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { Notes } from '#renderer/ui/Notes.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { getGroupLooks } from '#renderer/features/analysis/group-looks.ts';
import { describeObjective } from '#renderer/features/analysis/objective.ts';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import { hasTarget } from '#renderer/features/analysis/success-words.ts';
import { asFlag } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { makeParameterColumns, makeValueColumns } from './parameter-columns.tsx';
import {
  describeUnattainableSignificance,
  getAlgorithmsByResult,
  makeParameterRows,
  type ParameterRow,
} from './parameter-rows.ts';
import { ProblemBar } from './ProblemBar.tsx';
import type { ProblemChoice } from './problem-choice.ts';

interface ParametersTabProps {
  choice: ProblemChoice;
  /** All algorithms of the problem. */
  allAlgorithms: readonly string[];
  /** Determines the instance where the URL has none. */
  comparison: ProblemComparison;
  /** Prefix of the names of exported files. */
  subject: string;
}

/** Parameters that differ among the experiments on an instance, with the results of each value. */
export function ParametersTab(props: ParametersTabProps): JSX.Element {
  const selectedId = () => props.comparison.instances.find((instance) => instance.selected)?.id;
  const [listsAll, setListsAll] = createUrlSignal('parameters', asFlag('all'));
  const query = createMemo(() => ({
    ...props.choice.analysis.objective(),
    instance: selectedId(),
    algorithm: props.choice.algorithms(),
    ...(listsAll() && { allParameters: true }),
  }));
  const parameters = useEndpoint('describeParameters', () => ({ query: query() }));
  useTableExhibits(
    'describeParameters',
    [{ table: 'values', title: 'Parameters that vary, and their values' }],
    () => ({ query: query() }),
    () =>
      parameters.data ? `${parameters.data.label}, ${describeObjective(parameters.data)}.` : '',
  );
  return (
    <div class="card-stack">
      <ProblemBar
        choice={props.choice}
        response={props.comparison}
        algorithms={props.allAlgorithms}
        isOneGroup
      >
        <Check checked={listsAll()} onChange={setListsAll}>
          Include stopping and algorithm type
        </Check>
      </ProblemBar>
      <QueryView
        query={parameters}
        skeleton={<Skeleton content="parameters" shape={{ blockPixels: 400 }} />}
      >
        {(response) => (
          <Show
            when={response().parameters.length > 0}
            fallback={<NothingVaries response={response()} />}
          >
            <ParametersView
              response={response()}
              algorithms={props.choice.algorithms()}
              knownAlgorithms={props.allAlgorithms}
              subject={props.subject}
              isPlaceholder={parameters.isPlaceholder}
            />
          </Show>
        )}
      </QueryView>
    </div>
  );
}

function NothingVaries(props: { response: InstanceParameters }): JSX.Element {
  return <EmptyState title="No parameters vary">{describeNothing(props.response)}</EmptyState>;
}

function describeNothing({ experiments, label, omittedParameters }: InstanceParameters): string {
  if (experiments === 0) return `No experiment on ${label} uses the chosen algorithms.`;
  const scope = `${describeCount(experiments, 'experiment')} on ${label}`;
  return omittedParameters.length > 0
    ? `${scope} that differ only in ${omittedParameters.join(', ')}. Include stopping and algorithm type to list them.`
    : `${scope}, all with the same parameters. Run one with another parameter to see whether it is associated with the results.`;
}

interface ParametersViewProps {
  response: InstanceParameters;
  algorithms: readonly string[];
  /** All algorithms of the problem, which keep their colours in every selection. */
  knownAlgorithms: readonly string[];
  subject: string;
  isPlaceholder: boolean;
}

function ParametersView(props: ParametersViewProps): JSX.Element {
  const hasTargetHere = () => hasTarget(props.response);
  return (
    <div class="card-stack" classList={{ 'previous-data': props.isPlaceholder }}>
      <Notes notes={getNotesAt(props.response.notes, 'general')} />
      <DataCard<VaryingParameter>
        name="varying-parameters"
        urlKey="parameter-"
        title="Parameters that vary"
        description={`Parameters that differ among the ${describeCount(props.response.experiments, 'experiment')} on ${props.response.label}, with the range of results${describeOmitted(props.response)}`}
        notes={describeUnattainableSignificance(props.response.parameters)}
        columns={makeParameterColumns(hasTargetHere())}
        rows={props.response.parameters}
        rowId={({ path }) => path}
        maxHeight="50vh"
        empty={null}
      />
      <PointCharts {...props} />
      <DataCard<ParameterRow>
        name="parameter-values"
        urlKey="value-"
        title="Values of the parameters"
        description="Results per parameter value; click a value to list its experiments"
        notes={getNotesAt(props.response.notes, 'success', 'sample')}
        columns={makeValueColumns(hasTargetHere())}
        rows={makeParameterRows(props.response, props.algorithms)}
        rowId={({ path, value }) => JSON.stringify([path, value])}
        maxHeight="70vh"
        empty={null}
      />
    </div>
  );
}

function describeOmitted({ omittedParameters }: InstanceParameters): string {
  return omittedParameters.length > 0 ? `; omits ${omittedParameters.join(', ')}` : '';
}

/** Number of charts that are shown initially, and that are added on request. */
const chartsAtOnce = 12;

/** A chart of each parameter with a point per experiment, the first ones until the user requests more. */
function PointCharts(props: ParametersViewProps): JSX.Element {
  const [shownCount, setShownCount] = createSignal(chartsAtOnce);
  const getName = useAlgorithmNames(() => props.knownAlgorithms);
  const algorithms = createMemo(() =>
    getAlgorithmsByResult(props.response).map((algorithm) => ({
      algorithm,
      label: getName()(algorithm),
    })),
  );
  const labels = () => algorithms().map(({ label }) => label);
  const emphasis = createEmphasis(() => labels().toSorted(compareNaturally), labels);
  const context = createMemo((): PointContext => ({
    experiments: props.response.experimentResults,
    hasTarget: hasTarget(props.response),
    getLook: getGroupLooks(algorithms(), 'algorithm', props.knownAlgorithms, emphasis()),
    getHref: getExperimentPath,
  }));
  const paths = createMemo(() => props.response.parameters.map(({ path }) => path));
  const charts = createMemo(() =>
    paths()
      .slice(0, shownCount())
      .map((path) =>
        makePointChart(
          path,
          () => props.response.parameters.find((parameter) => parameter.path === path),
          context,
        ),
      ),
  );
  const remainingCount = () => Math.max(0, paths().length - shownCount());
  return (
    <>
      <ChartGrid entries={charts()} subject={props.subject} />
      <Show when={remainingCount() > 0}>
        <div class="toolbar">
          <Button onClick={() => setShownCount(shownCount() + chartsAtOnce)}>
            {`Show ${describeCount(Math.min(chartsAtOnce, remainingCount()), 'more chart')}`}
          </Button>
          <span class="muted">
            {`Charts of ${shownCount()} of ${describeCount(paths().length, 'parameter')}`}
          </span>
        </div>
      </Show>
    </>
  );
}

function makePointChart(
  path: string,
  getParameter: () => VaryingParameter | undefined,
  context: () => PointContext,
): ChartEntry {
  const parameter = () => getParameter() ?? { path, isNumeric: false, values: [] };
  return {
    id: `points-${path}`,
    title: path,
    describe: () =>
      `One point per experiment: ${context().hasTarget ? 'ERT of its runs' : 'median best fitness of its completed runs'}; overlapping points are side by side`,
    figure: () => makeParameterPoints(parameter(), context()),
    notes: () => getPointNotes(parameter(), context()),
  };
}
