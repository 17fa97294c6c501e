import { createMemo, type JSX } from 'solid-js';
import { pValueWords } from '#shared/number-format.ts';
import type { Across } from '#shared/schemas/analysis-across.ts';
import { cellMeasures, type groupings } from '#shared/words.ts';
import { callFile } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { DataCard } from '#renderer/components/table/DataCard.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { createRanksChart } from '#renderer/pages/analysis/analysis-charts.tsx';
import { ChoiceFilter } from '#renderer/pages/analysis/ChoiceFilter.tsx';
import { groupLooks } from '#renderer/pages/analysis/group-looks.ts';
import { LatexButtons } from '#renderer/pages/analysis/LatexButtons.tsx';
import { notesAt } from '#renderer/pages/analysis/note-places.ts';
import { asChoice, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { acrossColumns, rankColumns } from './across-columns.tsx';
import {
  acrossRows,
  cellWords,
  rankedGroups,
  type AcrossRow,
  type RankedGroup,
} from './across-rows.ts';

interface AcrossTabProps {
  /** All algorithms of the problem, which are compared unless fewer are chosen. */
  known: readonly string[];
  chosen: readonly string[];
  onChoose: (algorithms: readonly string[]) => void;
  groupBy: (typeof groupings)[number];
}

/** The algorithms of a problem on every instance that two of them have solved: the table of a paper. */
export function AcrossTab(props: AcrossTabProps): JSX.Element {
  const [measure, setMeasure] = createUrlSignal('cell', asChoice(cellMeasures, 'median'));
  const [control, setControl] = createUrlSignal('control', asText());
  const query = createMemo(() => ({
    algorithm: props.chosen.length > 0 ? props.chosen : props.known,
    groupBy: props.groupBy,
    measure: measure(),
    control: control() === '' ? undefined : control(),
  }));
  const across = useEndpoint('compareAcross', () => ({ query: query() }));
  useTableExhibits(
    'compareAcross',
    [
      { table: 'cells', title: 'Algorithms × instances' },
      { table: 'ranks', id: 'average-ranks', title: 'Average ranks' },
      { table: 'wins-ties-losses', title: 'Wins, ties and losses' },
      { table: 'versus-control', title: 'Against the control' },
    ],
    () => ({ query: query() }),
    () => cellWords[measure()],
  );
  const controls = () => [
    { value: '', label: 'none' },
    ...(across.data?.groups ?? []).map(({ group, label }) => ({ value: group, label })),
  ];
  return (
    <div class="analysis">
      <div class="analysis-bar">
        <ChoiceFilter
          label="Algorithms"
          options={props.known}
          chosen={props.chosen}
          onChange={props.onChoose}
        />
        <Select label="Cell" value={measure()} options={cellMeasures} onChange={setMeasure} />
        <Select label="Control" value={control()} options={controls()} onChange={setControl} />
        <div class="analysis-bar-end">
          <LatexButtons
            read={() => callFile('exportAcross', { query: query() })}
            usualName="across.tex"
          />
        </div>
      </div>
      <QueryView query={across} skeleton={<Skeleton shape={{ blockPixels: 400 }} />}>
        {(answer) => <AcrossView answer={answer()} />}
      </QueryView>
    </div>
  );
}

function AcrossView(props: { answer: Across }): JSX.Element {
  const look = createMemo(() =>
    groupLooks(
      props.answer.groups.map(({ group, label }) => ({ algorithm: group, label })),
      props.answer.groupBy,
      [],
    ),
  );
  const ranks = createRanksChart(() => ({ ...props.answer, kruskalWallis: null, notes: [] }), look);
  return (
    <>
      <DataCard<AcrossRow>
        name="across"
        urlKey="across-"
        title="Across instances"
        description={`${cellWords[props.answer.measure]}; the best of an instance is bold unless all are equal, * marks what is not distinguishable from it at 0.05`}
        notes={notesAt(props.answer.notes, 'general', 'groups', 'success', 'sample')}
        columns={acrossColumns(props.answer)}
        rows={acrossRows(props.answer)}
        rowId={({ problemType, id }) => JSON.stringify([problemType, id])}
        maxHeight="70vh"
        empty="No instance has completed runs of two groups."
      />
      <DataCard<RankedGroup>
        name="across-ranks"
        urlKey="rank-"
        title="Average ranks"
        description={`Over the instances that all groups share, 1 = best${signedRankWords(props.answer)}`}
        notes={notesAt(props.answer.notes, 'ranks')}
        columns={rankColumns(look(), props.answer.control)}
        rows={rankedGroups(props.answer)}
        rowId={({ group }) => group}
        empty="No instance is shared by all groups."
      />
      <ChartGrid entries={[ranks]} subject="across" />
    </>
  );
}

function signedRankWords({ signedRank }: Across): string {
  if (signedRank === null || signedRank.method === null) return '';
  return `; Wilcoxon's signed-rank test over ${signedRank.n}: ${pValueWords(signedRank.pValue)}`;
}
