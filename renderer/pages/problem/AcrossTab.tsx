import { createMemo, Show, type JSX } from 'solid-js';
import {
  describeBlocks,
  cellWords,
  describeMarks,
  describeTestedInstances,
  describeUnattainableSignificance,
  describeUnscaledInstances,
  describePairClaims,
  pairScaleWords,
} from '#shared/across-words.ts';
import { formatGroupTitle } from '#shared/group-metrics.ts';
import type { Across, AcrossInstanceTest, AcrossPair } from '#shared/schemas/analysis-across.ts';
import { acrossBlocks, cellMeasures, missingResults, type groupings } from '#shared/words.ts';
import { callFile } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { describeCount } from '#shared/number-format.ts';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { createRanksChart } from '#renderer/features/analysis/analysis-charts.tsx';
import { ChoiceFilter } from '#renderer/features/analysis/ChoiceFilter.tsx';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { createGuardChoice } from '#renderer/features/analysis/guard-choice.ts';
import { GuardChoices, GuardLine } from '#renderer/features/analysis/GuardLine.tsx';
import { getGroupLooks } from '#renderer/features/analysis/group-looks.ts';
import { LatexButtons } from '#renderer/features/analysis/LatexButtons.tsx';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import { asChoice, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import {
  makeAcrossColumns,
  makeInstanceTestColumns,
  makePairColumns,
  makeRankColumns,
} from './across-columns.tsx';
import {
  makeAcrossRows,
  getRankedGroups,
  type AcrossRow,
  type RankedGroup,
} from './across-rows.ts';

interface AcrossTabProps {
  /** All algorithms of the problem, compared by default. */
  allAlgorithms: readonly string[];
  selection: readonly string[];
  onChoose: (algorithms: readonly string[]) => void;
  groupBy: (typeof groupings)[number];
}

/** Compares the algorithms of a problem on every instance that at least two of them have: the table of a paper. */
export function AcrossTab(props: AcrossTabProps): JSX.Element {
  const getName = useAlgorithmNames(() => props.allAlgorithms);
  const [measure, setMeasure] = createUrlSignal('cell', asChoice(cellMeasures, 'median'));
  const [control, setControl] = createUrlSignal('control', asText());
  const [missing, setMissing] = createUrlSignal('missing', asChoice(missingResults, 'shared'));
  const [blocks, setBlocks] = createUrlSignal('blocks', asChoice(acrossBlocks, 'function'));
  const acrossQuery = createMemo(() => ({
    algorithm: props.selection.length > 0 ? props.selection : props.allAlgorithms,
    groupBy: props.groupBy,
    measure: measure(),
    control: control() === '' ? undefined : control(),
    missing: missing(),
    blocks: blocks(),
  }));
  const guard = createGuardChoice();
  const query = createMemo(() => ({ ...acrossQuery(), ...guard.samplesQuery() }));
  const problems = useEndpoint('listProblems');
  // A table of finished runs does not update on changes; new and finished runs show in the list of problems.
  const runsOfAll = createMemo(() =>
    problems.data?.map(({ runs, completedRuns }) => `${runs} ${completedRuns}`).join(),
  );
  const across = useEndpoint('compareAcross', () => ({
    query: query(),
    changesWith: runsOfAll(),
  }));
  useTableExhibits(
    'compareAcross',
    [
      { table: 'cells', title: 'Algorithms × instances' },
      { table: 'ranks', id: 'average-ranks', title: 'Average ranks' },
      { table: 'wins-ties-losses', title: 'Wins, ties and losses' },
      { table: 'instance-tests', title: 'Tests on each instance' },
      { table: 'pair-tests', title: 'Tests of pairs' },
      { table: 'versus-control', title: 'Against the control' },
    ],
    () => ({ query: query() }),
    () => cellWords[measure()],
  );
  const controls = () => [
    { value: '', label: 'none' },
    ...(across.data?.groups ?? []).map((one) => ({
      value: one.group,
      label: formatGroupTitle(one),
    })),
  ];
  return (
    <div class="card-stack">
      <div class="toolbar">
        <ChoiceFilter
          label="Algorithms"
          options={props.allAlgorithms}
          selection={props.selection}
          onChange={props.onChoose}
          getName={getName()}
        />
        <Select label="Cell" value={measure()} options={cellMeasures} onChange={setMeasure} />
        <Select label="Control" value={control()} options={controls()} onChange={setControl} />
        <Select
          label="Missing results"
          value={missing()}
          options={missingResults.map((value) => ({ value, label: missingLabels[value] }))}
          onChange={setMissing}
        />
        <Select
          label="One block is"
          value={blocks()}
          options={acrossBlocks.map((value) => ({ value, label: blockLabels[value] }))}
          onChange={setBlocks}
        />
        <Show when={across.data}>{(response) => <GuardChoices guard={response().guard} />}</Show>
        <div class="toolbar-end">
          <LatexButtons
            read={() => callFile('exportAcross', { query: query() })}
            defaultName="across.tex"
          />
        </div>
      </div>
      <QueryView
        query={across}
        skeleton={<Skeleton content="comparison across instances" shape={{ blockPixels: 400 }} />}
      >
        {(response) => (
          <div class="card-stack" classList={{ 'previous-data': across.isPlaceholder }}>
            <AcrossView response={response()} knownAlgorithms={props.allAlgorithms} />
          </div>
        )}
      </QueryView>
    </div>
  );
}

const missingLabels = {
  shared: 'shared by all',
  worst: 'missing = worst',
  pairwise: 'pairwise',
} as const;

const blockLabels = { function: 'a function', instance: 'an instance' } as const;

/** Maximum number of instances that the caption of a figure names. */
const mostNamed = 3;

interface AcrossViewProps {
  response: Across;
  /** All algorithms of the problem: they number the colours, as in the comparison on one instance. */
  knownAlgorithms: readonly string[];
}

function AcrossView(props: AcrossViewProps): JSX.Element {
  const subject = (): string => {
    const { instances } = props.response;
    return instances.length > mostNamed
      ? describeCount(instances.length, 'problem instance')
      : instances.map(({ label }) => label).join('; ');
  };
  const look = createMemo(() =>
    getGroupLooks(
      props.response.groups.map(({ group, label, isBaseline = false }) => ({
        algorithm: group,
        label,
        isBaseline,
      })),
      props.response.groupBy,
      props.knownAlgorithms,
    ),
  );
  const ranks = createRanksChart(
    () => ({
      friedman: props.response.friedman,
      kruskalWallis: null,
      notes: [],
      guard: props.response.guard,
      pairs: props.response.pairTests.pairs,
      claim: 'in the tests of pairs',
    }),
    look,
  );
  const labels = () => new Map(props.response.instances.map(({ id, label }) => [id, label]));
  return (
    <>
      <GuardLine guard={props.response.guard} />
      <DataCard<AcrossRow>
        name="across"
        urlKey="across-"
        title="Across instances"
        description={`${cellWords[props.response.measure]}, each instance within its common budget. ${describeMarks(props.response)}`}
        notes={getNotesAt(props.response.notes, 'general', 'groups', 'success', 'sample')}
        columns={makeAcrossColumns(props.response)}
        rows={makeAcrossRows(props.response)}
        rowId={({ problemType, id }) => JSON.stringify([problemType, id])}
        maxHeight="70vh"
        empty="No instance has results from two or more groups within a common budget."
      />
      <DataCard<RankedGroup>
        name="across-ranks"
        urlKey="rank-"
        title="Average ranks"
        description={`Over ${describeTestedInstances(props.response)}, 1 = best; ${describeBlocks(props.response)}`}
        notes={getNotesAt(props.response.notes, 'ranks')}
        columns={makeRankColumns(look(), props.response.control)}
        rows={getRankedGroups(props.response)}
        rowId={({ group }) => group}
        empty={
          props.response.missing === 'pairwise'
            ? 'Pairs over different instances have no common ranks.'
            : 'No instance is shared by all groups.'
        }
      />
      <DataCard<AcrossPair>
        name="across-pairs"
        urlKey="across-pair-"
        title="Tests of pairs"
        description={describePairTest(props.response)}
        notes={makePairTestNotes(props.response)}
        columns={makePairColumns(look())}
        rows={props.response.pairTests.pairs}
        rowId={({ a, b }) => JSON.stringify([a, b])}
        empty="Tests need at least two groups."
      />
      <DataCard<AcrossInstanceTest>
        name="across-instance-tests"
        urlKey="test-"
        title="Tests on each instance"
        description="Every pair on every instance, adjusted as one family; determines the bold cells"
        columns={makeInstanceTestColumns(look(), labels())}
        rows={props.response.instanceTests}
        rowId={({ instance, a, b }) => JSON.stringify([instance, a, b])}
        maxHeight="50vh"
        empty="Tests need at least two groups on an instance."
      />
      <Show when={props.response.friedman.statistic !== null}>
        <FigureSubject.Provider value={subject}>
          <ChartGrid entries={[ranks]} subject="across" />
        </FigureSubject.Provider>
      </Show>
    </>
  );
}

function describePairTest(response: Across): string {
  const scale = pairScaleWords[response.pairTests.scale];
  return (
    `Wilcoxon's signed-rank test over ${describeTestedInstances(response)}; ${describeBlocks(response)}; ${scale}. ` +
    describePairClaims(response)
  );
}

function makePairTestNotes(response: Across): string[] {
  const unscaled = describeUnscaledInstances(response);
  const advice = 'Set problem.params.optimum, or test by ERT, success or anytime performance.';
  return [unscaled && `${unscaled} ${advice}`, describeUnattainableSignificance(response)].filter(
    Boolean,
  );
}
